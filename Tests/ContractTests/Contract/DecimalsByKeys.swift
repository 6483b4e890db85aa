import Foundation
import Keepsake
import TestSupport
import Testing

/// A decimal has a native form in an archive, and can still be read by the keys that its own `init(from:)` requests.
@Suite struct DecimalsByKeys {
  private enum Parts: String, CodingKey, CaseIterable {
    case exponent, length, isNegative, isCompact, mantissa
    /// A part that no decimal has.
    case sign
  }

  private func readParts<Result>(
    _ data: Data,
    _ body: @escaping @Sendable (KeyedDecodingContainer<Parts>) throws -> Result
  ) throws -> Result {
    try read(data) { try body($0.container(keyedBy: Parts.self)) }
  }

  @Test("a decimal has the keys of Foundation's own encoding")
  func parts() throws {
    let data = try ArchiveEncoder().encode(Decimal(sign: .minus, exponent: -3, significand: 12_345_678))
    try readParts(data) { container throws in
      let keys = Set(container.allKeys)
      #expect(keys == [.exponent, .isCompact, .isNegative, .length, .mantissa])
      for key in keys {
        #expect(container.contains(key))
        #expect(try !container.decodeNil(forKey: key))
      }
      #expect(try container.decode(Int.self, forKey: .exponent) == -3)
      #expect(try container.decode(Int8.self, forKey: .exponent) == -3)
      #expect(try container.decode(Int16.self, forKey: .exponent) == -3)
      #expect(try container.decode(Int32.self, forKey: .exponent) == -3)
      #expect(try container.decode(Int64.self, forKey: .exponent) == -3)
      #expect(try container.decode(Double.self, forKey: .exponent) == -3)
      #expect(try container.decode(Float.self, forKey: .exponent) == -3)
      #expect(try container.decode(UInt.self, forKey: .length) == 2)
      #expect(try container.decode(UInt8.self, forKey: .length) == 2)
      #expect(try container.decode(UInt16.self, forKey: .length) == 2)
      #expect(try container.decode(UInt32.self, forKey: .length) == 2)
      #expect(try container.decode(UInt64.self, forKey: .length) == 2)
      #expect(try container.decode(Bool.self, forKey: .isNegative))
      #expect(try container.decodeIfPresent(Int.self, forKey: .length) == 2)
      var words = try container.nestedUnkeyedContainer(forKey: .mantissa)
      #expect(words.count == 8)
      #expect(try words.decode(UInt16.self) == 0x614E)
      #expect(try words.decode(UInt16.self) == 0xBC)
      #expect(try container.decode([UInt16].self, forKey: .mantissa) == [0x614E, 0xBC, 0, 0, 0, 0, 0, 0])
    }
  }

  @Test("missing keys and type mismatches are errors with their paths")
  func faults() throws {
    let data = try ArchiveEncoder().encode(["d": Decimal(5)])
    try readKeyed(data) { outer throws in
      let container = try outer.nestedContainer(keyedBy: Parts.self, forKey: "d")
      #expect(!container.contains(.sign))
      #expect(try container.decodeIfPresent(Int.self, forKey: .sign) == nil)
      let missing = try failure { try container.decode(Int.self, forKey: .sign) }
      #expect(missing.kind == .keyNotFound && missing.missingKey == "sign" && missing.path == "d")
      let text = try failure { try container.decode(String.self, forKey: .exponent) }
      #expect(text.kind == .typeMismatch && text.code == .typeMismatch && text.path == "d/exponent")
      let negative = try failure { try container.decode(Bool.self, forKey: .length) }
      #expect(negative.kind == .typeMismatch && negative.path == "d/length")
      let nested = try failure { try container.nestedContainer(keyedBy: AnyKey.self, forKey: .exponent) }
      #expect(nested.kind == .typeMismatch && nested.path == "d/exponent")
      let list = try failure { try container.nestedUnkeyedContainer(forKey: .exponent) }
      #expect(list.kind == .typeMismatch && list.path == "d/exponent")
    }
  }

  @Test("super decoders read the parts and the decimal itself")
  func decoders() throws {
    let data = try ArchiveEncoder().encode(Decimal(5))
    try readParts(data) { container throws in
      #expect(try Int(from: container.superDecoder(forKey: .exponent)) == 0)
      #expect(try Decimal(from: container.superDecoder()) == 5)
      #expect(try failure { try container.superDecoder(forKey: .sign) }.missingKey == "sign")
    }
  }

  /// Notes the answers of the decoder of the digits.
  private struct Digits: Decodable {
    let keyed: Failure
    let single: Failure
    let count: Int?
    let hasUserInfo: Bool

    init(from decoder: any Decoder) throws {
      keyed = try failure { try decoder.container(keyedBy: AnyKey.self) }
      single = try failure { try decoder.singleValueContainer() }
      count = try decoder.unkeyedContainer().count
      hasUserInfo = !decoder.userInfo.isEmpty
    }
  }

  @Test("the digits read only as an array")
  func digits() throws {
    try readParts(ArchiveEncoder().encode(Decimal(5))) { container throws in
      let digits = try container.decode(Digits.self, forKey: .mantissa)
      #expect(digits.count == 8 && digits.hasUserInfo)
      #expect(digits.keyed.kind == .typeMismatch && digits.keyed.path == "mantissa")
      #expect(digits.single.kind == .typeMismatch && digits.single.path == "mantissa")
    }
  }

  @Test("a NaN is negative and has no digits, as in Foundation")
  func notANumber() throws {
    try readParts(ArchiveEncoder().encode(Decimal.nan)) { container throws in
      #expect(try container.decode(Bool.self, forKey: .isNegative))
      #expect(try container.decode(Int.self, forKey: .length) == 0)
    }
  }
}
