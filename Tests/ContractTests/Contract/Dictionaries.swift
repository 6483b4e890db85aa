import Foundation
import Keepsake
import TestSupport
import Testing

/// Dictionaries with every kind of key, and other types that read them.
@Suite struct Dictionaries {
  private enum Color: String, Codable, CodingKeyRepresentable, CaseIterable { case red, green, blue }
  private enum Level: Int, Codable, CodingKeyRepresentable, CaseIterable {
    case low = -5, high = 5, top = 1000
  }
  private enum Plain: String, Codable, CaseIterable { case one, two }
  private struct Point: Codable, Hashable { var x: Int, y: Int }
  private struct Name: Codable, Hashable, CodingKeyRepresentable {
    var text: String
    var codingKey: any CodingKey { AnyKey("name:\(text)") }
    init(_ text: String) { self.text = text }
    init?(codingKey: some CodingKey) {
      guard codingKey.stringValue.hasPrefix("name:") else { return nil }
      text = String(codingKey.stringValue.dropFirst(5))
    }
  }

  /// Keys that differ but may have the same coding key.
  private struct Blurred: Codable, Hashable, CodingKeyRepresentable {
    var number: Int
    var name: any CodingKey { AnyKey("\(number / 10)") }
    var codingKey: any CodingKey { number < 0 ? AnyKey(intValue: number / -10) : name }
    init(_ number: Int) { self.number = number }
    init?(codingKey: some CodingKey) { self.init((Int(codingKey.stringValue) ?? 0) * 10) }
  }

  @Test(
    "two keys with one coding key are refused, as only one of their values could be read",
    arguments: [false, true]
  )
  func keysThatMeet(isSorted: Bool) throws {
    var encoder = ArchiveEncoder()
    if isSorted { encoder.outputFormatting = .sortedKeys }
    for keys in [[10, 11], [10, -10], [-25, -20], [10, 20, 30, 21]] {
      let numbers = Dictionary(uniqueKeysWithValues: keys.map { (Blurred($0), $0) })
      let found = try failure { try encoder.encode(["outer": numbers]) }
      #expect(found.kind == .invalidValue && found.code == .misuse && found.path == "outer")
    }
    let numbers = Dictionary(uniqueKeysWithValues: [10, 20, 30].map { (Blurred($0), $0) })
    #expect(try roundTrip(numbers) == numbers)
  }

  @Test("keys of every kind come back")
  func everyKey() throws {
    func check<Key: Codable & Hashable>(_ keys: some Sequence<Key>) throws {
      let numbers = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
      #expect(try roundTrip(numbers) == numbers)
      let texts = numbers.mapValues { "value \($0)" }
      #expect(try roundTrip(texts) == texts)
      let lists = numbers.mapValues { [$0, $0] }
      #expect(try roundTrip(["outer": [lists, [:]]]) == ["outer": [lists, [:]]])
    }
    try check(["", "a", "b c", "ä", "日本", "🐈‍⬛", "nul\0nul", "\n", "super", "1", "-1"])
    try check([Int.min, -1, 0, 1, Int.max])
    try check([Int8.min, 0, .max])
    try check([UInt8.min, 1, .max])
    try check([UInt64.min, 1, .max])
    try check([Int32.min, 0, .max])
    try check(Color.allCases)
    try check(Level.allCases)
    try check(Plain.allCases)
    try check([Point(x: 1, y: 2), Point(x: 2, y: 1)])
    try check([Name("a"), Name(""), Name("ü")])
    try check([1.5, -0.5, .infinity])
    try check([true, false])
    try check([UUID(), UUID()])
    try check([Date(timeIntervalSinceReferenceDate: 0), .distantPast])
    try check([[1, 2], []])
    try check([Point?.none, Point(x: 0, y: 0)])
  }

  @Test("a string-keyed dictionary reads as a keyed container, and the other way round")
  func asContainer() throws {
    struct Person: Codable, Equatable { var name: String, city: String }
    let byName = ["name": "Ada", "city": "London"]
    let person = Person(name: "Ada", city: "London")
    #expect(try transcode(byName, to: Person.self) == person)
    #expect(try transcode(person, to: [String: String].self) == byName)
    try readKeyed(ArchiveEncoder().encode(["a": 1, "b": 2])) { container throws in
      #expect(Set(container.allKeys.map(\.stringValue)) == ["a", "b"])
      #expect(try container.decode(Int.self, forKey: "b") == 2)
      #expect(try container.decode(Int.self, forKey: "a") == 1)
      #expect(!container.contains("c"))
    }
  }

  private final class Token: Codable, EqualByIdentity { init() {} }

  @Test("an array of objects reads as a dictionary if its count is even")
  func oddPairs() throws {
    let tokens = (0..<3).map { _ in Token() }
    #expect(try transcode(Array(tokens.prefix(2)), to: [Token: Token].self).count == 1)
    #expect(try failure { try transcode(tokens, to: [Token: Token].self) }.kind == .dataCorrupted)
  }

