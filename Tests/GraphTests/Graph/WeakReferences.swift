import Foundation
import Keepsake
import TestSupport
import Testing

/// A weak reference is archived only if something else archives its object, anywhere.
@Suite struct WeakReferences {
  @Test("a weak reference has its object if a strong one does, in any order", arguments: [true, false])
  func beforeAndAfter(weakFirst: Bool) throws {
    let thing = Thing("kept")
    let other = Thing("not kept")
    let data = try writeKeyed { container in
      if !weakFirst { try container.encode(thing, forKey: "strong") }
      try container.encode(Watcher(thing), forKey: "watcher")
      try container.encode(Watcher(other), forKey: "lost")
      if weakFirst { try container.encode(thing, forKey: "strong") }
    }
    let (strong, watcher, lost) = try read(data) { decoder throws in
      let container = try decoder.container(keyedBy: AnyKey.self)
      let watcher = try container.decode(Watcher.self, forKey: "watcher")
      let lost = try container.decode(Watcher.self, forKey: "lost")
      return (try container.decode(Thing.self, forKey: "strong"), watcher, lost)
    }
    #expect(watcher.thing === strong && strong.name == "kept" && lost.thing == nil)
    withExtendedLifetime(other) {}
  }

  @Test("an object to which only a weak reference refers is not archived")
  func absent() throws {
    let secret = Thing("the secret of a lifetime")
    let data = try ArchiveEncoder().encode([Watcher(secret)])
    #expect(data.range(of: Data(secret.name.utf8)) == nil)
    #expect(try ArchiveDecoder().decode([Watcher].self, from: data)[0].thing == nil)
  }

  @Test("the key of a weak reference is missing if its object was not archived")
  func askedFor() throws {
    let thing = Thing("thing")
    let lost = try KeyedArchiver.copy(of: AskingWatcher(thing))
    #expect(lost.thing == nil)
    let kept = try KeyedArchiver.copy(of: AskingPair(strong: thing, watcher: AskingWatcher(thing)))
    #expect(kept.watcher.thing === kept.strong)
  }

  @Test(
    "weak references across top-level keys have their objects, in any order of coding",
    arguments: [true, false],
    [true, false]
  )
  func acrossKeys(weakWrittenFirst: Bool, weakReadFirst: Bool) throws {
    let thing = Thing("thing")
    let archiver = KeyedArchiver()
    if !weakWrittenFirst { try archiver.encode(thing, forKey: "thing") }
    try archiver.encode(Watcher(thing), forKey: "watcher")
    if weakWrittenFirst { try archiver.encode(thing, forKey: "thing") }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let watcher: Watcher
    let back: Thing
    if weakReadFirst {
      watcher = try unarchiver.decode(Watcher.self, forKey: "watcher")
      #expect(watcher.thing == nil)
      back = try unarchiver.decode(Thing.self, forKey: "thing")
    } else {
      back = try unarchiver.decode(Thing.self, forKey: "thing")
      watcher = try unarchiver.decode(Watcher.self, forKey: "watcher")
    }
    #expect(watcher.thing === back)
  }

  @Test("a weak reference gets an object of a later decode while another thread reads it")
  func lookedForByAnotherThread() throws {
    let things = (0..<1_000).map { Thing("\($0)") }
    let archiver = KeyedArchiver()
    try archiver.encode(things.map(Watcher.init), forKey: "watchers")
    try archiver.encode(things, forKey: "things")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let watchers = try unarchiver.decode([Watcher].self, forKey: "watchers")
    let looking = Thread {
      let end = Date(timeIntervalSinceNow: 10)
      while Date() < end, !Thread.current.isCancelled, watchers.contains(where: { $0.thing == nil }) {}
    }
    looking.start()
    let back = try unarchiver.decode([Thing].self, forKey: "things")
    #expect(zip(watchers, back).allSatisfy { $0.thing === $1 })
    while !looking.isFinished { Thread.sleep(forTimeInterval: 0.001) }
  }

