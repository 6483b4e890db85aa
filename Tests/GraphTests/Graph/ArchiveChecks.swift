import Foundation
import Keepsake
import TestSupport
import Testing

/// What `KeyedArchiver.check(_:)` finds.
@Suite struct ArchiveChecks {
  private func expectPassed(_ value: some Codable, sourceLocation: SourceLocation = #_sourceLocation) {
    let check = KeyedArchiver.check(value)
    #expect(check.isPassed, "\(check)", sourceLocation: sourceLocation)
    #expect(check.description == "Everything comes back.", sourceLocation: sourceLocation)
  }

  final class Person: Codable {
    var name: String
    var friends: [Person] = []
    weak var boss: Person?
    var tags: Set<String> = ["a", "b", "c"]
    var ages = ["x": 1.5, "y": .nan]
    private(set) lazy var shown = name + "!"

    init(_ name: String) { self.name = name }

    private enum CodingKeys: CodingKey { case name, friends, boss, tags, ages }
  }

  @Test("what comes back passes: sharing, cycles, sets, numbers that are none, deep graphs")
  func sound() {
    let (ada, ben) = (Person("Ada"), Person("Ben"))
    ada.friends = [ben, ben, ada]
    ben.boss = ada
    _ = ada.shown
    expectPassed(ada)
    ada.friends = []
    expectPassed([Date(), .distantPast])
    expectPassed(["a": [1, 2, nil], "b": nil])
    expectPassed(Data([1, 2]))
    let chain = Chain(length: 20_000)
    expectPassed(chain)
    chain.cut()
  }

  final class Chain: Codable {
    var next: Chain?

    init(length: Int) {
      var last = self
      for _ in 1..<length {
        let link = Chain()
        last.next = link
        last = link
      }
    }

    private init() {}

    /// Without the recursion of an end in one piece.
    func cut() {
      var link: Chain? = self
      while let current = link {
        link = current.next
        current.next = nil
      }
    }
  }

  struct Forgetful: Codable, Equatable {
    var kept = 1
    var cache = 2
    var inner = [Inner()]

    struct Inner: Codable, Equatable { var note = "x" }
    private enum CodingKeys: CodingKey { case kept, inner }
  }

  @Test("what nobody encodes is lost, and is named")
  func lost() {
    var value = Forgetful()
    expectPassed(value)
    value.cache = 7
    let check = KeyedArchiver.check(["a": value])
    #expect(!check.isPassed && check.failure == nil)
    #expect(check.losses == ["a.cache: 7 comes back as 2"])
    #expect(check.description.contains("Lost: a.cache"))
  }

  final class Employee: Codable {
    @WeakReference var boss: Employee?
    init() {}
  }

  final class Twice: Codable {
    var one: Employee
    var two: Employee

    init(_ employee: Employee) { (one, two) = (employee, employee) }

    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: CodingKeys.self)
      (one, two) = (Employee(), Employee())
    }

    private enum CodingKeys: CodingKey { case one, two }
  }

  @Test("references that lead elsewhere, or nowhere")
  func references() throws {
    let (boss, employee) = (Employee(), Employee())
    employee.boss = boss
    let alone = KeyedArchiver.check([employee])
    #expect(alone.losses.count == 1 && alone.losses[0].contains("boss"), "\(alone)")
    expectPassed([employee, boss])
    let twice = KeyedArchiver.check(Twice(employee))
    #expect(twice.losses.contains { $0.hasPrefix("two") && $0.contains("a different one") }, "\(twice)")
  }

  final class Shelf: Codable {
    unowned let room: Room
    unowned var next: Shelf?
    init(_ room: Room) { self.room = room }
  }

  final class Room: Codable {
    var shelves: [Shelf] = []
  }

  @Test("an object to which only an unowned property refers")
  func unowned() {
    let room = Room()
    room.shelves = [Shelf(room), Shelf(room)]
    room.shelves[0].next = room.shelves[1]
    expectPassed(room)
    room.shelves[0].next = nil
    let alone = withExtendedLifetime(room) { KeyedArchiver.check([room.shelves[0]]) }
    #expect(alone.losses == ["[0].room: is unowned, and nothing else in the copy holds its object"])
  }

  struct Fallible: Codable {
    var text = ""
    func encode(to encoder: any Encoder) throws {}
    init() {}
    init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no text"))
    }
  }

  @Test("what cannot be archived or read")
  func failures() {
    let reading = KeyedArchiver.check([Fallible()])
    #expect(reading.failure == "Its archive cannot be read: no text, at [0]")
    let archiving = KeyedArchiver.check(Polymorphic<Any>(KeyedArchiver.self))
    #expect(archiving.failure?.hasPrefix("It cannot be archived: ") == true)
  }

  final class Node: Codable {
    var link: Link
    init() { link = Link() }
  }

  struct Link: Codable {
    var target: Leaf = Leaf()
  }

  class Leaf: Codable {}

  final class Branch: Leaf {
    var node: Node

    init(_ node: Node) {
      self.node = node
      super.init()
    }

    required init(from decoder: any Decoder) throws {
      node = try decoder.container(keyedBy: CodingKeys.self).decode(Node.self, forKey: .node)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(node, forKey: .node)
      try super.encode(to: encoder)
    }

    private enum CodingKeys: CodingKey { case node }
  }

  final class Constant: Codable {
    let parts: [Constant]
    init(_ parts: [Constant]) { self.parts = parts }
  }

  @Test("types that can form a cycle which no reader closes, before they do")
  func cycles() {
    let node = Node()
    // A branch has to be there, since only then it is known.
    let check = KeyedArchiver.check([Branch(node), Leaf()])
    #expect(check.unreadableCycles.count == 1, "\(check)")
    #expect(check.unreadableCycles.first?.contains("Node.link") == true, "\(check)")
    #expect(check.unreadableCycles.first?.contains("Branch.node") == true, "\(check)")
    // Constants can never come to be in one, and an array that is a var can wait.
    expectPassed(Constant([Constant([])]))
    expectPassed(Person("Ada"))
  }
}
