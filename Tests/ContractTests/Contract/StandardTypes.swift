import Foundation
import Keepsake
import TestSupport
import Testing

/// Data, Date, UUID, URL, Decimal and other Codable types of Foundation: in the native forms of the library, and by
/// code that uses only the generic containers.
@Suite struct StandardTypes {
  /// Codes the value by the type's own `encode(to:)` and `init(from:)`, without the native form.
  private struct Generic<T: Codable>: Codable {
    var value: T

    init(_ value: T) {
      self.value = value
    }

    init(from decoder: any Decoder) throws {
      value = try T(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
      try value.encode(to: encoder)
    }
  }

  /// Every combination of the native and the generic form, at the root and nested.
  private func check<T: Codable & Equatable>(_ value: T, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    #expect(try roundTrip(value) == value, sourceLocation: sourceLocation)
    #expect(try roundTrip([value, value]) == [value, value], sourceLocation: sourceLocation)
    #expect(try roundTrip(["k": value]) == ["k": value], sourceLocation: sourceLocation)
    #expect(try roundTrip([value, nil] as [T?]) == [value, nil], sourceLocation: sourceLocation)
    #expect(try transcode(value, to: Generic<T>.self).value == value, sourceLocation: sourceLocation)
    #expect(try transcode(Generic(value), to: T.self) == value, sourceLocation: sourceLocation)
    #expect(try roundTrip(Generic(value)).value == value, sourceLocation: sourceLocation)
    let lists = try transcode([Generic(value), Generic(value)], to: [T].self)
    #expect(lists == [value, value], sourceLocation: sourceLocation)
  }

  @Test(
    "Data of every size comes back, also as its bytes",
    arguments: [0, 1, 15, 16, 127, 128, 255, 256, 1000, 65_536, 1_000_000]
  )
  func data(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let data = Data(bytes)
    #expect(try roundTrip(data) == data)
    #expect(try roundTrip(["k": data, "l": data]) == ["k": data, "l": data])
    let slice = (Data([9, 9]) + data + Data([9])).dropFirst(2).dropLast()
    #expect(try roundTrip(slice) == data)
    guard count <= 1000 else { return }
    try check(data)
    #expect(try transcode(data, to: [UInt8].self) == bytes)
    #expect(try transcode(bytes, to: Data.self) == data)
    #expect(try transcode(data, to: [Int].self) == bytes.map { Int($0) })
  }

  @Test("Data reads as an unkeyed container of its bytes")
  func dataByElement() throws {
    try readUnkeyed(ArchiveEncoder().encode(Data([1, 2, 255]))) { list throws in
      #expect(list.count == 3)
      #expect(try list.decode(UInt8.self) == 1)
      #expect(try list.decode(Int.self) == 2)
      #expect(throws: DecodingError.self) { try list.decode(Int8.self) }
      #expect(try list.decode(UInt8.self) == 255)
      #expect(list.isAtEnd)
    }
    let byHand = try writeUnkeyed { list in
      for byte in [3, 4, 5] as [UInt8] { try list.encode(byte) }
    }
    #expect(try ArchiveDecoder().decode(Data.self, from: byHand) == Data([3, 4, 5]))
  }

  private static let dates: [Double] = [
    0, 1, -1, 0.001, 1e-9, 694_224_000.123456, -63_114_076_800, 63_113_904_000, 1e300, -1e300, -0.0,
    .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity,
  ]

  @Test("Date comes back, also as the number that it encodes", arguments: dates)
  func date(seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    try check(date)
    #expect(try roundTrip(date).timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    let number = try read(ArchiveEncoder().encode(date)) { try $0.singleValueContainer().decode(Double.self) }
    #expect(number.bitPattern == seconds.bitPattern)
    #expect(try transcode([date, date], to: [Double].self) == [seconds, seconds])
    #expect(try transcode([seconds], to: [Date].self) == [date])
    #expect(try transcode(seconds, to: Date.self) == date)
  }

  @Test("named dates come back")
  func namedDates() throws {
    try check(Date.distantPast)
    try check(Date.distantFuture)
    try check(Date(timeIntervalSince1970: 0))
    try check(Date.now)
    #expect(try transcode(5, to: Date.self) == Date(timeIntervalSinceReferenceDate: 5))
    #expect(try failure { try transcode("today", to: Date.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(Date.now, to: String.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(Date.now, to: Int.self) }.kind == .typeMismatch)
  }

