import Foundation
import Keepsake
import TestSupport
import Testing

/// Classes as in any program that refer to each other in cycles, without code for archives.
@Suite struct PlainCycles {
  // MARK: Parents

  final class TreeNode: Codable {
    var name: String
    var children: [TreeNode] = []
    weak var parent: TreeNode?

    init(_ name: String, _ children: [TreeNode] = []) {
      self.name = name
      self.children = children
      for child in children { child.parent = self }
    }
  }

  @Test("a tree whose nodes have a weak parent comes back") func weakParent() throws {
    let root = TreeNode("root", [TreeNode("a", [TreeNode("c")]), TreeNode("b")])
    try forEachWay(root) { back in
      #expect(back.parent == nil)
      #expect(back.children.map(\.name) == ["a", "b"])
      #expect(back.children.allSatisfy { $0.parent === back })
      #expect(back.children[0].children[0].parent === back.children[0])
    }
  }

  @Test("a weak property is nil if nothing else archives its object") func weakAlone() throws {
    let root = TreeNode("root", [TreeNode("a", [TreeNode("b")])])
    try forEachWay(root.children[0]) { back in
      #expect(back.name == "a")
      #expect(back.parent == nil)
      #expect(back.children[0].parent === back)
    }
  }

  final class Renamed: Codable {
    weak var parent: Renamed?
    var children: [Renamed] = []
    var friend: Renamed?

    enum CodingKeys: String, CodingKey {
      case parent = "p"
      case children = "c"
      case friend = "f"
    }
  }

  @Test("properties with renamed keys come back") func renamedKeys() throws {
    let root = Renamed()
    let child = Renamed()
    root.children = [child]
    child.parent = root
    child.friend = root
    root.friend = child
    try forEachWay(root) { back in
      #expect(back.children[0].parent === back)
      #expect(back.children[0].friend === back)
      #expect(back.friend === back.children[0])
    }
  }

  final class Document: Codable {
    var title = ""
    var shapes: [Shape] = []
  }

  final class Shape: Codable {
    let id: Int
    unowned let document: Document

    init(_ id: Int, _ document: Document) {
      self.id = id
      self.document = document
    }
  }

  @Test("an unowned let comes back, from both objects") func unownedLet() throws {
    let document = Document()
    document.title = "Sketch"
    document.shapes = [Shape(1, document), Shape(2, document)]
    try forEachWay(document) { back in
      #expect(back.title == "Sketch")
      #expect(back.shapes.map(\.id) == [1, 2])
      #expect(back.shapes.allSatisfy { $0.document === back })
    }
    struct Both: Codable {
      let first: Shape
      let document: Document
    }
    try forEachWay(Both(first: document.shapes[1], document: document)) { back in
      #expect(back.first.document === back.document)
      #expect(back.document.shapes[1] === back.first)
    }
  }

  final class Course: Codable {
    let number: Int
    unowned var next: Course?
    unowned var previous: Course?

    init(_ number: Int) { self.number = number }
  }

  @Test("a cycle of optional unowned properties comes back") func unownedRing() throws {
    let courses = (0..<5).map(Course.init)
    for (index, course) in courses.enumerated() {
      course.next = courses[(index + 1) % 5]
      course.previous = courses[(index + 4) % 5]
    }
    try forEachWay(courses) { back in
      for (index, course) in back.enumerated() {
        #expect(course.number == index)
        #expect(course.next === back[(index + 1) % 5])
        #expect(course.previous === back[(index + 4) % 5])
      }
    }
  }

  // MARK: Lists

  final class Link: Codable {
    var number: Int
    var next: Link?
    var previous: Link?

    init(_ number: Int) {
      self.number = number
    }
  }

  @Test("a doubly linked list comes back from any link", arguments: [0, 1, 5, 8, 9])
  func doublyLinkedList(root: Int) throws {
    let links = (0..<10).map(Link.init)
    for (left, right) in zip(links, links.dropFirst()) {
      left.next = right
      right.previous = left
    }
    try forEachWay(links[root]) { back in
      var first = back
      while let previous = first.previous {
        #expect(previous.next === first)
        first = previous
      }
      var numbers: [Int] = []
      for link in sequence(first: first, next: \.next) { numbers.append(link.number) }
      #expect(numbers == Array(0..<10))
      // Strong in both directions, so the test breaks the cycles.
      for link in Array(sequence(first: first, next: \.next)) { link.previous = nil }
    }
    for link in links { link.previous = nil }
  }

  @Test("an object that refers to itself comes back") func itself() throws {
    let link = Link(1)
    link.next = link
    try forEachWay(link) { back in
      #expect(back.next === back)
      back.next = nil
    }
    link.next = nil
  }

  final class FixedWay: Codable {
    let owner: FixedWay?
    var tools: [FixedWay] = []
    init(_ owner: FixedWay?) { self.owner = owner }
  }

