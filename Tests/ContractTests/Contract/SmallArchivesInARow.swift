import Foundation
import Keepsake
import TestSupport
import Testing

/// Small archives, one after the other: coders of the same types and their containers are reused, unnoticed by callers.
@Suite struct SmallArchivesInARow {
  private struct Inner: Codable, Equatable {
    var text: String
    var numbers: [Int]
  }

  private struct Outer: Codable, Equatable {
    var name: String
    var inner: [Inner]
    var table: [String: Inner]
  }

  private static func value(_ seed: Int) -> Outer {
    let inner = (0..<(seed % 4)).map { Inner(text: "\(seed * $0)", numbers: Array(0..<(seed % 7))) }
    return Outer(name: "value \(seed)", inner: inner, table: ["a": Inner(text: "x", numbers: [seed])])
  }

  /// Each of 32 combinations of nil properties makes an archive with its own keys.
  private struct Combination: Codable, Equatable {
    var a, b, c, d, e: String?

    init(_ number: Int, _ text: String) {
      (a, b) = (number & 1 == 0 ? nil : text, number & 2 == 0 ? nil : text)
      (c, d) = (number & 4 == 0 ? nil : text, number & 8 == 0 ? nil : text)
      e = number & 16 == 0 ? nil : text
    }
  }

  @Test("more kinds of archives than kept sessions come back on several threads, among damaged ones")
  func manyKinds() {
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<160 {
        // The same text twice, so that it is in the string table.
        let value = Combination(number % 32, "text \(number) of thread \(thread)")
        guard let data = try? ArchiveEncoder().encode(value) else {
          Issue.record("\(value) cannot be encoded")
          continue
        }
        var damaged = data
        damaged[damaged.startIndex + data.count * 3 / 4] ^= 1
        #expect((try? ArchiveDecoder().decode(Combination.self, from: data)) == value)
        #expect((try? ArchiveDecoder().decode(Combination.self, from: damaged)) == nil)
        #expect((try? ArchiveDecoder().decode(Combination.self, from: data)) == value)
      }
    }
  }

  /// Coders and containers that a value keeps.
  private final class Keeper: @unchecked Sendable {
    var encoders: [KeyedEncodingContainer<Key>] = []
    var decoders: [KeyedDecodingContainer<Key>] = []
    var coders: [any Encoder] = []
    var readers: [any Decoder] = []
  }

  private enum Key: String, CodingKey { case a, b }

  private static let keeperKey = CodingUserInfoKey(rawValue: "keeper")

  private struct Keeping: Codable, Equatable {
    var a: Int
    var b: String

    init(a: Int, b: String) { (self.a, self.b) = (a, b) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      a = try container.decode(Int.self, forKey: .a)
      b = try container.decode(String.self, forKey: .b)
      guard let keeper = SmallArchivesInARow.keeperKey.flatMap({ decoder.userInfo[$0] }) as? Keeper else {
        return
      }
      if a % 2 == 0 { keeper.decoders.append(container) } else { keeper.readers.append(decoder) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(a, forKey: .a)
      try container.encode(b, forKey: .b)
      guard let keeper = SmallArchivesInARow.keeperKey.flatMap({ encoder.userInfo[$0] }) as? Keeper else {
        return
      }
      if a % 2 == 0 { keeper.encoders.append(container) } else { keeper.coders.append(encoder) }
    }
  }

  @Test("kept containers and coders belong to their own archive")
  func kept() throws {
    let keeper = Keeper()
    let key = try #require(Self.keeperKey)
    for number in 0..<40 {
      let value = Keeping(a: number, b: "text \(number)")
      let keeps = number % 3 == 0
      let data = try KeyedArchiver.archivedData(withRootObject: value, userInfo: keeps ? [key: keeper] : [:])
      #expect(
        try KeyedUnarchiver.unarchive(Keeping.self, from: data, userInfo: keeps ? [key: keeper] : [:])
          == value
      )
    }
    #expect(keeper.encoders.count == 7 && keeper.coders.count == 7)
    // Their archives are complete.
    for index in keeper.encoders.indices {
      #expect(throws: EncodingError.self) { try keeper.encoders[index].encode(7, forKey: .b) }
    }
    for encoder in keeper.coders {
      var container = encoder.container(keyedBy: Key.self)
      #expect(throws: EncodingError.self) { try container.encode(7, forKey: .b) }
    }
    for (index, container) in keeper.decoders.enumerated() {
      #expect(try container.decode(String.self, forKey: .b) == "text \(index * 6)")
    }
    for (index, decoder) in keeper.readers.enumerated() {
      #expect(try Keeping(from: decoder).a == index * 6 + 3)
    }
  }

  @Test("the user info of finished archives does not stay alive")
  func letGo() throws {
    final class Marker: @unchecked Sendable {}
    let key = try #require(CodingUserInfoKey(rawValue: "marker"))
    weak var marker: Marker?
    for number in 0..<10 {
      let own = Marker()
      marker = own
      let data = try KeyedArchiver.archivedData(withRootObject: Self.value(number), userInfo: [key: own])
      #expect(
        try KeyedUnarchiver.unarchive(Outer.self, from: data, userInfo: [key: own]) == Self.value(number)
      )
    }
    #expect(marker == nil)
  }

  @Test("values that fail leave no trace in later archives")
  func failures() throws {
    struct Failing: Codable {
      var value: Outer
      init(_ value: Outer) { self.value = value }
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        value = try container.decode(Outer.self)
        throw CocoaError(.coderReadCorrupt)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(value)
        if value.name.hasSuffix("3") { throw CocoaError(.coderInvalidValue) }
      }
    }

    for number in 0..<30 {
      let value = Self.value(number)
      if let data = try? KeyedArchiver.archivedData(withRootObject: Failing(value)) {
        #expect(throws: CocoaError.self) { try KeyedUnarchiver.unarchive(Failing.self, from: data) }
        #expect(try KeyedUnarchiver.unarchive([Outer].self, from: data) == [value])
      } else {
        #expect(number % 10 == 3)
      }
      let data = try KeyedArchiver.archivedData(withRootObject: value)
      #expect(try KeyedUnarchiver.unarchive(Outer.self, from: data) == value)
    }
  }

  private final class Node: Codable {
    var name: String
    var next: Node?

    init(_ name: String, _ next: Node?) { (self.name, self.next) = (name, next) }
  }

  /// Reads another type after an object and after another container, so errors leave both unfinished.
  private struct Wrong: Decodable {
    enum CodingKeys: CodingKey { case nodes, texts }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      _ = try container.nestedUnkeyedContainer(forKey: .nodes)
      _ = try container.decode([Node].self, forKey: .nodes)
      _ = try container.decode([String: [Int]].self, forKey: .texts)
    }
  }

  private struct Right: Codable {
    var nodes: [Node]
    var texts: [String: [String]]
  }

  @Test("an archive read as the wrong type and then as the right one comes back")
  func otherTypes() throws {
    for number in 0..<30 {
      let node = Node("a\(number)", Node("b", nil))
      let value = Right(nodes: [node, node], texts: ["key \(number)": ["x", "\(number)"]])
      let data = try ArchiveEncoder().encode(value)
      let error = #expect(throws: DecodingError.self) { try ArchiveDecoder().decode(Wrong.self, from: data) }
      guard case .typeMismatch(_, let context) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(context.codingPath.map(\.stringValue) == ["texts", "key \(number)", "Index 0"])
      #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([Int].self, from: data) }
      let back = try ArchiveDecoder().decode(Right.self, from: data)
      #expect(back.nodes.first === back.nodes.last && back.nodes.map(\.name) == [node.name, node.name])
      #expect(back.nodes.first?.next?.name == "b" && back.texts == value.texts)
    }
  }

  @Test("more tasks than kept coders work at once")
  func threads() async throws {
    let first = try (0..<50).map {
      try KeyedArchiver.archivedData(withRootObject: Self.value($0), outputFormatting: .sortedKeys)
    }
    let failures = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<32 {
        group.addTask {
          (0..<50).filter { number in
            let data = try? KeyedArchiver.archivedData(
              withRootObject: Self.value(number),
              outputFormatting: .sortedKeys
            )
            let back = data.flatMap { try? KeyedUnarchiver.unarchive(Outer.self, from: $0) }
            return data != first[number] || back != Self.value(number)
          }.count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(failures == 0)
  }
}
