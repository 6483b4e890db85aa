import Foundation
import Keepsake
import TestSupport
import Testing

/// `decodeDeferred` in hand-written initializers.
@Suite struct DeferredByHand {
  @Test("a keyed container closes a cycle")
  func keyed() throws {
    let first = HandNode("first")
    first.next = HandNode("second")
    first.next?.next = first
    let back = try roundTrip(first)
    #expect(back.name == "first" && back.next?.name == "second" && back.next?.next === back)
    #expect(back.calls == 1 && back.next?.calls == 1)
    let alone = try roundTrip(HandNode("alone"))
    #expect(alone.next == nil && alone.calls == 0)
  }

  @Test("an unkeyed container closes a cycle and advances")
  func unkeyed() throws {
    let list = HandList("list")
    list.members = [list, HandList("other")]
    list.members[1].members = [list]
    let back = try roundTrip(list)
    #expect(
      back.name == "list" && back.end == "end of list" && back.members.map(\.name) == ["list", "other"]
    )
    #expect(back.members[0] === back && back.members[1].members[0] === back)
  }

  @Test("for nil and a missing key, decodeDeferredIfPresent passes nothing, and decodeDeferred nil or throws")
  func atOnce() throws {
    let data = try writeKeyed { container in
      try container.encode(5, forKey: "number")
      try container.encodeNil(forKey: "nil")
    }
    try readKeyed(data) { container throws in
      let nothing = Received<Int>()
      try container.decodeDeferredIfPresent(Int.self, forKey: "absent", nothing.add)
      try container.decodeDeferredIfPresent(Int.self, forKey: "nil", nothing.add)
      #expect(nothing.values == [])
      let optional = Received<Int?>()
      try container.decodeDeferred(Int?.self, forKey: "nil", optional.add)
      #expect(optional.values == [nil])
      let missing = try failure { try container.decodeDeferred(Int.self, forKey: "absent") { _ in } }
      #expect(missing.kind == .keyNotFound && missing.missingKey == "absent")
      let wrong = try failure { try container.decodeDeferred(Int.self, forKey: "nil") { _ in } }
      #expect(wrong.kind == .valueNotFound && wrong.path == "nil")
    }
  }

  @Test("several requests for one key are all answered, in their order")
  func severalTimes() throws {
    let received = Received<String>()
    let data = try writeKeyed {
      try $0.encode("a", forKey: "one")
      try $0.encode("b", forKey: "two")
    }
    try readKeyed(data) { container throws in
      try container.decodeDeferred(String.self, forKey: "two", received.add)
      try container.decodeDeferred(String.self, forKey: "one", received.add)
      try container.decodeDeferred(String.self, forKey: "two", received.add)
      #expect(received.values == [])
    }
    #expect(received.values == ["b", "a", "b"])
  }

  @Test("decodeDeferred passes values at once at the top level")
  func topLevel() throws {
    let archiver = KeyedArchiver()
    let node = HandNode("ring")
    node.next = node
    try archiver.encode(5, forKey: "number")
    try archiver.encode(node, forKey: "node")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let container = try unarchiver.container(keyedBy: AnyKey.self)
    let numbers = Received<Int>()
    try container.decodeDeferred(Int.self, forKey: "number", numbers.add)
    #expect(numbers.values == [5])
    let nodes = Received<HandNode>()
    try container.decodeDeferredIfPresent(HandNode.self, forKey: "node", nodes.add)
    #expect(nodes.values.count == 1 && nodes.values.first?.next === nodes.values.first)
  }

  @Test("an object initializes itself from the top level")
  func topLevelItself() throws {
    let node = HandNode("top")
    node.next = HandNode("ring")
    node.next?.next = node.next
    let archiver = KeyedArchiver()
    try node.encode(to: archiver)
    let back = try HandNode(from: KeyedUnarchiver(forReadingFrom: archiver.encodedData))
    #expect(back.name == "top" && back.next?.name == "ring" && back.next?.next === back.next)
  }

  @Test("JSONDecoder passes the value at once")
  func json() throws {
    let first = HandNode("first")
    first.next = HandNode("second")
    let back = try JSONDecoder().decode(HandNode.self, from: JSONEncoder().encode(first))
    #expect(back.name == "first" && back.next?.name == "second" && back.calls == 1 && back.next?.calls == 0)
    let list = HandList("list")
    list.members = [HandList("other")]
    let members = try JSONDecoder().decode(HandList.self, from: JSONEncoder().encode(list))
    #expect(members.members.map(\.name) == ["other"] && members.end == "end of list")
  }

  @Test("decodeDeferred reads values from a plain encode")
  func plainEncoding() throws {
    let back = try transcode(PlainNode(next: PlainNode(next: nil)), to: HandNode.self)
    #expect(back.next?.name == "plain" && back.next?.next == nil)
  }

  @Test("the closure is not called when the initializer throws and the parent continues")
  func abandoned() throws {
    let data = try writeKeyed { container in
      try container.encode(Refusing(), forKey: "refusing")
      try container.encode("after", forKey: "text")
    }
    let text = try readKeyed(data) { container throws in
      #expect((try? container.decode(Refusing.self, forKey: "refusing")) == nil)
      #expect((try? container.decode(RefusingSubclass.self, forKey: "refusing")) == nil)
      return try container.decode(String.self, forKey: "text")
    }
    #expect(text == "after")
  }

  @Test(
    "an error in what an abandoned object or structure requested is not an error of its parent",
    arguments: [true, false]
  )
  func abandonedWithFault(isObject: Bool) throws {
    let data = try writeKeyed { container in
      try container.encode(Refusing(), forKey: "refusing")
      try container.encode("after", forKey: "text")
    }
    let text = try readKeyed(data) { container throws in
      if isObject {
        #expect((try? container.decode(WronglyRefusing.self, forKey: "refusing")) == nil)
      } else {
        #expect((try? container.decode(RefusingStructure.self, forKey: "refusing")) == nil)
      }
      return try container.decode(String.self, forKey: "text")
    }
    #expect(text == "after")
  }

  @Test("the children of an abandoned object do not request it again")
  func abandonedParent() throws {
    let parent = StubbornParent()
    parent.child = StubbornChild(parent)
    let data = try writeKeyed { container in
      try container.encode(parent, forKey: "parent")
      try container.encode("after", forKey: "text")
    }
    let text = try readKeyed(data) { container throws in
      #expect((try? container.decode(StubbornParent.self, forKey: "parent")) == nil)
      return try container.decode(String.self, forKey: "text")
    }
    #expect(text == "after")
  }
}

