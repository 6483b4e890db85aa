#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// The `init(from:)` of some Foundation types trusts its input: it traps, or reads out of bounds, if the archive holds
// anything unexpected. The library checks the input of these types first.

/// Reads the values that another type is about to read from its container, that of the value at `offset`, and throws
/// what that type should throw.
typealias ValueCheck = @Sendable (CheckedTypes.Container, _ offset: Int) throws -> Void

/// The plan for a type whose values the library checks before `init(from:)` sees them.
final class CheckedDecodingPlan<Value: Decodable>: DecodingPlan<Value> {
  private let check: ValueCheck

  init(_ check: @escaping ValueCheck) {
    self.check = check
  }

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    let decoder = try session.nestedDecoder(at: cursor, in: depth)
    let container = try decoder.container(keyedBy: CheckedTypes.CodingKeys.self)
    try session.reporting(decoder.codingPath) {
      try check(container, cursor)
      try session.charge(DecodingBudget.deferredOverhead, at: cursor)
    }
    return try session.decodePlainly(Value.self, at: &cursor, depth)
  }
}

/// The types whose values the library checks.
enum CheckedTypes {
  /// The check for values of `type`; `nil` if its own `init(from:)` is safe.
  ///
  /// The name decides: the library does not import the part of Foundation that has `IndexSet` and `CharacterSet`.
  static func check(for type: Any.Type) -> ValueCheck? {
    guard let name = RuntimeMetadata.declaredName(of: type), let check = check(named: name),
      // The runtime makes the full name from the mangled one, so only few types are asked for it.
      RuntimeTypes.name(of: type) == "Foundation.\(name)"
    else { return nil }
    return check
  }

  private static func check(named name: String) -> ValueCheck? {
    switch name {
    case "URLComponents": checkURLComponents
    case "DateInterval": checkDateInterval
    case "IndexSet": checkIndexSet
    case "CharacterSet": checkCharacterSet
    // It is safe, but allocates objects that must be charged.
    case "Calendar": { _, _ in }
    default: nil
    }
  }

  enum CodingKeys: CodingKey { case indexes, bitmap, scheme, port, duration }
  typealias Container = KeyedDecodingContainer<CodingKeys>

  private struct Indexes: Decodable {
    let location: Int
    let length: Int
  }

  /// The indexes are ranges in ascending order. `IndexSet` traps if one is negative or overflows.
  @Sendable
  private static func checkIndexSet(_ container: Container, _ offset: Int) throws {
    var ranges = try container.nestedUnkeyedContainer(forKey: .indexes)
    while !ranges.isAtEnd {
      let range = try ranges.decode(Indexes.self)
      guard range.location >= 0, range.length >= 0, range.length <= Int.max - range.location else {
        let message = "Not a range of indexes: \(range.length) from \(range.location) on"
        throw ArchiveError.damaged(message, at: offset)
      }
    }
  }

  private static let planeByteCount = 8_192

  /// A bitmap of 65,536 characters, then the number and the bitmap of each of up to sixteen other planes.
  /// `CharacterSet` reads past the end of data of any other length.
  @Sendable
  private static func checkCharacterSet(_ container: Container, _ offset: Int) throws {
    let bitmap = try container.decode(Data.self, forKey: .bitmap)
    let planes = stride(from: planeByteCount, to: bitmap.count, by: planeByteCount + 1)
    let numbers = planes.map { bitmap[bitmap.startIndex + $0] }
    let byteCount = planeByteCount + numbers.count * (planeByteCount + 1)
    guard bitmap.count == byteCount, numbers.allSatisfy({ 1...16 ~= $0 }),
      zip(numbers, numbers.dropFirst()).allSatisfy(<)
    else { throw ArchiveError.damaged("Not a bitmap of characters", at: offset) }
  }

  /// `URLComponents` traps at an invalid scheme or a negative port.
  @Sendable
  private static func checkURLComponents(_ container: Container, _ offset: Int) throws {
    if let scheme = try container.decodeIfPresent(String.self, forKey: .scheme) {
      // RFC 3986, section 3.1.
      func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
      let isScheme =
        scheme.utf8.first.map(isLetter) ?? false
        && scheme.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
      guard isScheme else {
        throw ArchiveError.damaged("Not the scheme of a URL: \"\(scheme)\"", at: offset)
      }
    }
    if let port = try container.decodeIfPresent(Int.self, forKey: .port), port < 0 {
      throw ArchiveError.damaged("Not the port of a URL: \(port)", at: offset)
    }
  }

  /// `DateInterval` traps at a negative duration, in `init(from:)` or when it is used.
  @Sendable
  private static func checkDateInterval(_ container: Container, _ offset: Int) throws {
    guard let duration = try container.decodeIfPresent(Double.self, forKey: .duration) else { return }
    guard duration >= 0 else {
      throw ArchiveError.damaged("Not the duration of an interval: \(duration)", at: offset)
    }
  }
}
