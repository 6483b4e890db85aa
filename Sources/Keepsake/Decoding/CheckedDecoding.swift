#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Types of Foundation whose own `init(from:)` takes what it is given for granted, and ends the program, or reads memory
// that is not there, when an archive holds something else. What they are about to read is looked at first.

/// Reads what another type is about to read; throws what that type should.
protocol ValueCheck: Decodable, Sendable {}

/// The plan for a type whose values are looked at before its own `init(from:)` sees them.
final class CheckedDecodingPlan<Value: Decodable>: DecodingPlan<Value> {
  private let check: any ValueCheck.Type

  init(_ check: any ValueCheck.Type) {
    self.check = check
  }

  override func decode(at cursor: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    var copy = cursor
    _ = try session.decodeAny(check, at: &copy, depth)
    return try session.decodePlainly(Value.self, at: &cursor, depth)
  }
}

/// Which types those are.
enum CheckedTypes {
  /// What looks at the values of each. Two of the types are in a part of Foundation that the library does not import:
  /// where the program has not loaded it either, there are no such values.
  private static let checks: [ObjectIdentifier: any ValueCheck.Type] = {
    var checks: [ObjectIdentifier: any ValueCheck.Type] = [
      ObjectIdentifier(URLComponents.self): URLComponentsCheck.self,
      ObjectIdentifier(DateInterval.self): DateIntervalCheck.self,
    ]
    let others: [String: any ValueCheck.Type] = [
      "Foundation.IndexSet": IndexSetCheck.self, "Foundation.CharacterSet": CharacterSetCheck.self,
    ]
    for (name, check) in others {
      guard let type = RuntimeTypes.type(named: name) else { continue }
      checks[ObjectIdentifier(type)] = check
    }
    return checks
  }()

  /// What looks at the values of `type`; `nil` where its own `init(from:)` does so.
  static func check(for type: Any.Type) -> (any ValueCheck.Type)? { checks[ObjectIdentifier(type)] }
}

/// Indexes are ranges in the order of numbers: a negative or endless one ends the program.
private struct IndexSetCheck: ValueCheck {
  private struct Indexes: Decodable {
    let location: Int
    let length: Int
  }

  private enum CodingKeys: CodingKey { case indexes }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var ranges = try container.nestedUnkeyedContainer(forKey: .indexes)
    while !ranges.isAtEnd {
      let range = try ranges.decode(Indexes.self)
      guard range.location >= 0, range.length >= 0, range.length <= Int.max - range.location else {
        throw DecodingError.nonsense(
          "These are no indexes: \(range.length) from \(range.location) on",
          decoder
        )
      }
    }
  }
}

/// The bits of 65,536 characters, then for some of the sixteen other planes its number and its bits. Other lengths are
/// read past their end.
private struct CharacterSetCheck: ValueCheck {
  private static let planeByteCount = 8_192

  private enum CodingKeys: CodingKey { case bitmap }

  init(from decoder: any Decoder) throws {
    let bitmap = try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .bitmap)
    let planes = stride(
      from: CharacterSetCheck.planeByteCount,
      to: bitmap.count,
      by: CharacterSetCheck.planeByteCount + 1
    )
    let numbers = planes.map { bitmap[bitmap.startIndex + $0] }
    let byteCount = CharacterSetCheck.planeByteCount + numbers.count * (CharacterSetCheck.planeByteCount + 1)
    guard bitmap.count == byteCount, numbers.allSatisfy({ 1...16 ~= $0 }),
      zip(numbers, numbers.dropFirst()).allSatisfy(<)
    else { throw DecodingError.nonsense("This is no bitmap of characters", decoder) }
  }
}

/// A scheme that is none, or a negative port, ends the program.
private struct URLComponentsCheck: ValueCheck {
  private enum CodingKeys: CodingKey { case scheme, port }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let scheme = try container.decodeIfPresent(String.self, forKey: .scheme) {
      // RFC 3986, section 3.1.
      let isScheme =
        scheme.utf8.first.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 } ?? false
        && scheme.utf8.allSatisfy { byte in
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
      guard isScheme else {
        throw DecodingError.nonsense("This is no scheme of a URL: \"\(scheme)\"", decoder)
      }
    }
    if let port = try container.decodeIfPresent(Int.self, forKey: .port), port < 0 {
      throw DecodingError.nonsense("This is no port of a URL: \(port)", decoder)
    }
  }
}

/// An interval that ends before it begins ends the program, now or when it is used.
private struct DateIntervalCheck: ValueCheck {
  private enum CodingKeys: CodingKey { case duration }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let duration = try container.decodeIfPresent(Double.self, forKey: .duration) else { return }
    guard duration >= 0 else {
      throw DecodingError.nonsense("This is no duration of an interval: \(duration)", decoder)
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
