#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Types of Foundation whose own `init(from:)` takes what it is given for granted, and ends the program, or reads memory
// that is not there, when an archive holds something else. What they are about to read is looked at first.

/// Reads what another type is about to read; throws what that type should.
typealias ValueCheck = @Sendable (any Decoder) throws -> Void

/// The plan for a type whose values are looked at before its own `init(from:)` sees them.
final class CheckedDecodingPlan<Value: Decodable>: DecodingPlan<Value> {
  private let check: ValueCheck

  init(_ check: @escaping ValueCheck) {
    self.check = check
  }

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    try check(session.nestedDecoder(at: cursor, in: depth))
    return try session.decodePlainly(Value.self, at: &cursor, depth)
  }
}

/// Which types those are.
enum CheckedTypes {
  /// What looks at the values of each. Two of the types are in a part of Foundation that the library does not import:
  /// where the program has not loaded it either, there are no such values.
  private static let checks: [ObjectIdentifier: ValueCheck] = {
    var checks: [ObjectIdentifier: ValueCheck] = [
      ObjectIdentifier(URLComponents.self): checkURLComponents,
      ObjectIdentifier(DateInterval.self): checkDateInterval,
    ]
    let others: [String: ValueCheck] = [
      "Foundation.IndexSet": checkIndexSet, "Foundation.CharacterSet": checkCharacterSet,
    ]
    for (name, check) in others {
      guard let type = RuntimeTypes.types(named: name).first else { continue }
      checks[ObjectIdentifier(type)] = check
    }
    return checks
  }()

  /// What looks at the values of `type`; `nil` where its own `init(from:)` does so.
  static func check(for type: Any.Type) -> ValueCheck? { checks[ObjectIdentifier(type)] }

  private enum CodingKeys: CodingKey { case indexes, bitmap, scheme, port, duration }

  private struct Indexes: Decodable {
    let location: Int
    let length: Int
  }

  /// Indexes are ranges in the order of numbers: a negative or endless one ends the program.
  @Sendable
  private static func checkIndexSet(_ decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var ranges = try container.nestedUnkeyedContainer(forKey: .indexes)
    while !ranges.isAtEnd {
      let range = try ranges.decode(Indexes.self)
      guard range.location >= 0, range.length >= 0, range.length <= Int.max - range.location else {
        throw DecodingError.nonsense(
          "Not a range of indexes: \(range.length) from \(range.location) on",
          decoder
        )
      }
    }
  }

  private static let planeByteCount = 8_192

  /// The bits of 65,536 characters, then for some of the sixteen other planes its number and its bits. Other lengths are
  /// read past their end.
  @Sendable
  private static func checkCharacterSet(_ decoder: any Decoder) throws {
    let bitmap = try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .bitmap)
    let planes = stride(from: planeByteCount, to: bitmap.count, by: planeByteCount + 1)
    let numbers = planes.map { bitmap[bitmap.startIndex + $0] }
    let byteCount = planeByteCount + numbers.count * (planeByteCount + 1)
    guard bitmap.count == byteCount, numbers.allSatisfy({ 1...16 ~= $0 }),
      zip(numbers, numbers.dropFirst()).allSatisfy(<)
    else { throw DecodingError.nonsense("Not a bitmap of characters", decoder) }
  }

  /// A scheme that is none, or a negative port, ends the program.
  @Sendable
  private static func checkURLComponents(_ decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let scheme = try container.decodeIfPresent(String.self, forKey: .scheme) {
      // RFC 3986, section 3.1.
      func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
      let isScheme =
        scheme.utf8.first.map(isLetter) ?? false
        && scheme.utf8.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
      guard isScheme else {
        throw DecodingError.nonsense("Not the scheme of a URL: \"\(scheme)\"", decoder)
      }
    }
    if let port = try container.decodeIfPresent(Int.self, forKey: .port), port < 0 {
      throw DecodingError.nonsense("Not the port of a URL: \(port)", decoder)
    }
  }

  /// An interval that ends before it begins ends the program, now or when it is used.
  @Sendable
  private static func checkDateInterval(_ decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let duration = try container.decodeIfPresent(Double.self, forKey: .duration) else { return }
    guard duration >= 0 else {
      throw DecodingError.nonsense("Not the duration of an interval: \(duration)", decoder)
    }
  }
}

extension DecodingError {
  /// The error for a value of a type that the requested type excludes.
  fileprivate static func nonsense(_ message: String, _ decoder: any Decoder) -> DecodingError {
    let offset = (decoder as? ValueDecoder)?.offset
    return .dataCorrupted(
      ArchiveError.damaged(message, at: offset).decodingContext(decoder.codingPath)
    )
  }
}
