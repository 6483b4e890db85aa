/// The findings of ``KeyedArchiver/check(_:userInfo:)``.
public struct ArchiveCheck: Sendable {
  /// Why the value cannot be archived, or its archive cannot be read; `nil` if both succeed.
  public internal(set) var failure: String?
  /// The differences between the value and its copy: the place, the original and the copy. At most a hundred.
  public internal(set) var losses: [String] = []
  /// Properties by which objects of the reached types could form a cycle that no reader closes, even if this value has
  /// no such cycle: `Node.link.target → Link.node`.
  public internal(set) var unreadableCycles: [String] = []

  /// Whether the check found nothing.
  public var isPassed: Bool { failure == nil && losses.isEmpty && unreadableCycles.isEmpty }
}

extension ArchiveCheck: CustomStringConvertible {
  /// A line for each finding.
  public var description: String {
    if isPassed { return "Everything comes back." }
    var lines = failure.map { [$0] } ?? []
    lines += losses.map { "Lost: \($0)" }
    lines += unreadableCycles.map {
      "A cycle could not be read: \($0). Declare one of these properties as an optional var, or mark it @Deferred"
    }
    return lines.joined(separator: "\n")
  }
}

extension KeyedArchiver {
  /// Archives `value`, reads it, and reports what was lost. Use it in tests.
  ///
  /// ```swift
  /// let check = KeyedArchiver.check(library)
  /// #expect(check.isPassed, "\(check)")
  /// ```
  ///
  /// The check compares the stored properties of all values and objects that can be reached, including those that are
  /// not encoded, and the identity of objects, but not of the storage of values. Caches are stored properties, too,
  /// except `lazy` ones; a type that conforms to `CustomReflectable` can leave them out. The check compares the elements
  /// of sets, and everything else that reflection does not show, by archiving the copy once more, up to a container that
  /// has the same keys or elements in another order.
  ///
  /// It finds types by their names, as another process would. It takes the memory of several copies, and much more
  /// time than archiving.
  ///
  /// - Parameters:
  ///   - value: the value to check.
  ///   - userInfo: the user info of the encoders and decoders that the values get.
  public static func check<Root: Codable>(
    _ value: Root,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) -> ArchiveCheck {
    var check = ArchiveCheck()
    var samples: [Any] = []
    do {
      let data = try archivedData(withRootObject: value, outputFormatting: .sortedKeys, userInfo: userInfo)
      let limits = ArchiveLimits()
      var (copy, comparison) = try KeyedUnarchiver.withSession(data, .everything, limits, .byName, userInfo) {
        let copy = try $0.decodeRoot(Root.self)
        // The session keeps objects to which only `unowned` properties refer. Reading those would end the program.
        let comparison = GraphComparison(value, copy)
        check.losses = comparison.differences
        if check.losses.isEmpty {
          let again = try archivedData(
            withRootObject: copy,
            outputFormatting: .sortedKeys,
            userInfo: userInfo
          )
          let own = try ArchiveImage(data: data, verification: .disabled)
          let other = try ArchiveImage(data: again, verification: .disabled)
          if again != data, let place = try own.placeOfFirstDifference(from: other) {
            check.losses.append("\(place): is archived differently by the copy")
          }
        }
        return (copy, comparison)
      }
      samples = comparison.samples
      check.losses += withExtendedLifetime(copy) { comparison.releasedObjects() }
    } catch {
      check.failure = explanation(of: error)
      samples = GraphComparison(value, value).samples
    }
    check.unreadableCycles = ClassCycles(samples).unreadable
    return check
  }

  private static func explanation(of error: any Error) -> String {
    switch error {
    case EncodingError.invalidValue(_, let context):
      "It cannot be archived: \(context.debugDescription)" + location(context.codingPath)
    case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
      DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "Its archive cannot be read: \(context.debugDescription)" + location(context.codingPath)
    default: "It cannot be archived and read: \(error)"
    }
  }

  private static func location(_ path: [any CodingKey]) -> String {
    path.isEmpty
      ? "" : ", at " + path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
  }
}