  @Test("weak references are archived at the top level")
  func topLevel() throws {
    let thing = Thing("thing")
    let archiver = KeyedArchiver()
    try archiver.encode(WeakReference(wrappedValue: thing), forKey: "weak")
    try archiver.encode(WeakReference(wrappedValue: Thing("gone")), forKey: "gone")
    try archiver.encode([thing], forKey: "strong")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let weak = try unarchiver.decode(WeakReference<Thing>.self, forKey: "weak")
    #expect(weak.wrappedValue == nil)
    let strong = try unarchiver.decode([Thing].self, forKey: "strong")
    #expect(weak.wrappedValue === strong[0])
    #expect(try unarchiver.decode(WeakReference<Thing>.self, forKey: "gone").wrappedValue == nil)
    #expect(try unarchiver.decodeIfPresent(Thing.self, forKey: "gone") == nil)
    #expect(try unarchiver.decodeIfPresent(Thing.self, forKey: "weak") === strong[0])
  }

  @Test("weak references in a large graph have their objects")
  func largeGraph() throws {
    let count = 33_000
    let things = (0..<count).map { Thing("\($0)") }
    // A prime, so all are watched, in scattered order.
    let target = { (index: Int) in (index * 7919 + 5) % count }
    let both = Both(watchers: things.indices.map { Watcher(things[target($0)]) }, things: things)
    let back = try roundTrip(both)
    #expect(back.things.count == count)
    for (index, watcher) in back.watchers.enumerated() where watcher.thing !== back.things[target(index)] {
      Issue.record("the object \(index) is another one")
    }
  }

  @Test("weak references to the root, to the parent and to the owner have their objects")
  func rings() throws {
    let root = Tree("root")
    root.children = [Tree("left"), Tree("right")]
    root.parent = root
    for child in root.children {
      child.parent = root
      child.root = root
    }
    root.children[0].children = [Tree("leaf")]
    root.children[0].children[0].parent = root.children[0]
    root.children[0].children[0].root = root
    let back = try roundTrip(root)
    #expect(back.parent === back && back.root == nil)
    #expect(back.children.map(\.name) == ["left", "right"])
    #expect(back.children.allSatisfy { $0.parent === back && $0.root === back })
    let leaf = back.children[0].children[0]
    #expect(leaf.parent === back.children[0] && leaf.root === back)
    // Only what the new root reaches is archived.
    let left = try roundTrip(root.children[0])
    #expect(left.parent == nil && left.root == nil && left.children[0].parent === left)
  }

  @Test("a decoded weak reference does not retain its object")
  func letsGo() throws {
    let watched = try roundTrip(Watched(Thing("thing")))
    #expect(watched.watcher.thing === watched.thing)
    watched.thing = nil
    #expect(watched.watcher.thing == nil)
    let copied = watched.watcher
    let thing = Thing("new")
    watched.watcher.thing = thing
    #expect(copied.thing == nil || copied === watched.watcher)
  }

  @Test("a weak reference to an instance of a subclass has its object")
  func subclass() throws {
    let dog = WeakTestDog()
    let holder = WeakTestHolder(dog)
    let back = try roundTrip(holder)
    #expect(back.animal === back.dog && back.sameDog === back.dog && type(of: back.dog) == WeakTestDog.self)
    let list = try roundTrip([holder.animal, dog].compactMap { $0 })
    #expect(list.count == 2 && list[0] === list[1] && list[0] is WeakTestDog)
    let typeFault = try failure { try transcode(holder, to: WrongHolder.self) }
    #expect(typeFault.kind == .typeMismatch && typeFault.path == "animal")
  }

