import Foundation
import Keepsake
import TestSupport
import Testing

class CheckedLeaf: Codable, EqualByIdentity {}

final class CheckedTwig: CheckedLeaf {}

/// The findings of `KeyedArchiver.check(_:)`.
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

  @Test("a check passes for shared objects, cycles, sets, NaNs and deep graphs")
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
    expectPassed([Set<Decimal>([1, 2.5])])
    let chain = Chain(length: 20_000)
    expectPassed(chain)
    chain.cut()
  }

  /// Comes back with a longer chain, which reflection does not show.
  fileprivate struct Hidden: Codable, CustomReflectable {
    indirect enum Link: Codable { case end(Int), next(Link) }
    var link: Link
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init(length: Int) { link = (0..<length).reduce(.end(0)) { link, _ in .next(link) } }

    init(from decoder: any Decoder) throws {
      self.init(
        length: try decoder.container(keyedBy: CodingKeys.self).decode(Link.self, forKey: .link).length + 1
      )
    }
  }

  @Test("a finding leaves out the first steps of a long path", arguments: [10, 1_000])
  func longPaths(length: Int) throws {
    let check = KeyedArchiver.check(Hidden(length: length))
    let loss = try #require(check.losses.first)
    #expect(check.losses.count == 1 && loss.hasSuffix("is archived differently by the copy"))
    #expect(loss.hasPrefix(length == 10 ? "link.next._0.next" : "…") && loss.count < 500)
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

    /// Avoids recursion when the chain is released.
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

  @Test("a property that encode(to:) omits is reported")
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

  @Test("references to other objects, or to none, are reported")
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

  @Test("an object to which only an unowned property refers is reported")
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

  @Test("values that cannot be archived or read are reported")
  func failures() {
    let reading = KeyedArchiver.check([Fallible()])
    #expect(reading.failure == "Its archive cannot be read: no text, at [0]")
    let archiving = KeyedArchiver.check(Polymorphic<Any>(KeyedArchiver.self))
    #expect(archiving.failure?.hasPrefix("It cannot be archived: ") == true)
  }

  /// Archives another value than its own, and comes back with that.
  struct Changing<Value: Codable>: Codable {
    var value: Value
    var next: Value

    init(_ value: Value, into next: Value) { (self.value, self.next) = (value, next) }

    init(from decoder: any Decoder) throws {
      next = try decoder.singleValueContainer().decode(Value.self)
      value = next
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(next)
    }
  }

  enum Mode: Codable {
    case fast, slow
    case after(seconds: Int)
    case before(seconds: Int)
  }

  private func expectLoss(
    _ loss: String,
    of value: some Codable,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let check = KeyedArchiver.check(value)
    #expect(check.losses == [loss] && check.failure == nil, "\(check)", sourceLocation: sourceLocation)
  }

  private func expectLoss<Value: Codable>(
    _ loss: String,
    _ value: Value,
    into next: Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectLoss(loss, of: Changing(value, into: next), sourceLocation: sourceLocation)
    expectPassed(Changing(value, into: value), sourceLocation: sourceLocation)
  }

  @Test("changed cases, keys and elements are reported")
  func others() {
    expectLoss("value: was slow and is fast now", Mode.slow, into: .fast)
    expectLoss("value: was before and is after now", .before(seconds: 1), into: Mode.after(seconds: 1))
    expectLoss("value: was after and is fast now", .after(seconds: 1), into: Mode.fast)
    expectLoss("value.after.seconds: 1 comes back as 2", .after(seconds: 1), into: Mode.after(seconds: 2))
    expectLoss("value: had nil and has a value now", nil, into: 1)
    expectLoss("value: had 2 elements and has one element now", ["a": 1, "b": 2], into: ["a": 1])
    expectLoss("value: does not contain the key b any more", ["a": 1, "b": 2], into: ["a": 1, "c": 2])
    expectLoss("value.b: 2 comes back as 3", ["a": 1, "b": 2], into: ["a": 1, "b": 3])
    expectLoss("value._b: 2 comes back as 3", ["a": 1, "_b": 2], into: ["a": 1, "_b": 3])
    expectLoss("value..b: 2 comes back as 3", ["a": 1, ".b": 2], into: ["a": 1, ".b": 3])
    expectLoss("value: had 2 elements and has 3 elements now", [1, 2], into: [1, 2, 3] as Set)
    expectLoss("value: does not contain 2 any more", [1, 2], into: [1, 3] as Set)
    let hidden = "comes back as another value with the same description"
    let date = Date(timeIntervalSince1970: 0.25)
    expectLoss("value: \(date) \(hidden)", date, into: Date(timeIntervalSince1970: 0))
    let duration = Duration(secondsComponent: 1, attosecondsComponent: 1)
    expectLoss("value: 1.0 seconds \(hidden)", .seconds(1), into: duration)
    let text = String(repeating: "x", count: 60)
    expectLoss("value: \(text)… comes back as \(text)…", text + "1", into: text + "2")
    // NaN is not an element of a set that contains it.
    expectPassed([Double.nan: 1])
    expectPassed([[Double.nan], [1]] as Set)
  }

  @Test("changed objects are reported, and unchanged sets of objects pass")
  func otherObjects() {
    expectLoss("value: is a CheckedLeaf now and was a CheckedTwig", CheckedTwig(), into: CheckedLeaf())
    expectPassed([CheckedTwig(), CheckedTwig(), CheckedLeaf()] as Set)
    expectPassed([CheckedTwig(): 1, CheckedLeaf(): 1])
    expectPassed(Changing(CheckedLeaf(), into: CheckedLeaf()).next)
    expectLoss(
      "next: is an object that also occurs elsewhere, and was a different one",
      of: Changing(CheckedLeaf(), into: CheckedLeaf())
    )
  }

  struct Wrapped: Codable {
    @Deferred var deferred = [Forgetful()]
    @Lazy var lazy = [Forgetful()]
    @Polymorphic var any: Any = Forgetful()
  }

  @Test("losses in wrapped values are reported")
  func wrapped() throws {
    var lossy = Forgetful()
    lossy.cache = 7
    expectPassed(Wrapped())
    expectLoss("deferred[0].cache: 7 comes back as 2", of: Wrapped(deferred: [lossy]))
    expectLoss("lazy[0].cache: 7 comes back as 2", of: Wrapped(lazy: [lossy]))
    expectLoss("any.cache: 7 comes back as 2", of: Wrapped(any: lossy))
    let data = try KeyedArchiver.archivedData(withRootObject: Wrapped())
    expectPassed(try KeyedUnarchiver.unarchive(Wrapped.self, from: data))
  }

  // MARK: Hidden from reflection

  /// Shows no children.
  final class Reticent<Value: Codable>: Codable, CustomReflectable {
    private let changing: Changing<Value>
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init(_ value: Value, into next: Value) { changing = Changing(value, into: next) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let next = try container.decode(Value.self, forKey: .next)
      changing = Changing(next, into: next)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(changing.value, forKey: .value)
      try container.encode(changing.next, forKey: .next)
    }

    private enum CodingKeys: CodingKey { case value, next }
  }

  /// Comes back with a leaf instead of a twig.
  final class Pruning: Codable, CustomReflectable {
    private let leaf: CheckedLeaf
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init() { leaf = CheckedTwig() }
    init(from decoder: any Decoder) throws { leaf = CheckedLeaf() }
  }

  private func expectHidden<Value: Codable>(
    _ path: String,
    _ value: Value,
    into next: Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let name = String(reflecting: Reticent<Value>.self)
    expectLoss(
      "\(path) of \(name): is archived differently by the copy",
      of: [Reticent(value, into: value), Reticent(value, into: next)],
      sourceLocation: sourceLocation
    )
  }

  /// Encodes its keys in another order each time, as a loop over a dictionary may.
  struct Shuffling: Codable {
    var leaves: [String: CheckedLeaf]

    init(_ names: [String]) { leaves = .init(uniqueKeysWithValues: names.map { ($0, CheckedLeaf()) }) }

    init(from decoder: any Decoder) throws {
      leaves = try decoder.singleValueContainer().decode([String: CheckedLeaf].self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      for (name, leaf) in leaves.shuffled() { try container.encode(leaf, forKey: AnyKey(name)) }
    }
  }

  /// Stores its number in separate memory, as buffers of other libraries store their bytes.
  @safe fileprivate final class Allocated: Codable {
    private let memory = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init(_ number: Int) { unsafe memory.initialize(to: number) }
    deinit { unsafe memory.deallocate() }

    init(from decoder: any Decoder) throws {
      unsafe memory.initialize(to: try decoder.singleValueContainer().decode(Int.self))
    }

    func encode(to encoder: any Encoder) throws { try unsafe memory.pointee.encode(to: encoder) }
  }

  @Test("another address of the same content is no loss")
  func addresses() { expectPassed([Allocated(1), Allocated(2)]) }

  @Test("another order of keys is no loss")
  func orderOfKeys() {
    for _ in 0..<10 { expectPassed([Shuffling(["a", "b", "c", "d"]), Shuffling(["e", "f"])]) }
  }

  @Test("the first difference between the archives is reported if reflection shows none")
  func hidden() {
    expectPassed([Reticent(1, into: 1)])
    expectHidden("value", 1, into: 2)
    expectHidden("value", "a", into: "b")
    expectHidden("value", nil, into: 0)
    expectHidden("value[1]", ["a", "b"], into: ["a", "c"])
    expectHidden("value[2]", ["a", "b", "c"], into: ["a", "b"])
    expectHidden("value", ["a", "b"], into: ["a", "b", "c"])
    expectHidden("value", [1], into: [1.5])
    expectHidden("value.a.c", ["a": ["b": 1, "c": 2]], into: ["a": ["b": 1]])
    expectHidden("value[0].relative", [URL(filePath: "/a")], into: [URL(filePath: "/b")])
    expectHidden("value", Polymorphic<Any>(1), into: Polymorphic(1 as UInt))
    let (one, other) = (CheckedLeaf(), CheckedLeaf())
    expectHidden("value[1]", [one, one], into: [one, other])
    expectLoss(
      "the value of \(String(reflecting: CheckedTwig.self)): is archived differently by the copy",
      of: Pruning()
    )
  }
}

extension ArchiveChecks.Hidden.Link {
  fileprivate var length: Int {
    var (link, length) = (self, 0)
    while case .next(let next) = link { (link, length) = (next, length + 1) }
    return length
  }
}
