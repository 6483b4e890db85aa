import Foundation
import Keepsake
import TestSupport
import Testing

/// ArchiveEncoder and ArchiveDecoder replace JSONEncoder and JSONDecoder.
@Suite struct DropIn {
  private struct Model: Codable, Equatable {
    var id = 7
    var name = "name"
    var score = 1.25
    var tags = ["a", "b"]
    var parent: Int?
    var address = Address()
    var history: [Address] = [Address(), Address(street: "other", number: nil)]
    var attributes = ["x": [1, 2], "y": []]
    var state = State.running(since: Date(timeIntervalSinceReferenceDate: 12))
    var blob = Data([1, 2, 3])
    var link = URL(fileURLWithPath: "/tmp/x")
  }
  private struct Address: Codable, Equatable {
    var street = "street"
    var number: Int? = 5
  }
  private enum State: Codable, Equatable {
    case idle
    case running(since: Date)
  }

  /// Generic code for every pair of coders.
  private func store<T: Codable>(_ value: T, _ encoder: any AnyEncoder, _ decoder: any AnyDecoder)
    throws -> T
  {
    try decoder.decode(T.self, from: encoder.encode(value))
  }

  private static let pairs: [@Sendable () -> (any AnyEncoder, any AnyDecoder)] = [
    { (JSONEncoder(), JSONDecoder()) },
    { (PropertyListEncoder(), PropertyListDecoder()) },
    { (ArchiveEncoder(), ArchiveDecoder()) },
  ]

  @Test("every pair of coders saves and restores the same models", arguments: 0..<3)
  func sameModels(index: Int) throws {
    let (encoder, decoder) = Self.pairs[index]()
    #expect(try store(Model(), encoder, decoder) == Model())
    let models = (0..<50).map { Model(id: $0, name: "n\($0)", parent: $0 % 2 == 0 ? nil : $0, state: .idle) }
    #expect(try store(models, encoder, decoder) == models)
    #expect(try store(["k": models], encoder, decoder) == ["k": models])
  }

  /// The errors of one decode, by the coders of JSON and of archives.
  private func kinds<T: Decodable>(_ value: some Codable, as type: T.Type) throws -> [String] {
    try [Self.pairs[0](), Self.pairs[2]()].map { encoder, decoder in
      let data = try encoder.encode(value)
      let found = try failure { try decoder.decode(type, from: data) }
      return "\(found.kind) at '\(found.path)' \(found.missingKey ?? "")"
    }
  }

  @Test("errors have the kinds and coding paths of JSONDecoder's")
  func sameErrors() throws {
    struct Wrong: Codable { var history: [[String: String]], id = 1 }
    struct Texts: Codable { var list: [String] }
    struct Other: Codable { var other: Int }
    struct Deep: Codable { var a: [String: [[String: Int?]]] }
    struct DeepStrict: Codable { var a: [String: [[String: Int]]] }
    let all = [
      try kinds(Wrong(history: []), as: Model.self),
      try kinds(["list": [1, 2]], as: Texts.self),
      try kinds(["x": 1], as: Other.self),
      try kinds(["other": Int?.none], as: Other.self),
      try kinds(["other": "text"], as: Other.self),
      try kinds([1], as: Other.self),
      try kinds(["x": 1], as: [Int].self),
      try kinds(Deep(a: ["k": [[:], ["v": nil]]]), as: DeepStrict.self),
      try kinds(["k": ["v": [true]]], as: [String: [String: [Int]]].self),
      try kinds([["star": ["n": 1]]], as: [State].self),
      try kinds(["nowhere"], as: [UUID].self),
    ]
    for kinds in all { #expect(kinds[0] == kinds[1]) }
  }

  @Test("a value's own error passes through unchanged, in both directions")
  func ownErrors() throws {
    let refusing = Writing { _ in throw Refusal(reason: "writing") }
    #expect(throws: Refusal(reason: "writing")) { try ArchiveEncoder().encode(["a": [refusing]]) }
    let data = try ArchiveEncoder().encode(["a": [1]])
    #expect(throws: Refusal(reason: "reading")) {
      try readKeyed(data) { container throws in
        _ = try container.decode([Int].self, forKey: "a")
        throw Refusal(reason: "reading")
      }
    }
  }