  @Test("arrays and dictionaries of weak references come back")
  func collections() throws {
    let things = [Thing("a"), Thing("b"), Thing("c")]
    let lost = Thing("lost")
    let list = WeakLists(things: [things[0], things[2]], all: things + [lost])
    let back = try roundTrip(list)
    let (a, c) = (back.things[0], back.things[1])
    #expect(back.list.count == 5)
    #expect(back.list[0].wrappedValue === a && back.list[1].wrappedValue == nil)
    #expect(
      back.list[2].wrappedValue === c && back.list[3].wrappedValue == nil && back.list[4].wrappedValue == nil
    )
    #expect(back.table["a"]?.wrappedValue === a && back.table.count == 4)
    #expect(back.table["lost"].map { $0.wrappedValue == nil } == true)
    withExtendedLifetime((things, lost)) {}
  }

  @Test("copies of a structure with a weak reference do not share assignments")
  func structures() throws {
    let thing = Thing("thing")
    let both = try roundTrip(WeakPair(one: Spot(thing: thing), other: Spot(thing: thing), strong: thing))
    var copy = both.one
    #expect(copy.thing === both.strong && both.other.thing === both.strong)
    copy.thing = nil
    #expect(copy.thing == nil && both.one.thing === both.strong)
  }

  @Test("weak references refer to copies in a deep copy")
  func copies() throws {
    let root = Tree("root")
    root.children = [Tree("child")]
    root.children[0].parent = root
    root.children[0].root = Tree("elsewhere")
    let elsewhere = root.children[0].root
    let twin = try KeyedArchiver.copy(of: root)
    #expect(twin !== root && twin.children[0].parent === twin && twin.children[0].root == nil)
    let child = try KeyedArchiver.copy(of: root.children[0])
    #expect(child.parent == nil)
    withExtendedLifetime(elsewhere) {}
  }

  @Test("a weak reference that needs the name of a private class makes encodedData throw")
  func unnamedSubclass() throws {
    let hidden = HiddenDog()
    let archiver = KeyedArchiver()
    // Something else may still archive the object where its class is declared.
    try archiver.encode(HiddenHolder(hidden), forKey: "holder")
    for _ in 0..<2 { #expect(try failure { try archiver.encodedData }.code == .unresolvableClass) }
  }
}

// MARK: - Types

private final class Thing: Codable, @unchecked Sendable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

private final class Watcher: Codable, @unchecked Sendable {
  @WeakReference var thing: Thing?

  init(_ thing: Thing?) {
    self.thing = thing
  }
}

private struct Both: Codable {
  let watchers: [Watcher]
  let things: [Thing]
}

private final class Watched: Codable {
  var watcher: Watcher
  var thing: Thing?

  init(_ thing: Thing) {
    watcher = Watcher(thing)
    self.thing = thing
  }
}

private final class AskingWatcher: Codable {
  private(set) weak var thing: Thing?
  private enum CodingKeys: CodingKey { case thing }

  init(_ thing: Thing) {
    self.thing = thing
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.thing) { thing = try container.decode(Thing.self, forKey: .thing) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let thing { try container.encode(thing, forKey: .thing) }
  }
}

private struct AskingPair: Codable {
  var strong: Thing
  var watcher: AskingWatcher
}

private final class Tree: Codable {
  let name: String
  var children: [Tree] = []
  @WeakReference var parent: Tree?
  @WeakReference var root: Tree?

  init(_ name: String) {
    self.name = name
  }
}

private struct Spot: Codable {
  @WeakReference var thing: Thing?
}

private struct WeakPair: Codable {
  var one: Spot
  var other: Spot
  var strong: Thing
}

private struct WeakLists: Codable {
  var list: [WeakReference<Thing>]
  var table: [String: WeakReference<Thing>]
  var things: [Thing]

  init(things: [Thing], all: [Thing]) {
    self.things = things
    list = all.map { WeakReference(wrappedValue: $0) } + [WeakReference()]
    table = Dictionary(uniqueKeysWithValues: all.map { ($0.name, WeakReference(wrappedValue: $0)) })
  }
}

private class HiddenAnimal: Codable {}
private final class HiddenDog: HiddenAnimal {}

private final class HiddenHolder: Codable {
  var dog: HiddenDog
  @WeakReference var animal: HiddenAnimal?

  init(_ dog: HiddenDog) {
    self.dog = dog
    animal = dog
  }
}

private struct WrongHolder: Decodable {
  var dog: WeakTestDog
  @WeakReference var animal: Thing?
}

// Not private, since these are found by name.

class WeakTestAnimal: Codable {}
final class WeakTestDog: WeakTestAnimal {}

final class WeakTestHolder: Codable {
  @WeakReference var animal: WeakTestAnimal?
  var dog: WeakTestDog
  @WeakReference var sameDog: WeakTestDog?

  init(_ dog: WeakTestDog) {
    self.dog = dog
    animal = dog
    sameDog = dog
  }
}
