import Foundation
import Keepsake
import TestSupport
import Testing

/// Small archives with different keys, shapes and classes, one after the other. One session reads them, and must keep
/// nothing of the earlier ones.
@Suite struct SessionsUsedAgain {
  private enum Payload: Codable, Equatable {
    case none
    case text(String)
    case size(width: Int, height: Int?)
  }

  private struct Message: Codable, Equatable {
    var a, b, c: Int?
    var text: String?
    var payload: Payload?
    var parts: [Part] = []
  }

  private struct Part: Codable, Equatable {
    var a: String?
    var name: String
    var c: Double?
  }

  private struct Declared: ArchivedFields, Equatable {
    var c: Int? = nil
    var name = ""
    var inner: DeclaredPart? = nil
    var a: Int? = nil
  }

  private struct DeclaredPart: ArchivedFields, Equatable {
    var text: String? = nil
    var c: [Int]? = nil
  }

  /// Keys in records and in maps.
  private struct Table: Codable, Equatable {
    var byText: [String: Int] = [:]
    var c: Part?
  }

  final class Node: Codable {
    var name: String
    var next: Node?
    weak var first: Node?

    init(_ name: String) { self.name = name }
  }

  final class Member: ArchivedFields {
    var name = "member"
    var owner: Owner?

    init() {}
  }

  /// Its initializer needs its member, so the member gets its owner last.
  final class Owner: Codable {
    let member: Member

    init(_ member: Member) { self.member = member }

    init(from decoder: any Decoder) throws {
      let reads = decoder.userInfo[.named("reads")] as? Reads
      reads?.count += 1
      member = try decoder.container(keyedBy: Key.self).decode(Member.self, forKey: .member)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(member, forKey: .member)
    }

    private enum Key: CodingKey { case member }
  }

  final class Reads: @unchecked Sendable {
    var count = 0
  }

  class Shape: Codable {
    var name: String?
  }

  final class Circle: Shape {
    var radius = 0

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      radius = try container.decode(Int.self, forKey: .radius)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(radius, forKey: .radius)
      try super.encode(to: encoder)
    }

