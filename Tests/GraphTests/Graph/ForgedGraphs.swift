import Foundation
import HostileArchives
import Keepsake
import Synchronization
import TestSupport
import Testing

/// Graphs that no encoder writes, crafted with valid checksums.
@Suite struct ForgedGraphs {
  private static let manyCount = 60_000

  /// The error of decoding; fails if any initializer ran.
  private func refusal<Value: Decodable>(
    _ type: Value.Type,
    _ data: Data,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Failure {
    let recorder = HostileRecorder()
    let found = try failure(sourceLocation: sourceLocation) {
      try KeyedUnarchiver.unarchive(type, from: data, userInfo: [HostileRecorder.key: recorder])
    }
    #expect(recorder.ran.isEmpty, sourceLocation: sourceLocation)
    #expect(hostileDecoyRuns.withLock { $0 } == 0, sourceLocation: sourceLocation)
    return found
  }

  // MARK: Names

  private static let names =
    [
      "", ".", "..", "Zoo.", ".Animal", "Zoo..Animal", "Zoo.Animal.", "$s3Zoo6AnimalC", "3Zoo6AnimalC",
      "_TtC3Zoo6Animal", "So8NSObjectC", "$sSiD", "Swift.Int", "Swift.String", "Swift.Array", "Swift.Never",
      "Swift.Optional", "Foundation.Data", "Foundation.URL", "Foundation.Process", "Foundation.FileManager",
      "Keepsake.ArchivedModel", "Keepsake.KeyedUnarchiver", "Testing.Issue", "__C.NSObject", "Builtin.Int64",
      "Zoo.DecoyClass", "Zoo.DecoyValue", "Zoo.Dog\u{0}", "Zoo.Dog ", "Zoo.\u{44}\u{301}og", "(private).Dog",
      "(unknown context at $7f).Dog", "GraphTests.HostileDecoyClass", "GraphTests.HostileDecoyValue",
      "Zoo.Dog<Swift.Int>", "any Zoo.Shape", "any Any.Type", "()",
    ] + [
      String(repeating: "a", count: 10_000), String(repeating: ".", count: 10_000),
      String(repeating: "a.", count: 5_000), String(repeating: "1a", count: 5_000),
      "Zoo." + String(repeating: "\u{1F468}\u{200D}", count: 1_400),
      String(repeating: "Zoo.Dog", count: 1_400),
    ]

  @Test(
    "an object and a value whose types have hostile names are refused before any initializer runs",
    arguments: names
  )
  func hostileNames(name: String) throws {
    let content = CraftedArchive.map(
      ("name", CraftedArchive.text("n")),
      ("friends", [Tag.shortArray]),
      ("tricks", [0x95]),
      ("radius", [0x95])
    )
    for flags in [0, 1] as [UInt8] {
      let data = HandmadeArchive.data(
        bodies: [[1] + content],
        topLevel: CraftedArchive.root([Tag.shortArray + 1] + CraftedArchive.reference(1)),
        classes: [HandmadeArchive.type(name, flags: flags)]
      )
      let codes: [ArchiveError.Code?] = [.unresolvableClass, .typeMismatch]
      if flags == 1 {
        #expect(try codes.contains(refusal([HostileAnimal].self, data).code))
        #expect(try codes.contains(refusal([HostileDog].self, data).code))
        #expect(try codes.contains(refusal([HostileUser].self, data).code))
      }
      #expect(try codes.contains(refusal(Polymorphic<[any HostileShape]>.self, data).code))
      #expect(try codes.contains(refusal(Polymorphic<[any HostileShape & AnyObject]>.self, data).code))
    }
    let value = HandmadeArchive.data(
      topLevel: CraftedArchive.root([Tag.shortArray + 1, Tag.typed, 0] + content),
      classes: [HandmadeArchive.type(name, flags: 2)]
    )
    let codes: [ArchiveError.Code?] = [.unresolvableClass, .typeMismatch]
    #expect(try codes.contains(refusal(Polymorphic<[any HostileShape]>.self, value).code))
    #expect(try codes.contains(refusal(Polymorphic<[any HostileShape & AnyObject]>.self, value).code))
  }

  @Test(
    "every name of the samples runs only initializers that match the declared type",
    arguments: HostileTypeNames.real,
    [UInt8(1), 2]
  )
  func everyName(name: String, flags: UInt8) throws {
    let content = CraftedArchive.map(
      ("name", CraftedArchive.text("n")),
      ("friends", [Tag.shortArray]),
      ("tricks", [0x95]),
      ("radius", [0x95]),
      ("parts", [Tag.shortArray]),
      ("base", CraftedArchive.map(("name", CraftedArchive.text("n")), ("friends", [Tag.shortArray])))
    )
    let data = HandmadeArchive.data(
      bodies: flags == 1 ? [[1] + content] : [],
      topLevel: CraftedArchive.root(flags == 1 ? CraftedArchive.reference(1) : [Tag.typed, 0] + content),
      classes: [HandmadeArchive.type(name, flags: flags)]
    )
    func ran<Value: Decodable>(_ type: Value.Type) -> [Any.Type] {
      let recorder = HostileRecorder()
      _ = try? KeyedUnarchiver.unarchive(type, from: data, userInfo: [HostileRecorder.key: recorder])
      return recorder.ran
    }
    if flags == 1 {
      #expect(ran(HostileAnimal.self).allSatisfy { $0 is HostileAnimal.Type })
      #expect(ran(HostileDog.self).allSatisfy { $0 is HostileDog.Type })
      #expect(ran(HostileCat.self).allSatisfy { $0 is HostileCat.Type })
    }
    #expect(ran(Polymorphic<any HostileShape>.self).allSatisfy { $0 is any HostileShape.Type })
    #expect(
      ran(Polymorphic<any HostileShape & AnyObject>.self).allSatisfy {
        $0 is any (HostileShape & AnyObject).Type
      }
    )
    #expect(hostileDecoyRuns.withLock { $0 } == 0)
  }

