import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Keepsake

/// The cache of types by name, tested by counting look-ups.
@Suite struct TypeLookupTests {
  private final class Counts: Sendable {
    let asked = Atomic(0)
    let images = Atomic(3)

    func lookup(_ types: @escaping @Sendable () -> [Any.Type] = { [] }) -> TypeLookup {
      TypeLookup(imageCount: { self.images.load(ordering: .relaxed) }) { _, _ in
        self.asked.add(1, ordering: .relaxed)
        return types()
      }
    }

    var count: Int { asked.load(ordering: .relaxed) }
  }

  @Test("a name that was not found is not looked up again")
  func failures() {
    let counts = Counts()
    let lookup = counts.lookup()
    for _ in 0..<8_000 { #expect(lookup.types(named: "Nobody.Knows").isEmpty) }
    #expect(counts.count == 1)
    #expect(lookup.types(named: "Nobody.Knew").isEmpty && counts.count == 2)
  }

  @Test("a name that was not found is looked up again after an image was loaded")
  func images() {
    let counts = Counts()
    let lookup = counts.lookup { counts.images.load(ordering: .relaxed) > 3 ? [Counts.self] : [] }
    #expect(lookup.types(named: "Plugin.Dog").isEmpty && lookup.types(named: "Plugin.Dog").isEmpty)
    counts.images.store(4, ordering: .relaxed)
    for _ in 0..<2 { #expect(lookup.types(named: "Plugin.Dog").count == 1) }
    #expect(counts.count == 2)
  }

  @Test("invalid names are not looked up")
  func noNames() {
    let counts = Counts()
    let lookup = counts.lookup()
    for name in ["", "a", "a.b<c>", "a." + String(repeating: "b", count: 2_000)] {
      #expect(lookup.types(named: name).isEmpty)
    }
    #expect(counts.count == 0)
  }

  @Test("the number of cached names is limited")
  func limit() {
    let counts = Counts()
    let lookup = counts.lookup()
    for number in 0...TypeLookup.limit { _ = lookup.types(named: "a.b\(number)") }
    #expect(counts.count == TypeLookup.limit + 1)
    // The last one is cached, the first is not.
    _ = lookup.types(named: "a.b\(TypeLookup.limit)")
    #expect(counts.count == TypeLookup.limit + 1)
    _ = lookup.types(named: "a.b0")
    #expect(counts.count == TypeLookup.limit + 2)
  }

  @Test(
    "a class that is set after its look-up failed is found"
  )
  func archives() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Lookup.Unknown", for: LookedUp.self)
    try archiver.encode((0..<100).map { _ in LookedUp() as LookedUpBase }, forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode([Forgiving].self, forKey: "list").count { $0.isKnown } == 0)
    unarchiver.setClass(LookedUp.self, forClassName: "Lookup.Unknown")
    #expect(try unarchiver.decode([Forgiving].self, forKey: "list").count { $0.isKnown } == 100)
  }

  @Test("a conformance that is isolated to an actor states its name on every thread")
  @MainActor func isolated() async {
    let found = await Task.detached { RuntimeTypes.declaring(name: "lookup.main").count }.value
    #expect(found == 1 && RuntimeTypes.declaring(name: "lookup.main").count == 1)
  }
}

@Suite struct TypeNames {
  @Test("a name is split into parts, also with raw identifiers and extensions")
  func parts() throws {
    let name = try #require(TypeName("(extension in A):(extension in B):C.`d.e (f)`.Größe.self"))
    #expect(name.extending == ["A", "B"] && name.components == ["C", "d.e (f)", "Größe", "self"])
    #expect(name.key.string == "(extension in A):(extension in B):C.`d.e (f)`.Größe.self")
    #expect(TypeName("a.`b`")?.key == TypeName("a.b")?.key)
    #expect(TypeName("a.`b.c`")?.key != TypeName("a.b.c")?.key)
  }

  @Test(
    "invalid names are rejected",
    arguments: [
      "a.`b", "a.`b`c", "a.``", "a.b`", "(extension in a:b.c", "(extension in a)b.c", "(extension in a):",
      "(a).b.c",
      "a.b(c)", "a.1b", "a.b c", "a.b-c", "a.(unknown context at $1234).b", "__C.a", "Builtin.a", "a.b<c>",
    ]
  )
  func noNames(name: String) {
    #expect(TypeName(name) == nil)
  }

  @Test("where images are not listed, the runtime finds types by plain names only")
  func byRuntime() throws {
    for type in [NamedBeing.self, NamedPark.Gate.Keeper.self, Date.self, Duration.self] as [Any.Type] {
      let name = try #require(TypeName(RuntimeTypes.name(of: type)))
      let found = RuntimeTypes.foundByRuntime(name)
      #expect(found == type)
    }
    for name in [
      "GraphTests.Größe", "GraphTests.Nobody", "(extension in GraphTests):Swift.String.Latin",
    ] {
      let found = RuntimeTypes.foundByRuntime(try #require(TypeName(name)))
      #expect(found == nil)
    }
  }

  @Test("the reason for a failed look-up names generic types, private types and missing modules")
  func reasons() {
    for (name, words) in [
      ("GraphTests.NamedBox", "generic"), ("GraphTests.NamedBox<Swift.Int>", "generic"),
      ("GraphTests.HiddenLookedUp", "private"), ("GraphTests.Nobody", "no type of that name"),
      ("Nowhere.Nobody", "module Nowhere"), ("a name", "no type of that name"),
      ("(extension in Nowhere):Swift.String.Nobody", "module Nowhere"),
    ] {
      let reason = RuntimeTypes.reasonNotFound(name)
      #expect(reason.contains(words), "\(name): \(reason)")
    }
  }
}

// MARK: - Classes

private class LookedUpBase: Codable {}
private final class LookedUp: LookedUpBase {}
private final class HiddenLookedUp {}

@MainActor private final class OnMainActor: @MainActor ArchivableClass {
  static var archivedClassName: String { "lookup.main" }
}

/// Ignores a value that cannot be read.
private struct Forgiving: Decodable {
  let isKnown: Bool

  init(from decoder: any Decoder) throws {
    isKnown = (try? decoder.singleValueContainer().decode(LookedUpBase.self)) != nil
  }
}
