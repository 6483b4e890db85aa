import Keepsake

/// Follows a path through an archive, and reads only what it needs.
struct PathLookup {
  enum Found {
    /// A value, and its object if the path is only the number of an object.
    case value(ArchiveValue, of: ArchiveBody?)
    /// A number of a packed array.
    case number(ArchiveNumbers)
  }

  /// The most keys that are searched for a similar one.
  private static let mostCandidates = 2_000

  private let image: ArchiveImage
  private let path: PathArgument
  /// The path to the current value.
  private var way: [PathElement] = []

  static func find(_ path: PathArgument, in image: ArchiveImage) throws -> Found {
    var lookup = PathLookup(image: image, path: path)
    return try lookup.find()
  }

  private mutating func find() throws -> Found {
    var value: ArchiveValue
    if let number = path.start {
      let count = image.directory.bodyCount
      guard number <= count else {
        throw failure("there is no object #\(number); the last has the number \(count)")
      }
      let body = try image.numberedBody(number)
      if path.steps.isEmpty { return .value(body.value, of: body) }
      value = body.value
    } else {
      value = try image.topLevelValue
    }
    for (index, step) in path.steps.enumerated() {
      let (content, description) = try value.content()
      guard let content else {
        throw failure("\(here) is nil, a weak reference to an unarchived object, so there is nothing in it")
      }
      switch (content.kind, step) {
      case (.map, _), (.record, _):
        value = try member(step.keyText, of: content, description)
      case (.array, .index(let wanted)):
        guard let element = try content[wanted] else { throw beyond(wanted, try content.count ?? 0) }
        way.append(step)
        value = element
      case (.numbers, .index(let wanted)):
        let found = try number(wanted, of: content)
        if index == path.steps.count - 1 { return .number(found) }
        throw failure("\(here)[\(wanted)] is a single value, so there is nothing in it")
      case (.array, _), (.numbers, _):
        let elements = counted(try content.count ?? 0, "element")
        throw failure(
          "\(here) is an array of \(elements), and \(quoted(step.keyText)) is not an index; try [0]"
        )
      default:
        throw failure("\(here) is \(try content.kindName), so there is nothing in it")
      }
    }
    return .value(value, of: nil)
  }

  private mutating func member(_ wanted: String, of value: ArchiveValue, _ description: String) throws
    -> ArchiveValue
  {
    var candidates: [String] = []
    var walk = ArchiveWalk(value)
    while let member = try walk.nextMember(), let label = member.label {
      let key = label.keyText
      if key.utf8.elementsEqual(wanted.utf8) {
        way.append(label)
        return member.value
      }
      if candidates.count < PathLookup.mostCandidates { candidates.append(key) }
    }
    let container = way.isEmpty && path.start == nil ? "at the top level" : "in \(here)\(description)"
    throw failure(
      "there is no key \(quoted(wanted)) \(container)\(Spelling.advice(wanted, among: candidates, count: try value.count ?? 0))"
    )
  }

  private func number(_ wanted: Int, of value: ArchiveValue) throws -> ArchiveNumbers {
    let count = try value.count ?? 0
    guard wanted < count, var numbers = try ArchiveNumberWalk(value) else { throw beyond(wanted, count) }
    try numbers.skip(towards: wanted)
    // The next chunk has the number.
    let offset = wanted - numbers.index
    guard let some = try numbers.next() else { throw beyond(wanted, count) }
    return some[offset..<(offset + 1)]
  }

  private func failure(_ message: String) -> CommandFailure { .badData(message) }

  private var here: String {
    if way.isEmpty, path.start == nil { return "the top level" }
    return PathText.text(way, from: path.start.map { "#\($0)" } ?? "")
  }

  private func beyond(_ index: Int, _ count: Int) -> CommandFailure {
    failure(
      count == 0
        ? "there is no [\(index)] in \(here), which is an empty array"
        : "there is no [\(index)] in \(here), which has the elements [0] to [\(count - 1)]"
    )
  }
}

extension ArchiveValue {
  /// The value behind references, optionals and names of types, and a description of these, as " (Book #3)". `nil` for
  /// a weak reference to nothing.
  ///
  /// If a body consists of a reference to itself, the content is that reference.
  fileprivate func content() throws(ArchiveError) -> (value: ArchiveValue?, description: String) {
    var value = self
    var description = ""
    var seen: Set<Int> = []
    while true {
      switch value.kind {
      case .object, .value, .conditional:
        guard let target = try value.target else { return (nil, description) }
        guard seen.insert(target.number).inserted else { return (value, description) }
        if let name = target.className { description = " (\(escaped(name)) #\(target.number))" }
        value = target.value
      case .some, .typed:
        if let name = try value.typeName { description = " (\(escaped(name)))" }
        guard let content = try value.wrapped else { return (value, description) }
        value = content
      default:
        return (value, description)
      }
    }
  }

  /// The value behind optionals and names of types. `nil` if there are `most` or more of these.
  func unwrapped(atMost most: Int = .max) throws(ArchiveError) -> ArchiveValue? {
    var value = self
    for _ in 0..<most {
      guard let content = try value.wrapped else { return value }
      value = content
    }
    return nil
  }
}