    private enum Key: CodingKey { case radius }
  }

  private struct Drawing: Codable {
    var name: String?
    @Polymorphic var shapes: [Shape]
    @Polymorphic var marks: [any Mark]
    var cycle: Node?
    var member: Member?
    var owner: Owner?
  }

  /// An archive, and the function that reads it.
  private struct Sample {
    let data: Data
    /// Reads the archive and archives the result again.
    let read: (_ data: Data, _ isReused: Bool) throws -> Data
  }

  private static func sample<Value: Codable>(_ value: Value) throws -> Sample {
    Sample(data: try ArchiveEncoder().encode(value)) { data, isReused in
      // Without comparing checksums, so that damaged archives are read.
      let back =
        if isReused {
          try KeyedUnarchiver.unarchive(Value.self, from: data, verification: .disabled)
        } else {
          try KeyedUnarchiver(forReadingFrom: data, verification: .disabled)
            .decode(Value.self, forKey: KeyedArchiver.rootKey)
        }
      return try KeyedArchiver.archivedData(withRootObject: back, outputFormatting: .sortedKeys)
    }
  }

  private static func sample(using generator: inout SeededGenerator) throws -> Sample {
    func optional<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
    let number = Int.random(in: 0..<100, using: &generator)
    func part() -> Part { Part(a: optional("a"), name: "part \(number)", c: optional(Double(number))) }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      let payloads: [Payload] = [.none, .text("text"), .size(width: number, height: optional(2))]
      return try sample(
        Message(
          a: optional(1),
          b: optional(2),
          c: optional(number),
          text: optional("text"),
          payload: payloads.randomElement(using: &generator),
          parts: (0..<Int.random(in: 0..<3, using: &generator)).map { _ in part() }
        )
      )
    case 1: return try sample([part(), part()])
    case 2:
      return try sample(
        Declared(
          c: optional(number),
          name: "declared",
          inner: optional(DeclaredPart(text: optional("text"), c: optional([number]))),
          a: optional(3)
        )
      )
    case 3: return try sample(Table(byText: ["key \(number % 20)": 1, "c": 2], c: optional(part())))
    case 4: return try sample(number)
    default:
      let circle = Circle()
      circle.radius = number
      let node = Node("first")
      node.next = Node("second")
      node.next?.first = node
      let member = Member()
      let owner = Owner(Member())
      owner.member.owner = optional(Bool.random(using: &generator) ? owner : Owner(Member()))
      let marks: [any Mark] = [Dot(x: number), Line(from: optional(1), to: number), Pin(name: "pin")]
      return try sample(
        Drawing(
          name: optional("drawing"),
          shapes: (0..<Int.random(in: 0..<3, using: &generator)).map { $0 == 0 ? circle : Shape() },
          marks: marks.filter { _ in Bool.random(using: &generator) },
          cycle: optional(node),
          member: optional(member),
          owner: optional(owner)
        )
      )
    }
  }

  /// The result of decoding `data`, or the error.
  private static func outcome(_ sample: Sample, _ data: Data, isReused: Bool) -> String {
    do {
      return try sample.read(data, isReused).map { String($0, radix: 16) }.joined(separator: " ")
    } catch let error as DecodingError {
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        return context.debugDescription
      @unknown default: return "\(error)"
      }
    } catch {
      return "\(error)"
    }
  }

  @Test("valid and damaged archives in any order read as in a new session")
  func manyKinds() throws {
    var generator = SeededGenerator("sessions used again")
    for _ in 0..<1_500 {
      let sample = try Self.sample(using: &generator)
      #expect(
        Self.outcome(sample, sample.data, isReused: true)
          == Self.outcome(sample, sample.data, isReused: false)
      )
      var damaged = sample.data
      let index = damaged.indices.randomElement(using: &generator) ?? damaged.startIndex
      damaged[index] = UInt8.random(in: 0...255, using: &generator)
      #expect(
        Self.outcome(sample, damaged, isReused: true) == Self.outcome(sample, damaged, isReused: false),
        "\(damaged.map { String($0, radix: 16) })"
      )
    }
  }

  @Test("a cycle is closed at the first attempt, whether or not an earlier archive has one")
  func cyclesAndNone() throws {
    let (open, closed) = (Owner(Member()), Owner(Member()))
    open.member.owner = Owner(Member())
    closed.member.owner = closed
    for _ in 0..<10 {
      for (owner, count) in [(open, 2), (closed, 1)] {
        let (data, reads) = (try ArchiveEncoder().encode(owner), Reads())
        let back = try KeyedUnarchiver.unarchive(Owner.self, from: data, userInfo: [.named("reads"): reads])
        #expect((back.member.owner === back) == (owner === closed))
        #expect(reads.count == count)
        // The test breaks the cycle.
        back.member.owner = nil
      }
    }
    closed.member.owner = nil
  }

  private struct Marks: Codable {
    @Polymorphic var marks: [any Mark]
  }

  @Test("each decode uses its own class policy")
  func classPolicies() throws {
    let named = try ArchiveEncoder().encode(Marks(marks: [Dot(x: 1), Pin(name: "pin")]))
    let plain = try ArchiveEncoder().encode(Part(a: nil, name: "part", c: 2))
    var decoders = [ArchiveDecoder(), ArchiveDecoder()]
    decoders[1].classPolicy = .registeredOnly
    for _ in 0..<10 {
      for decoder in decoders {
        #expect(try decoder.decode(Part.self, from: plain).c == 2)
        if decoder.classPolicy == .byName {
          #expect(try decoder.decode(Marks.self, from: named).marks.count == 2)
        } else {
          #expect(throws: DecodingError.self) { try decoder.decode(Marks.self, from: named) }
        }
      }
    }
  }

  private struct Numbered: Codable {
    // The test replaces the digits.
    var key0000 = 1
    var last = 2
  }

  @Test("archives may have more keys and shapes than a session keeps") func manyKeys() throws {
    let data = try ArchiveEncoder().encode(Numbered())
    let digits = try #require(data.range(of: Data("0000".utf8)))
    for number in 0..<3_000 {
      var changed = data
      changed.replaceSubrange(digits, with: "\(number + 1_000)".utf8)
      let back = try KeyedUnarchiver.unarchive([String: Int].self, from: changed, verification: .disabled)
      #expect(back == ["key\(number + 1_000)": 1, "last": 2])
      if number % 100 == 0 { #expect(try ArchiveDecoder().decode(Numbered.self, from: data).key0000 == 1) }
    }
  }

  protocol Mark: Codable {}

  struct Dot: Mark {
    var x: Int
  }

  struct Line: Mark {
    var from: Int?
    var to: Int
  }

  final class Pin: Mark {
    var name: String

    init(name: String) { self.name = name }
  }
}