// MARK: - Types

private final class Received<Value>: @unchecked Sendable {
  private(set) var values: [Value] = []

  func add(_ value: Value) { values.append(value) }
}

private final class HandNode: Codable {
  let name: String
  var next: HandNode?
  private(set) var calls = 0
  private enum CodingKeys: CodingKey { case name, next }

  init(_ name: String) {
    self.name = name
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decodeIfPresent(String.self, forKey: .name) ?? "unnamed"
    try container.decodeDeferredIfPresent(HandNode.self, forKey: .next) { [unowned self] in
      next = $0
      calls += 1
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(Deferred(wrappedValue: next), forKey: .next)
  }
}

private final class PlainNode: Encodable {
  let name = "plain"
  let next: PlainNode?

  init(next: PlainNode?) {
    self.next = next
  }
}

/// Encodes itself as an array: a name, the members, the end.
private final class HandList: Codable {
  let name: String
  let end: String
  var members: [HandList] = []

  init(_ name: String) {
    self.name = name
    end = "end of \(name)"
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    name = try container.decode(String.self)
    var later = container
    _ = try later.decode(Deferred<[HandList]>.self)
    end = try later.decode(String.self)
    try container.decodeDeferred([HandList].self) { [unowned self] in members = $0 }
    guard try container.decode(String.self) == end else { throw Refusal(reason: "the place did not move") }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(name)
    try container.encode(Deferred(wrappedValue: members))
    try container.encode(end)
  }
}

private class Refusing: Codable {
  var text = "text"
  var number = 1
  private enum CodingKeys: CodingKey { case text, number }

  init() {}

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // Without self, the call would end the program.
    try container.decodeDeferred(String.self, forKey: .text) { [unowned self] in text = $0 }
    throw Refusal()
  }
}

private final class RefusingSubclass: Refusing {
  private enum CodingKeys: CodingKey { case number }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    try decoder.container(keyedBy: CodingKeys.self).decodeDeferred(Int.self, forKey: .number) {
      [unowned self] in number = $0
    }
  }
}

/// Requests values of wrong types.
private final class WronglyRefusing: Decodable {
  @Deferred var text: Int
  private enum CodingKeys: CodingKey { case text }

  init(from decoder: any Decoder) throws {
    _text = try decoder.container(keyedBy: CodingKeys.self).decode(Deferred<Int>.self, forKey: .text)
    throw Refusal()
  }
}

private struct RefusingStructure: Decodable {
  @Deferred var text: Int
  private enum CodingKeys: CodingKey { case text }

  init(from decoder: any Decoder) throws {
    _text = try decoder.container(keyedBy: CodingKeys.self).decode(Deferred<Int>.self, forKey: .text)
    throw Refusal()
  }
}

private final class StubbornParent: Codable {
  var child: StubbornChild?
  private enum CodingKeys: CodingKey { case child }

  init() {}

  init(from decoder: any Decoder) throws {
    child = try decoder.container(keyedBy: CodingKeys.self).decode(StubbornChild.self, forKey: .child)
    throw Refusal()
  }
}

private final class StubbornChild: Codable {
  @Deferred var parent: StubbornParent

  init(_ parent: StubbornParent) {
    self.parent = parent
  }
}
