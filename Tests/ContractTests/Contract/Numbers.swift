import Foundation
import Keepsake
import TestSupport
import Testing

/// Numbers come back with all their bits, and as other types that can hold them. Only an integer may be rounded, to a
/// floating-point number.
@Suite struct Numbers {
  typealias IntegerType = any (FixedWidthInteger & Codable & Sendable).Type

  static let integerTypes: [IntegerType] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
    UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
  ]

  /// The edges of every width that the type can hold.
  static func edges<I: FixedWidthInteger>(of type: I.Type) -> [I] {
    let powers: [I] = (0..<I.bitWidth).flatMap { shift -> [I] in
      let power = I(1) << I(shift)
      return [power, power &- 1, power &+ 1, 0 &- power, 1 &- power, ~power]
    }
    return [I.min, I.max, 0] + powers
  }

  private struct Field<T: Codable & Equatable>: Codable, Equatable {
    var value: T
  }

  @Test("integers of every width come back, up to their extremes", arguments: integerTypes)
  func extremes(type: IntegerType) throws {
    func check<I: FixedWidthInteger & Codable>(_ type: I.Type) throws {
      let edges = Self.edges(of: type)
      #expect(try roundTrip(edges) == edges)
      let fields = edges.map { Field(value: $0) }
      #expect(try roundTrip(fields) == fields)
      for edge in [I.min, I.max, 0, 1] {
        #expect(try roundTrip(edge) == edge)
        #expect(try roundTrip(["k": edge]) == ["k": edge])
      }
    }
    try check(type)
  }

  @Test(
    "an integer reads as every other type that can hold it, and as no other",
    arguments: integerTypes,
    integerTypes
  )
  func conversions(from: IntegerType, to: IntegerType) throws {
    func check<A: FixedWidthInteger & Codable, B: FixedWidthInteger & Codable>(_: A.Type, _: B.Type) throws {
      let edges = Array(Set(Self.edges(of: A.self))).sorted()
      let data = try writeUnkeyed { list in
        for edge in edges { try list.encode(Field(value: edge)) }
      }
      let fields = try ArchiveDecoder().decode([Lenient<B>].self, from: data)
      for (edge, field) in zip(edges, fields) {
        #expect(field.value == B(exactly: edge), "\(A.self) \(edge) as \(B.self)")
        #expect(field.wasCorrupted == (B(exactly: edge) == nil), "\(A.self) \(edge) as \(B.self)")
      }
      #expect(fields.count == edges.count)
    }
    func open<A: FixedWidthInteger & Codable>(_ a: A.Type) throws { try check(a, to) }
    try open(from)
  }

  /// A field whose number may not fit, and whether the error is dataCorrupted.
  private struct Lenient<B: Decodable>: Decodable {
    var value: B?
    var wasCorrupted = false

    init(from decoder: any Decoder) throws {
      do {
        value = try decoder.container(keyedBy: AnyKey.self).decode(B.self, forKey: "value")
      } catch DecodingError.dataCorrupted {
        wasCorrupted = true
      }
    }
  }

  @Test("an array of integers reads as an array of another width when all its elements fit")
  func arrayConversions() throws {
    #expect(try transcode([0, 1, 255], to: [UInt8].self) == [0, 1, 255])
    #expect(try transcode([UInt8(0), 1, 255], to: [Int].self) == [0, 1, 255])
    #expect(try transcode([Int64(-1), 1], to: [Int8].self) == [-1, 1])
    #expect(try transcode([UInt64.max], to: [UInt128].self) == [UInt128(UInt64.max)])
    #expect(try transcode([Int128(7), 8], to: [UInt16].self) == [7, 8])
    #expect(try transcode([1, 2], to: [Double].self) == [1, 2])
    #expect(try transcode([1.5, -0.0], to: [Float].self) == [1.5, -0.0])
    #expect(try transcode([Float(1.5)], to: [Double].self) == [1.5])
    let tooBig = try failure { try transcode([1, 2, 256], to: [UInt8].self) }
    #expect(tooBig.kind == .dataCorrupted && tooBig.path == "[2]")
    let negative = try failure { try transcode([-1], to: [UInt].self) }
    #expect(negative.kind == .dataCorrupted && negative.path == "[0]")
    #expect(try failure { try transcode([1.5], to: [Int].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode([true], to: [Int].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode([1], to: [Bool].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode([1], to: [String].self) }.kind == .typeMismatch)
  }

  private static let doubles: [UInt64] =
    [
      0, 1, 0x000F_FFFF_FFFF_FFFF, 0x0010_0000_0000_0000, 0x3FF0_0000_0000_0000, 0x7FEF_FFFF_FFFF_FFFF,
      0x7FF0_0000_0000_0000, 0x7FF0_0000_0000_0001, 0x7FF7_FFFF_FFFF_FFFF, 0x7FF8_0000_0000_0000,
      0x7FF8_0000_DEAD_BEEF, 0x7FFF_FFFF_FFFF_FFFF, 0x3FB9_9999_9999_999A, 0x4340_0000_0000_0000,
    ].flatMap { [$0, $0 | 1 << 63] }

  @Test(
    "doubles keep their bits: signed zeros, subnormals, infinities, payloads of NaNs",
    arguments: doubles
  )
  func doubleBits(bits: UInt64) throws {
    let value = Double(bitPattern: bits)
    #expect(try roundTrip(value).bitPattern == bits)
    #expect(try roundTrip([value, 1, value]).map(\.bitPattern) == [bits, Double(1).bitPattern, bits])
    #expect(try roundTrip(["k": value])["k"]?.bitPattern == bits)
    #expect(try roundTrip([value, nil]).first??.bitPattern == bits)
  }

  private static let floats: [UInt32] =
    [
      0, 1, 0x007F_FFFF, 0x0080_0000, 0x3F80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FBF_FFFF,
      0x7FC0_0000, 0x7FC0_BEEF, 0x7FFF_FFFF, 0x3DCC_CCCD,
    ].flatMap { [$0, $0 | 1 << 31] }

  @Test("floats keep their bits", arguments: floats)
  func floatBits(bits: UInt32) throws {
    let value = Float(bitPattern: bits)
    #expect(try roundTrip(value).bitPattern == bits)
    #expect(try roundTrip([value, 1, value]).map(\.bitPattern) == [bits, Float(1).bitPattern, bits])
    #expect(try roundTrip(["k": value])["k"]?.bitPattern == bits)
    #expect(try roundTrip([value, nil]).first??.bitPattern == bits)
  }

  @Test("integers read as the nearest floating-point number")
  func integersAsFloatingPoint() throws {
    #expect(try transcode(3, to: Double.self) == 3)
    #expect(try transcode(Int64.min, to: Double.self) == -0x1p63)
    #expect(try transcode(1 << 53, to: Double.self) == 0x1p53)
    #expect(try transcode(UInt64(1) << 63, to: Float.self) == 0x1p63)
    #expect(try transcode(1 << 24, to: Float.self) == 0x1p24)
    #expect(try transcode((1 << 53) + 1, to: Double.self) == 0x1p53)
    #expect(try transcode((1 << 53) + 3, to: Double.self) == 0x1p53 + 4)
    #expect(try transcode((1 << 24) + 1, to: Float.self) == 0x1p24)
    #expect(try transcode(UInt64.max, to: Double.self) == 0x1p64)
    #expect(try transcode(Int128.max, to: Double.self) == 0x1p127)
    #expect(try transcode([1, (1 << 53) + 1], to: [Double].self) == [1, 0x1p53])
    #expect(try transcode([UInt64.max], to: [Float].self) == [0x1p64])
    #expect(try readUnkeyed(ArchiveEncoder().encode([(1 << 24) + 1])) { try $0.decode(Float.self) } == 0x1p24)
    // Rounded, it exceeds the largest number of this type.
    #expect(try failure { try transcode(UInt128.max, to: Float.self) }.kind == .dataCorrupted)
  }

  @Test("doubles read as floats when that is exact, floats always as doubles")
  func betweenFloatingPoint() throws {
    for value in [0, 1.5, -0x1p127, 0x1p-149, .infinity, -.infinity] {
      #expect(try transcode(value, to: Float.self) == Float(value))
      #expect(try transcode(Float(value), to: Double.self) == value)
    }
    #expect(try transcode(-0.0, to: Float.self).sign == .minus)
    #expect(try transcode(Double.nan, to: Float.self).isNaN)
    #expect(try transcode(Float.nan, to: Double.self).isNaN)
    #expect(try transcode(Float(0.1), to: Double.self) == Double(Float(0.1)))
    for value in [0.1, 0x1p200, 0x1p-200, 1 + 0x1p-30] {
      #expect(try failure { try transcode(value, to: Float.self) }.kind == .dataCorrupted)
    }
  }

  @Test("other values do not read as numbers, and floating-point numbers not as integers")
  func mismatches() throws {
    for type in Self.integerTypes {
      func check<I: FixedWidthInteger & Codable>(_ type: I.Type) throws {
        #expect(try failure { try transcode(true, to: type) }.kind == .typeMismatch)
        #expect(try failure { try transcode("1", to: type) }.kind == .typeMismatch)
        #expect(try failure { try transcode(1.0, to: type) }.kind == .typeMismatch)
        #expect(try failure { try transcode(Float(1), to: type) }.kind == .typeMismatch)
        #expect(try failure { try transcode([1], to: type) }.kind == .typeMismatch)
        #expect(try failure { try transcode(["a": 1], to: type) }.kind == .typeMismatch)
      }
      try check(type)
    }
    for number in [0, 1] {
      #expect(try failure { try transcode(number, to: Bool.self) }.kind == .typeMismatch)
      #expect(try failure { try transcode(number, to: String.self) }.kind == .typeMismatch)
    }
    #expect(try failure { try transcode(true, to: Double.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode("1.5", to: Double.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(1.0, to: Bool.self) }.kind == .typeMismatch)
  }

  @Test("random numbers of every magnitude come back")
  func random() throws {
    var generator = SeededGenerator("random numbers")
    struct Row: Codable, Equatable {
      var a: Int, b: UInt64, c: Int32, d: UInt16, e: Int8, f: Int128, g: UInt64, h: UInt32
    }
    let rows = (0..<2000).map { _ in
      func word() -> UInt64 { generator.next() >> generator.next(upperBound: UInt64(64)) }
      return Row(
        a: Int(truncatingIfNeeded: word()),
        b: word(),
        c: Int32(truncatingIfNeeded: word()),
        d: UInt16(truncatingIfNeeded: word()),
        e: Int8(truncatingIfNeeded: word()),
        f: Int128(truncatingIfNeeded: word()) * Int128(Int64(truncatingIfNeeded: word())),
        g: Double(bitPattern: generator.next()).bitPattern,
        h: Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())).bitPattern
      )
    }
    #expect(try roundTrip(rows) == rows)
    #expect(try roundTrip(rows.map(\.a)) == rows.map(\.a))
    #expect(try roundTrip(rows.map(\.f)) == rows.map(\.f))
    let doubles = rows.map { Double(bitPattern: $0.g) }
    #expect(try roundTrip(doubles).map(\.bitPattern) == rows.map(\.g))
    let floats = rows.map { Float(bitPattern: $0.h) }
    #expect(try roundTrip(floats).map(\.bitPattern) == rows.map(\.h))
  }

  @Test("Float16 comes back by way of the Float that it encodes")
  func halves() throws {
    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
      let halves: [Float16] = [0, -0.0, 1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity]
      #expect(try roundTrip(halves).map(\.bitPattern) == halves.map(\.bitPattern))
      #expect(try roundTrip(["k": Float16.pi]) == ["k": .pi])
      #expect(try roundTrip(Float16.nan).isNaN)
    #endif
  }
}