  @Test("a cycle through a let and an array comes back from both sides") func letOnOneSide() throws {
    let owner = FixedWay(nil)
    owner.tools = [FixedWay(owner), FixedWay(owner)]
    try forEachWay(owner) { back in
      #expect(back.tools.count == 2)
      #expect(back.tools.allSatisfy { $0.owner === back })
      back.tools = []
    }
    try forEachWay(owner.tools[1]) { back in
      #expect(back.owner?.tools[1] === back)
      back.owner?.tools = []
    }
    owner.tools = []
  }

  // MARK: Friends

  final class Person: Codable, Hashable {
    let name: String
    var friends: [Person] = []
    var circle: Set<Person> = []
    var byName: [String: Person] = [:]
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var best: Person!
    var perhaps: [Person]?
    var listed: ContiguousArray<Person> = []
    private var secret: Person?

    init(_ name: String) { self.name = name }
    func setSecret(_ person: Person?) { secret = person }
    func hasSecret(_ person: Person) -> Bool { secret === person }

    static func == (left: Person, right: Person) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    func letGo() {
      friends = []
      circle = []
      byName = [:]
      best = nil
      perhaps = nil
      listed = []
      secret = nil
    }
  }

  @Test("friends in collections, optionals and private properties come back") func friends() throws {
    let (ann, bob, cleo) = (Person("Ann"), Person("Bob"), Person("Cleo"))
    let all = [ann, bob, cleo]
    for person in all {
      let others = all.filter { $0 !== person }
      person.friends = others
      person.circle = Set(all)
      person.byName = Dictionary(uniqueKeysWithValues: others.map { ($0.name, $0) })
      person.best = others[0]
      person.perhaps = [person]
      person.listed = [person]
      person.setSecret(others[1])
    }
    try forEachWay(all) { back in
      for (index, person) in back.enumerated() {
        let others = back.filter { $0 !== person }
        #expect(person.name == all[index].name)
        #expect(person.friends.map(ObjectIdentifier.init) == others.map(ObjectIdentifier.init))
        #expect(person.circle == Set(back))
        #expect(person.circle.allSatisfy { member in back.contains { $0 === member } })
        #expect(others.allSatisfy { person.byName[$0.name] === $0 })
        #expect(person.best === others[0])
        #expect(person.perhaps?.first === person)
        #expect(person.listed.first === person)
        #expect(person.hasSecret(others[1]))
      }
      back.forEach { $0.letGo() }
    }
    try forEachWay(cleo) { back in
      #expect(back.best.best === back || back.best.friends.contains { $0 === back })
      let reached = [back] + back.friends
      reached.forEach { $0.letGo() }
    }
    all.forEach { $0.letGo() }
  }

  // MARK: Several keys

  @Test(
    "values under several keys come back in any order",
    arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]]
  )
  func severalKeys(order: [Int]) throws {
    let links = (0..<6).map(Link.init)
    for (left, right) in zip(links, links.dropFirst() + [links[0]]) {
      left.next = right
      right.previous = left
    }
    defer {
      links.forEach {
        $0.next = nil; $0.previous = nil
      }
    }
    let archiver = KeyedArchiver()
    for key in 0..<3 { try archiver.encode(links[key * 2], forKey: String(key)) }
    try archiver.finishEncoding()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    var back: [Int: Link] = [:]
    for key in order { back[key] = try unarchiver.decode(Link.self, forKey: String(key)) }
    let first = try #require(back[0])
    #expect(first.next?.next === back[1])
    #expect(back[1]?.next?.next === back[2])
    #expect(back[2]?.next?.next === first)
    var link = first
    for number in 0..<6 {
      #expect(link.number == number)
      #expect(link.next?.previous === link)
      link = try #require(link.next)
    }
    #expect(link === first)
    for _ in 0..<6 {
      let next = link.next
      link.next = nil
      link.previous = nil
      link = next ?? link
    }
  }
}

/// Archives `value` as data, in a file, as a deep copy and by the drop-in coders, and passes each result to `check`.
func forEachWay<Value: Codable>(_ value: Value, _ check: (Value) throws -> Void) throws {
  try check(KeyedUnarchiver.unarchive(Value.self, from: KeyedArchiver.archivedData(withRootObject: value)))
  let path = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString).keepsake")
    .path
  defer { try? FileManager.default.removeItem(atPath: path) }
  try KeyedArchiver.archive(rootObject: value, toFile: path)
  try check(KeyedUnarchiver.unarchive(Value.self, fromFile: path))
  try check(KeyedArchiver.copy(of: value))
  try check(ArchiveDecoder().decode(Value.self, from: ArchiveEncoder().encode(value)))
}

/// The archiver's error for `value`, which is in a cycle that it refuses; `nil` if it archives it.
func refusal(of value: some Encodable) -> String? {
  do {
    _ = try KeyedArchiver.archivedData(withRootObject: value)
    return nil
  } catch EncodingError.invalidValue(_, let context) {
    #expect((context.underlyingError as? ArchiveError)?.code == .cycle)
    return context.debugDescription
  } catch {
    return "\(error)"
  }
}