  @Test("ArchiveEncoder is a value: changing a copy leaves the original unchanged")
  func values() throws {
    let encoder = ArchiveEncoder()
    var copy = encoder
    copy.outputFormatting = .sortedKeys
    copy.userInfo[.named("a")] = 1
    #expect(encoder.outputFormatting == [] && encoder.userInfo.isEmpty)
    #expect(copy.outputFormatting.contains(.sortedKeys))
  }

  private static let garbage: [Data] = [
    Data(), Data([0]), Data(count: 7), Data(count: 64), Data(count: 10_000), Data("{\"a\": 1}".utf8),
    Data("bplist00".utf8), Data(repeating: 0xFF, count: 500), Data("\u{89}KEEP\r\n\u{1A}".utf8),
    Data([0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A]),
    Data([0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A, 1, 0]),
  ]

  @Test("invalid input throws dataCorrupted with an underlying ArchiveError", arguments: garbage)
  func rejected(data: Data) throws {
    for attempt in [
      { _ = try ArchiveDecoder().decode(Int.self, from: data) },
      { _ = try KeyedUnarchiver.unarchive([String: Int].self, from: data) },
      { _ = try KeyedUnarchiver(forReadingFrom: data) },
    ] as [() throws -> Void] {
      let found = try failure(of: attempt)
      #expect(found.kind == .dataCorrupted && found.path == "")
      #expect(found.code == .notAnArchive || found.code == .damaged || found.code == .unsupportedVersion)
    }
  }

  @Test("changing, cutting off or adding a byte throws dataCorrupted with an underlying ArchiveError")
  func damaged() throws {
    let data = try ArchiveEncoder().encode(["key": ["some text", "more text"]])
    let bytes = [UInt8](data)
    func check(_ changed: [UInt8]) throws {
      let found = try failure { try ArchiveDecoder().decode([String: [String]].self, from: Data(changed)) }
      #expect(found.kind == .dataCorrupted && found.code != nil)
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      try check(changed)
      try check(Array(bytes.prefix(index)))
    }
    try check(bytes + [0])
    try check([0] + bytes)
    #expect(try ArchiveDecoder().decode([String: [String]].self, from: data)["key"]?.count == 2)
  }

  @Test("random bytes throw dataCorrupted with an underlying ArchiveError")
  func randomBytes() throws {
    var generator = SeededGenerator("random bytes")
    for count in [1, 16, 64, 100, 1000, 5000] {
      for _ in 0..<20 {
        let data = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let found = try failure { try ArchiveDecoder().decode([Int].self, from: data) }
        #expect(found.kind == .dataCorrupted && found.code != nil)
      }
    }
  }

  @Test("an archive is read from a slice of Data whose indices do not start at zero")
  func slices() throws {
    let data = try ArchiveEncoder().encode(["a": [1.5, 2.5]])
    let slice = (Data(count: 13) + data + Data(count: 5)).dropFirst(13).dropLast(5)
    #expect(try ArchiveDecoder().decode([String: [Double]].self, from: slice) == ["a": [1.5, 2.5]])
  }
}

/// The common interface of the coders, as code that takes any of them declares it.
private protocol AnyEncoder {
  func encode<T: Encodable>(_ value: T) throws -> Data
}

private protocol AnyDecoder {
  func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T
}

extension JSONEncoder: AnyEncoder {}
extension JSONDecoder: AnyDecoder {}
extension PropertyListEncoder: AnyEncoder {}
extension PropertyListDecoder: AnyDecoder {}
extension ArchiveEncoder: AnyEncoder {}
extension ArchiveDecoder: AnyDecoder {}