  @Test("UUID comes back, also as the string that it encodes")
  func uuid() throws {
    let uuids = [UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000"), UUID()].compactMap { $0 }
    #expect(uuids.count == 3)
    for uuid in uuids {
      try check(uuid)
      let text = try read(ArchiveEncoder().encode(uuid)) { try $0.singleValueContainer().decode(String.self) }
      #expect(text == uuid.uuidString)
      #expect(try transcode(uuid.uuidString, to: UUID.self) == uuid)
      #expect(try transcode(uuid.uuidString.lowercased(), to: UUID.self) == uuid)
    }
    #expect(try transcode(uuids, to: [String].self) == uuids.map(\.uuidString))
    #expect(try failure { try transcode("no UUID", to: UUID.self) }.kind == .dataCorrupted)
    #expect(try failure { try transcode(1, to: UUID.self) }.kind == .typeMismatch)
  }

  @Test(
    "URL comes back",
    arguments: [
      "https://example.org/a/b?c=d#e", "file:///tmp/x%20y", "mailto:a@example.org", "relative/path",
      "/absolute", "?q",
      "https://user:pass@example.org:8080/%E6%97%A5", "#",
    ]
  )
  func url(text: String) throws {
    let url = try #require(URL(string: text))
    try check(url)
    #expect(try roundTrip(url).absoluteString == text)
  }

  @Test("URL comes back with its base and the base of that")
  func urlWithBase() throws {
    let root = try #require(URL(string: "https://example.org/a/"))
    let base = try #require(URL(string: "b/", relativeTo: root))
    let url = try #require(URL(string: "../c?d", relativeTo: base))
    for url in [base, url] {
      try check(url)
      let back = try roundTrip(url)
      #expect(back.baseURL == url.baseURL)
      #expect(back.relativeString == url.relativeString)
      #expect(back.absoluteString == url.absoluteString)
    }
    enum Parts: CodingKey { case base, relative }
    try read(ArchiveEncoder().encode(base)) { decoder throws in
      let container = try decoder.container(keyedBy: Parts.self)
      #expect(try container.decode(String.self, forKey: .relative) == "b/")
      #expect(try container.decode(URL.self, forKey: .base) == root)
    }
    #expect(throws: DecodingError.self) { try transcode(1, to: URL.self) }
  }

  @Test("Decimal comes back: extremes, fractions and numbers without an exact Double")
  func decimal() throws {
    let texts = [
      "0", "1", "-1", "0.1", "-0.1", "123456789.987654321", "1e127", "-1e-127", "3.000",
      "99999999999999999999",
    ]
    let named: [Decimal] = [
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, .pi,
      Decimal(Int.min), Decimal(UInt64.max),
    ]
    for decimal in texts.compactMap({ Decimal(string: $0) }) + named {
      try check(decimal)
      #expect(try roundTrip(decimal).description == decimal.description)
    }
    #expect(try roundTrip(Decimal.nan).isNaN)
    #expect(try transcode(Decimal.nan, to: Generic<Decimal>.self).value.isNaN)
    #expect(try transcode(Generic(Decimal.nan), to: Decimal.self).isNaN)
  }

  @Test("a structure of optionals is not read from a Decimal or a URL")
  func nativeFormsAsStructures() throws {
    struct Price: Codable {
      var amount: Decimal?
      var currency: String?
    }
    let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.org/a/")))
    for mismatch in [
      try failure { try transcode(["price": Decimal(2) / 10], to: [String: Price].self) },
      try failure { try transcode([Decimal(5)], to: [Price].self) },
      try failure { try transcode(["price": url], to: [String: Price].self) },
      try failure { try transcode([url.absoluteURL], to: [Price?].self) },
    ] {
      #expect(mismatch.kind == .typeMismatch && mismatch.code == .typeMismatch)
    }
  }

  @Test("random decimals come back")
  func randomDecimals() throws {
    var generator = SeededGenerator("decimals")
    let products = (0..<500).map { _ in
      Decimal(
        sign: Bool.random(using: &generator) ? .minus : .plus,
        exponent: Int.random(in: -100...80, using: &generator),
        significand: Decimal(generator.next()) * Decimal(generator.next() >> 8)
      )
    }
    let quotients = products.dropFirst().map { products[0] / $0 }
    // Of all sizes and exponents.
    let texts = (0..<2_000).compactMap { index in
      let mantissa = UInt128.random(in: 0...UInt128.max, using: &generator) >> UInt128(index % 128)
      let text = "\(mantissa)E\(Int.random(in: -128...127, using: &generator))"
      return Decimal(string: Bool.random(using: &generator) ? text : "-" + text)
    }
    let decimals = products + quotients + texts.filter { !$0.isNaN }
    #expect(try roundTrip(decimals) == decimals)
    #expect(try roundTrip(decimals).map(\.description) == decimals.map(\.description))
    #expect(try transcode(decimals.map { Generic($0) }, to: [Decimal].self) == decimals)
    #expect(try transcode(decimals, to: [Generic<Decimal>].self).map(\.value) == decimals)
  }

  @Test("an error names the requested type, not the container that its initializer requests")
  func mismatches() throws {
    func check<Value: Decodable>(_ type: Value.Type) throws {
      let wrong = try failure { try transcode(["key": true], to: [String: Value].self) }
      #expect(wrong.kind == .typeMismatch && wrong.path == "key" && wrong.code == .typeMismatch)
      #expect(wrong.description.contains("Expected \(type) but found a Boolean"))
      let missing = try failure { try transcode(["key": Bool?.none], to: [String: Value].self) }
      #expect(missing.kind == .valueNotFound && missing.path == "key")
      #expect(missing.description.contains("Expected \(type) but found nil"))
      let keyed = try failure { try transcode(["key": ["other": 1]], to: [String: Value].self) }
      #expect(keyed.kind == .typeMismatch && keyed.path == "key" && keyed.code == .typeMismatch)
      #expect(keyed.description.contains("Expected \(type) but found a keyed container"))
    }
    try check(Decimal.self)
    try check(URL.self)
    try check(Data.self)
    try check(Date.self)
    try check(UUID.self)
    let below = try failure { try transcode(["key": ["relative": 7]], to: [String: URL].self) }
    #expect(below.path.hasPrefix("key/"))
    #expect(below.description.contains("Expected String but found an integer"))
  }

  @Test("Set comes back, also as an array")
  func sets() throws {
    try check(Set(["a", "b", ""]))
    try check(Set(0..<1000))
    try check(Set([UUID(), UUID()]))
    try check(Set([[1], [2, 3], []]))
    #expect(try Set(transcode(Set([3, 1, 2]), to: [Int].self)) == [1, 2, 3])
    #expect(try transcode([3, 1, 2, 1, 3], to: Set<Int>.self) == [1, 2, 3])
    #expect(try transcode(["b", "a", "b"], to: Set<String>.self) == ["a", "b"])
  }

  @Test("Array and Dictionary come back by their own Codable code")
  func collections() throws {
    try check([1, 2, 3])
    try check([[1.5], [], [2.5, -0.0]])
    try check(["a", "", "c"])
    try check([["a"], []])
    try check([true, false])
    try check([Date(timeIntervalSinceReferenceDate: 1), .distantFuture])
    try check(["a": 1, "b": 2])
    try check([1: "one", -1: "minus one"])
    try check(["a": [1: ["x": [true]]]])
    try check([[1, 2]: ["x"], []: []])
    try check(ContiguousArray([1, 2, 3]))
  }

  @Test("Optional comes back by its own Codable code")
  func optionals() throws {
    try check(Int?.some(1))
    try check([Data?.none, Data()])
    #expect(try transcode(Int?.none, to: Generic<Int?>.self).value == nil)
    #expect(try transcode(Generic(Int?.none), to: Int?.self) == nil)
  }

  @Test("other Codable types come back")
  func others() throws {
    try check(0..<5)
    try check(1.5...2.5)
    try check(IndexPath(indexes: [1, 2, 3]))
    try check(IndexSet([1, 2, 3, 100]))
    try check(DateInterval(start: Date(timeIntervalSinceReferenceDate: 0), duration: 60))
    try check(DateComponents(year: 2024, month: 2, day: 29))
    try check(CGPoint(x: 1.5, y: -2))
    try check(CGRect(x: 0, y: 1, width: 2, height: 3))
    try check(Measurement(value: 5, unit: UnitLength.meters))
    try check(CharacterSet(charactersIn: "abc"))
    try check(Locale(identifier: "de_DE"))
    try check(Duration.seconds(1.5))
    var name = PersonNameComponents()
    name.givenName = "Ada"
    try check(name)
    var components = URLComponents()
    components.host = "example.org"
    try check(components)
  }

  @Test("standard types come back as fields of one value")
  func asFields() throws {
    struct Everything: Codable, Equatable {
      var data = Data([1, 2, 3])
      var date = Date(timeIntervalSinceReferenceDate: 0.5)
      var uuid = UUID()
      var url = URL(fileURLWithPath: "/tmp")
      var decimal = Decimal(string: "1.25")
      var set: Set<Int> = [1, 2]
      var bytes: [UInt8] = [1, 2]
      var dates: [Date?] = [nil, .distantPast]
      var uuids: [UUID: Date] = [UUID(): .distantFuture]
      var byURL: [URL: Decimal] = [:]
      var last = "last"
    }
    let everything = (0..<20).map { _ in Everything() }
    #expect(try roundTrip(everything) == everything)
  }
}