  // MARK: Cycles

  @Test("deferred cycles are refused if constants or structures read them")
  func plainReaders() throws {
    let data = try HostileSample.authors.archive()
    #expect(try refusal(HostilePlainAuthor.self, data).code == .cycle)
    #expect(try refusal(ForgedValue.self, data).code == .limitExceeded)
  }

  @Test("an object may be its own deferred value, at one and two levels")
  func ownValue() throws {
    let data = HandmadeArchive.data(
      bodies: [[1] + CraftedArchive.map(("me", CraftedArchive.reference(1)))],
      topLevel: CraftedArchive.root(CraftedArchive.reference(1))
    )
    let owned = try KeyedUnarchiver.unarchive(ForgedOwned.self, from: data)
    #expect(owned.me === owned)
    owned.me = nil
    let twice = try KeyedUnarchiver.unarchive(ForgedTwice.self, from: data)
    #expect(twice.me.wrappedValue === twice)
    twice.me = Deferred(wrappedValue: nil)
    let late = try KeyedUnarchiver.unarchive(Deferred<Deferred<ForgedOwned>>.self, from: data)
    let inner = late.wrappedValue.wrappedValue
    #expect(inner.me === inner)
    inner.me = nil
  }

  // MARK: Conditional references

  @Test(
    "conditional references to bodies that do not exist or have no class are damage",
    arguments: [[9], [2], [0xFF, 0x7F]] as [[UInt8]]
  )
  func conditionals(target: [UInt8]) throws {
    let data = HandmadeArchive.data(
      bodies: [[1] + CraftedArchive.map(("me", [Tag.none])), [0, Tag.map, 0]],
      topLevel: CraftedArchive.root(
        [Tag.shortArray + 2] + CraftedArchive.reference(1) + [Tag.conditionalReference, 0]
      ),
      conditionals: [target]
    )
    #expect(try failure { try KeyedUnarchiver.unarchive(ForgedPair.self, from: data) }.code == .damaged)
    #expect(try failure { try KeyedUnarchiver.unarchive([ForgedOwned].self, from: data) }.code == .damaged)
    #expect(
      try failure { try KeyedUnarchiver.unarchive([Deferred<ForgedOwned>].self, from: data) }.code == .damaged
    )
    #expect(
      try failure { try KeyedUnarchiver.unarchive(Polymorphic<[any Codable]>.self, from: data) }.kind
        != .invalidValue
    )
  }

  @Test("conditional references with an unknown number or to another class are refused")
  func otherConditionals() throws {
    for (number, code) in [(1, .damaged), (0, .typeMismatch)] as [(UInt8, ArchiveError.Code)] {
      let data = HandmadeArchive.data(
        bodies: [[1] + CraftedArchive.map(("me", [Tag.none]))],
        topLevel: CraftedArchive.root(
          [Tag.shortArray + 2] + CraftedArchive.reference(1) + [Tag.conditionalReference, number]
        ),
        conditionals: [[1]]
      )
      #expect(try failure { try KeyedUnarchiver.unarchive(ForgedOtherPair.self, from: data) }.code == code)
    }
  }

  // MARK: Proportion

  @Test("a value behind 100,000 nested type names is read on small stacks, and refused as other types")
  func typedDepth() throws {
    let classes = [HandmadeArchive.type("Zoo.Group", flags: 2)]
    let names = Bytes.repeating([Tag.typed, 0], count: 100_000)
    let empty = CraftedArchive.map(("parts", [Tag.shortArray]))
    let data = HandmadeArchive.data(topLevel: CraftedArchive.root(names + empty), classes: classes)
    for stackSize in [512 << 10, 8 << 20] {
      try onThread(stackSize: stackSize) {
        let value = try KeyedUnarchiver.unarchive(Polymorphic<any HostileShape>.self, from: data).wrappedValue
        #expect((value as? HostileGroup)?.parts.count == 0)
        #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive(Int.self, from: data) }
        #expect(throws: DecodingError.self) {
          try KeyedUnarchiver.unarchive(WeakReference<HostileCat>.self, from: data)
        }
      }
    }
  }

  @Test("60,000 references to a value behind a protocol are read, and refused if the value is large")
  func manyReferences() throws {
    let references = CraftedArchive.array(
      Array(repeating: CraftedArchive.reference(1), count: Self.manyCount)
    )
    func archive(_ content: [UInt8]) -> Data {
      HandmadeArchive.data(
        bodies: [[1] + content],
        topLevel: CraftedArchive.root(references),
        classes: [HandmadeArchive.type("Zoo.Circle", flags: 1)]
      )
    }
    let small = archive(CraftedArchive.map(("radius", [0x91])))
    let circles = try KeyedUnarchiver.unarchive(Polymorphic<[any HostileShape]>.self, from: small)
      .wrappedValue
    #expect(circles.count == Self.manyCount && circles.allSatisfy { ($0 as? HostileCircle)?.radius == 1 })
    let blob = [Tag.bytes] + Bytes.varint(Self.manyCount) + [UInt8](repeating: 0, count: Self.manyCount)
    let large = archive(CraftedArchive.map(("radius", [0x91]), ("blob", blob)))
    let found = try failure {
      try KeyedUnarchiver.unarchive(Polymorphic<[any HostileShape]>.self, from: large)
    }
    #expect(found.code == .limitExceeded)
    let animals = try refusal([HostileAnimal].self, small)
    #expect(animals.code == .typeMismatch)
  }

  @Test("groups that contain themselves or double at each level exceed a limit")
  func groupsInGroups() throws {
    let own = HandmadeArchive.data(
      bodies: [[1] + CraftedArchive.map(("parts", CraftedArchive.array([CraftedArchive.reference(1)])))],
      topLevel: CraftedArchive.root(CraftedArchive.reference(1)),
      classes: [HandmadeArchive.type("Zoo.Group", flags: 1)]
    )
    let type = Polymorphic<any HostileShape>.self
    #expect(try failure { try KeyedUnarchiver.unarchive(type, from: own) }.code == .limitExceeded)
    let doubling = HandmadeArchive.data(
      bodies: (1...40).map { number in
        let next = number == 40 ? [] : Array(repeating: CraftedArchive.reference(number + 1), count: 2)
        return [1] + CraftedArchive.map(("parts", CraftedArchive.array(next)))
      },
      topLevel: CraftedArchive.root(CraftedArchive.reference(1)),
      classes: [HandmadeArchive.type("Zoo.Group", flags: 1)]
    )
    #expect(try failure { try KeyedUnarchiver.unarchive(type, from: doubling) }.code == .limitExceeded)
  }

  @Test("a chain of 100 superclasses is read, and one of 60,000 refused")
  func longChain() throws {
    func chain(_ count: Int) -> Data {
      HandmadeArchive.data(
        bodies: [
          Bytes.varint(count)
            + CraftedArchive.map(("name", CraftedArchive.text("n")), ("friends", [Tag.shortArray]))
        ],
        topLevel: CraftedArchive.root(CraftedArchive.reference(1)),
        classes: (0..<count).map { [2, 0x43, UInt8($0 & 0x7F), 3] + Bytes.varint($0) + [0] }
      )
    }
    // The versions are of classes with other names, in a chain of another length.
    #expect(try KeyedUnarchiver.unarchive(HostileAnimal.self, from: chain(100)).version >= 0)
    #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(HostileAnimal.self, from: chain(Self.manyCount))
    }
  }
}

// MARK: - Readers

/// A structure for authors and posts, which are therefore decoded again at each reference.
private struct ForgedValue: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    _ = try container.decodeIfPresent([ForgedValue].self, forKey: "posts")
    _ = try container.decodeIfPresent(ForgedValue.self, forKey: "author")
  }
}

private final class ForgedOwned: Decodable {
  @Deferred var me: ForgedOwned?
}

private final class ForgedTwice: Decodable {
  @Deferred var me: Deferred<ForgedTwice?>
}

/// A strong reference and a weak one.
private struct ForgedPair: Decodable {
  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    _ = try elements.decode(ForgedOwned.self)
    _ = try elements.decode(WeakReference<ForgedOwned>.self)
  }
}

/// The same, but the second declares another class.
private struct ForgedOtherPair: Decodable {
  let object: ForgedOwned

  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    object = try elements.decode(ForgedOwned.self)
    _ = try elements.decode(WeakReference<ForgedTwice>.self)
  }
}