  /// A key whose text is not the decimal form of its number.
  private struct Ordinal: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ text: String, _ number: Int) { (stringValue, intValue) = (text, number) }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
  }

  @Test("a key whose text differs from its number is archived by its text")
  func ordinals() throws {
    let data = try write { encoder in
      var container = encoder.container(keyedBy: Ordinal.self)
      try container.encode("a", forKey: Ordinal("first", 1))
      try container.encode("b", forKey: Ordinal("02", 2))
    }
    #expect(try ArchiveDecoder().decode([String: String].self, from: data) == ["first": "a", "02": "b"])
    try readKeyed(data) { container throws in
      #expect(try container.decode(String.self, forKey: "first") == "a")
      #expect(try container.decode(String.self, forKey: "02") == "b")
    }
  }

  private struct Code: RawRepresentable, Codable, Hashable, CodingKeyRepresentable {
    let rawValue: String
  }

  /// A type that can be made only from the number of its coding key.
  private struct Place: Codable, Hashable, CodingKeyRepresentable {
    let number: Int
    var codingKey: any CodingKey { Ordinal("place \(number)", number) }
    init(_ number: Int) { self.number = number }
    init?(codingKey: some CodingKey) {
      guard let number = codingKey.intValue else { return nil }
      self.number = number
    }
  }

  @Test("a dictionary key is archived by its text if that differs from its number and restores the key")
  func ordinalsAsKeys() throws {
    let texts = ["007", "7", "+7", "-0", "0", "00", "-1", "x"]
    let codes = Dictionary(uniqueKeysWithValues: texts.map { (Code(rawValue: $0), $0) })
    #expect(try roundTrip(codes) == codes)
    #expect(try Set(transcode(codes, to: [String: String].self).keys) == Set(texts))
    #expect(try roundTrip([Place(3): "c", Place(-1): "?"]) == [Place(3): "c", Place(-1): "?"])
  }

  @Test("integer keys are keys with an intValue, and read as strings, too")
  func integerKeys() throws {
    let data = try ArchiveEncoder().encode([1: "one", -2: "two"])
    try readKeyed(data) { container throws in
      let keys = container.allKeys.sorted { ($0.intValue ?? 0) < ($1.intValue ?? 0) }
      #expect(keys.map(\.intValue) == [-2, 1])
      #expect(keys.map(\.stringValue) == ["-2", "1"])
      #expect(try container.decode(String.self, forKey: AnyKey(intValue: 1)) == "one")
    }
    #expect(try ArchiveDecoder().decode([String: String].self, from: data) == ["1": "one", "-2": "two"])
    #expect(try transcode(["1": "one", "-2": "two"], to: [Int: String].self) == [1: "one", -2: "two"])
    #expect(throws: DecodingError.self) { try transcode(["x": "one"], to: [Int: String].self) }
  }

  @Test("keys that are not CodingKeyRepresentable are archived as pairs in an unkeyed container")
  func asPairs() throws {
    let data = try ArchiveEncoder().encode([Point(x: 1, y: 2): "a"])
    try readUnkeyed(data) { list throws in
      #expect(list.count == 2)
      #expect(try list.decode([String: Int].self) == ["x": 1, "y": 2])
      #expect(try list.decode(String.self) == "a")
    }
    let pairs = try writeUnkeyed { list in
      try list.encode(Plain.one)
      try list.encode(1)
      try list.encode(Plain.two)
      try list.encode(2)
    }
    #expect(try ArchiveDecoder().decode([Plain: Int].self, from: pairs) == [.one: 1, .two: 2])
    let odd = try ArchiveEncoder().encode(["one", "two", "one"])
    #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([Plain: Plain].self, from: odd) }
  }

  @Test("an unknown key of an enumeration is an error")
  func unknownKey() throws {
    #expect(throws: DecodingError.self) { try transcode(["red": 1, "pink": 2], to: [Color: Int].self) }
    #expect(throws: DecodingError.self) { try transcode([5: 1, 6: 2], to: [Level: Int].self) }
    let pink = ["a": ["pink": 2]]
    let found = try failure { try transcode(pink, to: [String: [Color: Int]].self) }
    let inJSON = try failure {
      try JSONDecoder().decode([String: [Color: Int]].self, from: JSONEncoder().encode(pink))
    }
    #expect(found.kind == inJSON.kind && found.path == inJSON.path && found.path == "a/pink")
    #expect(found.description.contains(#"Color has no value for the key "pink""#))
  }

  @Test("strings become keys of integers, as from JSON")
  func integersFromStrings() throws {
    let levels = try transcode(["5": "five", "1000": "top"], to: [Level: String].self)
    #expect(levels == [.high: "five", .top: "top"])
    #expect(throws: DecodingError.self) { try transcode(["6": 1], to: [Level: Int].self) }
    #expect(throws: DecodingError.self) { try transcode(["high": 1], to: [Level: Int].self) }
  }

  @Test("keys that differ only by Unicode normalization stay two keys")
  func normalisation() throws {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    let data = try writeKeyed { container in
      try container.encode(1, forKey: AnyKey(composed))
      try container.encode(2, forKey: AnyKey(decomposed))
    }
    try readKeyed(data) { container throws in
      let spellings = container.allKeys.map { Array($0.stringValue.utf8) }
      #expect(spellings == [Array(composed.utf8), Array(decomposed.utf8)])
      #expect(try container.decode(Int.self, forKey: AnyKey(decomposed)) == 2)
      #expect(try container.decode(Int.self, forKey: AnyKey(composed)) == 1)
    }
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data).count == 1)
  }

  @Test(
    "a dictionary's key keeps its spelling",
    arguments: ["caf\u{E9}", "cafe\u{301}", "\u{212B}", "\u{1100}\u{1161}"]
  )
  func spelling(key: String) throws {
    let back = try #require(roundTrip([key: 1]).keys.first)
    #expect(Array(back.utf8) == Array(key.utf8))
  }

  @Test("a dictionary with 100,000 keys comes back")
  func huge() throws {
    let numbers = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("key number \($0)", $0) })
    let data = try ArchiveEncoder().encode(numbers)
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == numbers)
    let some = try readKeyed(data) { container throws in
      try stride(from: 99_999, through: 0, by: -997).map { number in
        try container.decode(Int.self, forKey: AnyKey("key number \(number)")) == number
      }
    }
    #expect(!some.contains(false))
    let integers = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ($0 * 7919, "\($0)") })
    #expect(try roundTrip(integers) == integers)
  }

  @Test("5,000 dictionaries with keys of their own come back")
  func many() throws {
    let list = (0..<5000).map { number in ["only \(number)": number, "all": number] }
    #expect(try roundTrip(list) == list)
  }

  @Test("values of every kind come back")
  func values() throws {
    struct Mixed: Codable, Equatable {
      var nils: [String: Int?] = ["a": nil, "b": 1]
      var data: [String: Data] = ["a": Data([1, 2])]
      var dates: [Int: Date] = [1: Date(timeIntervalSinceReferenceDate: 1.5)]
      var nested: [String: [Int: [Color: [String]]]] = ["a": [1: [.red: ["x"], .blue: []]]]
      var doubles: [String: [Double]] = ["pi": [3.14]]
    }
    #expect(try roundTrip(Mixed()) == Mixed())
  }

  @Test("sorted keys make the archive independent of the order of insertion")
  func sortedKeys() throws {
    var encoder = ArchiveEncoder()
    encoder.outputFormatting = .sortedKeys
    var generator = SeededGenerator("sorted keys")
    let entries = (0..<300).map { ("key \($0)", $0) }
    let expected = try encoder.encode(Dictionary(uniqueKeysWithValues: entries))
    for _ in 0..<5 {
      var dictionary: [String: Int] = [:]
      for (key, value) in entries.shuffled(using: &generator) { dictionary[key] = value }
      #expect(try encoder.encode(dictionary) == expected)
      #expect(try encoder.encode(Set(dictionary.keys)) == encoder.encode(Set(entries.map(\.0).reversed())))
      let byNumber = Dictionary(uniqueKeysWithValues: dictionary.map { ($1, $0) })
      let again = Dictionary(uniqueKeysWithValues: entries.map { ($1, $0) })
      #expect(try encoder.encode(byNumber) == encoder.encode(again))
    }
  }

  private struct Asking: Codable, Hashable, CodingKeyRepresentable {
    let name: String
    var ask: () -> Void = {}
    private enum CodingKeys: CodingKey { case name }

    var codingKey: any CodingKey {
      ask()
      return AnyKey(name)
    }
    init(_ name: String, _ ask: @escaping () -> Void = {}) { (self.name, self.ask) = (name, ask) }
    init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
    static func == (left: Asking, right: Asking) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  @Test("a codingKey in a container nested at the top level cannot use the archiver")
  func askedForKeys() throws {
    let archiver = KeyedArchiver()
    var codes: [ArchiveError.Code?] = []
    let ask = { codes.append(try? failure { try archiver.encode("text", forKey: "other") }.code) }
    let dictionary = [Asking("a", ask): 1, Asking("b", ask): 2]
    var container = archiver.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    try nested.encode(dictionary, forKey: "dictionary")
    try container.encode("end", forKey: "end")
    #expect(codes == Array(repeating: .misuse, count: 4))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["nested", "end"])
    let back = try unarchiver.decode([String: [Asking: Int]].self, forKey: "nested")
    #expect(back == ["dictionary": [Asking("a"): 1, Asking("b"): 2]])
  }
}
