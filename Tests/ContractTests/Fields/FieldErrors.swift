import Foundation
import Keepsake
import TestSupport
import Testing

/// Errors in values with declared fields: their paths, and what remains usable.
@Suite struct FieldErrors {
  private struct Wrong: Codable {
    var name = "n"
    var number = "no number"
  }

  @Test("a value of another type has the path of its field")
  func mismatches() throws {
    let inArray = try failure { try transcode([Wrong(), Wrong()], to: [Street].self) }
    #expect(inArray.kind == .typeMismatch && inArray.path == "[0]/number", "\(inArray)")
    let data = try write { encoder in
      var list = encoder.unkeyedContainer()
      for index in 0..<10 { if index == 7 { try list.encode(Wrong()) } else { try list.encode(Street()) } }
    }
    #expect(try failure { try ArchiveDecoder().decode([Street].self, from: data) }.path == "[7]/number")
    #expect(try failure { try transcode(Wrong(), to: Street.self) }.path == "number")
    #expect(
      try failure { try transcode(["a": ["b": Wrong()]], to: [String: [String: Street]].self) }.path
        == "a/b/number"
    )
    // The same through the type's own init(from:).
    #expect(try failure { try transcode([["name": 1]], to: [Street].self) }.path == "[0]/name")
  }

  private struct Changed: Codable {
    var name: Int?
    var strings: [Mixed]?
    var street: Wrong?
    var maybeStreet: Wrong?
    var maybeInt: String?
    var streets: [Wrong]?
    var byName: [String: Wrong]?
    var int8: Int?
    var int: Int??
    var url: [Int]?
    var choice: String?
  }
  private struct MaybeNumber: ArchivedFields {
    var int: Int? = 1
  }
  private enum Mixed: Codable {
    case text, number

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if self == .text { try container.encode("text") } else { try container.encode(1) }
    }
    init(from decoder: any Decoder) throws { self = .text }
  }

  @Test("a mismatch in a field of every kind has its kind and path")
  func kinds() throws {
    let cases: [(Changed, Failure.Kind, String)] = [
      (Changed(strings: [.text, .text, .number]), .typeMismatch, "[0]/strings/[2]"),
      (Changed(street: Wrong()), .typeMismatch, "[0]/street/number"),
      (Changed(maybeStreet: Wrong()), .typeMismatch, "[0]/maybeStreet/number"),
      (Changed(maybeInt: "1"), .typeMismatch, "[0]/maybeInt"),
      (Changed(streets: [Wrong()]), .typeMismatch, "[0]/streets/[0]/number"),
      (Changed(byName: ["k": Wrong()]), .typeMismatch, "[0]/byName/k/number"),
      (Changed(int8: 1_000), .dataCorrupted, "[0]/int8"),
      (Changed(url: [1]), .typeMismatch, "[0]/url"),
      (Changed(choice: "two"), .dataCorrupted, "[0]/choice"),
    ]
    for (value, kind, path) in cases {
      let error = try failure { try transcode([value], to: [Everything].self) }
      #expect(error.kind == kind && error.path == path, "\(path): \(error)")
    }
    let noNumber = try failure { try transcode([MaybeNumber(int: nil)], to: [Everything].self) }
    #expect(noNumber.kind == .valueNotFound && noNumber.path == "[0]/int", "\(noNumber)")
  }

  private struct Lenient: ArchivedFields {
    var number = 1
    var text: String?
  }
  private final class LenientModel: ArchivedModel {
    var number = 1
  }
  private final class Boxed<Value: Codable>: Codable {
    let value: Value
    init(_ value: Value) { self.value = value }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  @Test("a decimal or a URL does not read as a record without its keys")
  func withoutKeys() throws {
    let base = URL(string: "https://example.org/a/")
    try checkWithoutKeys(Decimal(1))
    try checkWithoutKeys(Decimal(-1.5))
    try checkWithoutKeys(try #require(base))
    try checkWithoutKeys(try #require(URL(string: "b", relativeTo: base)))
  }

  private func checkWithoutKeys<Value: Codable & Sendable>(_ value: Value) throws {
    func check(_ path: String, _ read: () throws -> Any) throws {
      let error = try failure { try read() }
      #expect(error.kind == .typeMismatch && error.code == .typeMismatch && error.path == path, "\(error)")
    }
    try check("") { try transcode(value, to: Lenient.self) }
    try check("[0]") { try transcode([value], to: [Lenient].self) }
    try check("[0]") { try transcode([value], to: [Lenient?].self) }
    try check("a/b") { try transcode(["a": ["b": value]], to: [String: [String: Lenient]].self) }
    try check("") { try transcode(value, to: LenientModel.self) }
    try check("a/[0]") { try transcode(["a": [value]], to: [String: [LenientModel]].self) }
    try check("[0]") { try transcode([Boxed(value)], to: [Lenient].self) }
    try check("[0]") { try transcode([Boxed(value)], to: [LenientModel].self) }
    try check("[0]") { try transcode([Polymorphic<any Sendable>(wrappedValue: value)], to: [Lenient].self) }
  }

  @Test("an error while encoding a field has its path, and the archiver stays usable")
  func throwing() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Street(name: "first", number: 1), forKey: "first")
    let bad = [Holding(), Holding(refusing: RefusingValue(true))]
    #expect(throws: Refusal(reason: "bad/[1]/refusing")) { try archiver.encode(bad, forKey: "bad") }
    try archiver.encode([Holding()], forKey: "good")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode(Street.self, forKey: "first").number == 1)
    #expect(try unarchiver.decode([Holding].self, forKey: "good") == [Holding()])
    #expect(!unarchiver.containsValue(forKey: "bad"))
  }

  @Test("a container stays usable after a value in it failed")
  func goingOn() throws {
    let data = try write { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(Twig(name: "kept", branches: []), forKey: "kept")
      #expect(throws: Refusal.self) {
        try container.encode(Holding(refusing: RefusingValue(true)), forKey: "bad")
      }
      var list = container.nestedUnkeyedContainer(forKey: "list")
      #expect(throws: Refusal.self) { try list.encode([Holding(refusing: RefusingValue(true))]) }
      try list.encode(Holding(after: 2))
      try container.encode(Holding(after: 3), forKey: "last")
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.map(\.stringValue) == ["kept", "list", "last"])
      #expect(try container.decode([Holding].self, forKey: "list") == [Holding(after: 2)])
      #expect(try container.decode(Holding.self, forKey: "last") == Holding(after: 3))
      #expect(try container.decode(Twig.self, forKey: "kept").name == "kept")
    }
  }

  @Test("an error while decoding a field has its path, and the decoder stays usable")
  func throwingWhileRead() throws {
    let data = try ArchiveEncoder().encode(["bad": ["before": "x"], "good": ["before": "y"]])
    let refusing = try write { encoder in
      var list = encoder.unkeyedContainer()
      var first = list.nestedContainer(keyedBy: AnyKey.self)
      try first.encode("b", forKey: "before")
      try first.encode(true, forKey: "refusing")
      try list.encode(Holding(after: 5))
    }
    #expect(try ArchiveDecoder().decode([String: Holding].self, from: data)["good"]?.before == "y")
    try readUnkeyed(refusing) { list throws in
      #expect(throws: Refusal(reason: "[0]/refusing")) { try list.decode(Holding.self) }
      struct Anything: Decodable {}
      _ = try list.decode(Anything.self)
      #expect(try list.decode(Holding.self) == Holding(after: 5))
    }
  }

  @Test("values 4,000 levels deep are coded, and refused beyond the depth limit")
  func depth() throws {
    var branch = Twig(name: "leaf")
    for _ in 0..<4_000 { branch = Twig(name: "", branches: [branch]) }
    let data = try ArchiveEncoder().encode(branch)
    let read = try ArchiveDecoder().decode(Twig.self, from: data)
    #expect(try ArchiveEncoder().encode(read) == data)
    var decoder = ArchiveDecoder()
    decoder.limits.maximumValueDepth = 100
    let tooDeep = try failure { try decoder.decode(Twig.self, from: data) }
    #expect(tooDeep.code == .limitExceeded, "\(tooDeep)")
  }

  private struct PlainTwig: Codable {
    var name = ""
    var branches: [PlainTwig] = []
  }

  @Test("depth limits are those of the same type with synthesized code")
  func depthLimits() throws {
    let limit = ArchiveLimits().maximumValueDepth
    var twig = Twig(name: "leaf")
    var plain = PlainTwig(name: "leaf")
    let margin = sized(8, inDebug: 2)
    for _ in 0..<(limit / 2 - margin) {
      twig = Twig(name: "", branches: [twig])
      plain = PlainTwig(name: "", branches: [plain])
    }
    var isWritten: [Bool] = []
    for _ in 0..<(margin * 3 / 2) {
      twig = Twig(name: "", branches: [twig])
      plain = PlainTwig(name: "", branches: [plain])
      let data = try? ArchiveEncoder().encode(twig)
      #expect((try? ArchiveEncoder().encode(plain)) == data)
      isWritten.append(data != nil)
      guard let data else { continue }
      let isRead = (try? ArchiveDecoder().decode(PlainTwig.self, from: data)) != nil
      #expect(((try? ArchiveDecoder().decode(Twig.self, from: data)) != nil) == isRead)
    }
    #expect(isWritten.contains(true) && isWritten.contains(false))
  }

  @Test("damaged archives give errors or values")
  func damaged() throws {
    var generator = SeededGenerator("damaged records of declared fields")
    let samples = [
      try ArchiveEncoder().encode([Everything.full, Everything()]),
      try ArchiveEncoder().encode([Twig(name: "a", branches: [Twig(name: "b")]), Twig(name: "c")]),
    ]
    var decoder = ArchiveDecoder()
    decoder.verification = .disabled
    var valueCount = 0
    for data in samples {
      for index in data.indices {
        for _ in 0..<4 {
          var bytes = data
          bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
          if Bool.random(using: &generator), let other = data.indices.randomElement(using: &generator) {
            bytes[other] = UInt8.random(in: 0...255, using: &generator)
          }
          do {
            _ = try decoder.decode([Everything].self, from: bytes)
            valueCount += 1
          } catch { #expect(Failure(error) != nil || error is ArchiveError, "\(error)") }
          _ = try? decoder.decode([Twig].self, from: bytes)
        }
      }
      for count in 0..<data.count { _ = try? decoder.decode([Everything].self, from: data.prefix(count)) }
    }
    #expect(valueCount > 0)
  }
}
