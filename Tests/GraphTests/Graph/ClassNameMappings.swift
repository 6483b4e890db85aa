import Foundation
import Keepsake
import TestSupport
import Testing

/// Names that a program sets for its classes, and classes that it sets for names: for one coder, for the
/// process, or in the class itself. The most specific takes precedence.
///
/// All tests share the mappings of the process, so each test has its own names and classes.
@Suite struct ClassNameMappings {
  @Test("a name and a class are set for one archiver and one unarchiver")
  func perInstance() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.One", for: MappedOne.self)
    #expect(archiver.className(for: MappedOne.self) == "Mapped.One")
    #expect(archiver.className(for: MappedBase.self) == nil)
    #expect(KeyedArchiver.className(for: MappedOne.self) == nil)
    try archiver.encode([MappedOne()] as [MappedBase], forKey: "list")
    let data = try archiver.encodedData
    #expect(data.range(of: Data("Mapped.One".utf8)) != nil)

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(
      try failure { try unarchiver.decode([MappedBase].self, forKey: "list") }.code == .unresolvableClass
    )
    unarchiver.setClass(MappedOne.self, forClassName: "Mapped.One")
    #expect(unarchiver.class(forClassName: "Mapped.One") == MappedOne.self)
    #expect(KeyedUnarchiver.class(forClassName: "Mapped.One") == nil)
    #expect(try unarchiver.decode([MappedBase].self, forKey: "list")[0] is MappedOne)

    let other = try KeyedUnarchiver(forReadingFrom: data)
    other.setClass(MappedOne.self, forClassName: "Mapped.One")
    other.setClass(nil, forClassName: "Mapped.One")
    #expect(try failure { try other.decode([MappedBase].self, forKey: "list") }.code == .unresolvableClass)
  }

  @Test("a name and a class are set for the process, and removed")
  func perProcess() throws {
    KeyedArchiver.setClassName("Mapped.Two", for: MappedTwo.self)
    #expect(KeyedArchiver.className(for: MappedTwo.self) == "Mapped.Two")
    let data = try ArchiveEncoder().encode([MappedTwo()] as [MappedBase])
    KeyedArchiver.setClassName(nil, for: MappedTwo.self)
    #expect(KeyedArchiver.className(for: MappedTwo.self) == nil)
    let plain = try ArchiveEncoder().encode([MappedTwo()] as [MappedBase])
    #expect(data.range(of: Data("Mapped.Two".utf8)) != nil && plain.range(of: Data("Mapped.Two".utf8)) == nil)

    #expect(
      try failure { try ArchiveDecoder().decode([MappedBase].self, from: data) }.code == .unresolvableClass
    )
    KeyedUnarchiver.setClass(MappedTwo.self, forClassName: "Mapped.Two")
    #expect(KeyedUnarchiver.class(forClassName: "Mapped.Two") == MappedTwo.self)
    #expect(try ArchiveDecoder().decode([MappedBase].self, from: data)[0] is MappedTwo)
    #expect(try ArchiveDecoder().decode([MappedBase].self, from: plain)[0] is MappedTwo)
    KeyedUnarchiver.setClass(nil, forClassName: "Mapped.Two")
    #expect(
      try failure { try ArchiveDecoder().decode([MappedBase].self, from: data) }.code == .unresolvableClass
    )
  }

  @Test("the archiver's name takes precedence over the process's, and that over the declared one")
  func writingOrder() throws {
    func name(_ configure: (KeyedArchiver) -> Void = { _ in }) throws -> String? {
      let archiver = KeyedArchiver()
      configure(archiver)
      try archiver.encode([MappedStated()] as [MappedBase], forKey: "list")
      let data = try archiver.encodedData
      return ["Mapped.Stated", "Mapped.Process", "Mapped.Own"].first { data.range(of: Data($0.utf8)) != nil }
    }
    #expect(try name() == "Mapped.Stated")
    KeyedArchiver.setClassName("Mapped.Process", for: MappedStated.self)
    #expect(try name() == "Mapped.Process")
    #expect(try name { $0.setClassName("Mapped.Own", for: MappedStated.self) } == "Mapped.Own")
    KeyedArchiver.setClassName(nil, for: MappedStated.self)
    #expect(try name() == "Mapped.Stated")
  }

  @Test("the unarchiver's class takes precedence over the process's, and that over the declared one")
  func readingOrder() throws {
    let data = try ArchiveEncoder().encode([MappedThree()] as [MappedBase])
    func type(_ configure: (KeyedUnarchiver) -> Void = { _ in }) throws -> ObjectIdentifier {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      configure(unarchiver)
      return ObjectIdentifier(Swift.type(of: try unarchiver.decode([MappedBase].self, forKey: "root")[0]))
    }
    #expect(try type() == ObjectIdentifier(MappedThree.self))
    KeyedUnarchiver.setClass(MappedFour.self, forClassName: "Mapped.Three")
    #expect(try type() == ObjectIdentifier(MappedFour.self))
    let own = try type { $0.setClass(MappedFive.self, forClassName: "Mapped.Three") }
    #expect(own == ObjectIdentifier(MappedFive.self))
    KeyedUnarchiver.setClass(nil, forClassName: "Mapped.Three")
    #expect(try type() == ObjectIdentifier(MappedThree.self))
  }

  @Test("a generic class with a stated name is found when it is registered")
  func generic() throws {
    let list: [MappedBase] = [MappedGeneric<Int>()]
    #expect(try failure { try ArchiveEncoder().encode(list) }.code == .unresolvableClass)
    KeyedUnarchiver.setClass(MappedGeneric<Int>.self, forClassName: "Mapped.Generic")
    let data = try ArchiveEncoder().encode(list)
    #expect(try ArchiveDecoder().decode([MappedBase].self, from: data)[0] is MappedGeneric<Int>)
    // Another specialization has the same name, by which readers would find the first.
    let other: [MappedBase] = [MappedGeneric<String>()]
    #expect(try failure { try ArchiveEncoder().encode(other) }.code == .unresolvableClass)
    KeyedUnarchiver.setClass(nil, forClassName: "Mapped.Generic")
    #expect(
      try failure { try ArchiveDecoder().decode([MappedBase].self, from: data) }.code == .unresolvableClass
    )
  }

  @Test("two classes with one name in one archive are refused", arguments: [true, false])
  func oneName(isGivenTwice: Bool) throws {
    let name = isGivenTwice ? "Mapped.Both" : "GraphTests.MappedTwo"
    let (one, two) = (MappedOne(), MappedTwo())
    let archiver = KeyedArchiver()
    archiver.setClassName(name, for: MappedOne.self)
    if isGivenTwice { archiver.setClassName(name, for: MappedTwo.self) }
    let found = try failure { try archiver.encode([one, two] as [MappedBase], forKey: "list") }
    #expect(found.code == .unresolvableClass && found.path == "list/[1]" && found.description.contains(name))
    let taken = try failure { try archiver.encode([MappedTaken()] as [MappedBase], forKey: "list") }
    #expect(taken.code == .unresolvableClass && taken.description.contains("MappedThree and GraphTests"))
    try archiver.encode([two], forKey: "others")
    try archiver.encode([one] as [MappedBase], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.setClass(MappedOne.self, forClassName: name)
    #expect(try unarchiver.decode([MappedBase].self, forKey: "list")[0] is MappedOne)
    #expect(try unarchiver.decode([MappedTwo].self, forKey: "others").count == 1)
  }

  @Test(
    "an empty name and names reserved by the format are refused",
    arguments: ["", "Keepsake.Lazy", "Keepsake.MixedArray", "Keepsake.MixedNothing"]
  )
  func keptNames(name: String) throws {
    struct Value: Codable {}
    let archiver = KeyedArchiver()
    archiver.setClassName(name, for: MappedOne.self)
    archiver.setClassName(name, for: MappedMiddle.self)
    archiver.setClassName(name, for: Value.self)
    #expect(try failure { try archiver.encode([MappedOne()] as [MappedBase], forKey: "a") }.code == .misuse)
    #expect(try failure { try archiver.encode(MappedOne(), forKey: "b") }.code == .misuse)
    #expect(try failure { try archiver.encode([MappedLeaf()], forKey: "c") }.code == .misuse)
    let found = try failure { try archiver.encode([Polymorphic<any Codable>(Value())], forKey: "d") }
    #expect(found.code == .misuse && found.path == "d/[0]" && found.description.contains("\"\(name)\""))
    archiver.setClassName(nil, for: MappedOne.self)
    try archiver.encode([MappedOne()] as [MappedBase], forKey: "e")
    try archiver.encode(Polymorphic<Any>([1, [2] as [Any]] as [Any]), forKey: "f")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys.sorted() == ["e", "f"])
    #expect(try unarchiver.decode([MappedBase].self, forKey: "e")[0] is MappedOne)
  }

  @Test("a class may be archived under the name of its superclass")
  func superclassName() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("GraphTests.MappedMiddle", for: MappedLeaf.self)
    let list: [MappedBase] = [MappedMiddle(), MappedLeaf(), MappedMiddle()]
    try archiver.encode(list, forKey: "list")
    let back = try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(
      [MappedBase].self,
      forKey: "list"
    )
    #expect(back.count == 3 && back.allSatisfy { type(of: $0) == MappedMiddle.self })
  }

  @Test("a private class is archived under a set name, and read by a set class")
  func privateClass() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Hidden", for: MappedHidden.self)
    try archiver.encode([MappedHidden()] as [MappedBase], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.setClass(MappedHidden.self, forClassName: "Mapped.Hidden")
    #expect(try unarchiver.decode([MappedBase].self, forKey: "list")[0] is MappedHidden)
  }

  @Test("aliases find renamed classes")
  func aliases() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Older", for: MappedFour.self)
    archiver.setClassName("Mapped.Oldest", for: MappedFive.self)
    try archiver.encode([MappedFour(), MappedFive()] as [MappedBase], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let back = try unarchiver.decode([MappedBase].self, forKey: "list")
    #expect(back[0] is MappedThree && back[1] is MappedThree)
  }

  @Test("a name of two classes is refused if both fit")
  func sharedAlias() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Older.Both", for: MappedSix.self)
    try archiver.encode([MappedSix()] as [MappedBase], forKey: "list")
    let data = try archiver.encodedData
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let found = try failure { try unarchiver.decode([MappedBase].self, forKey: "list") }
    #expect(found.code == .unresolvableClass && found.path == "list/[0]", "\(found)")
    #expect(found.description.contains("Mapped.Older.Both, which is the name of 2 types"), "\(found)")
    #expect(found.description.contains("Give each its own archivedClassName"), "\(found)")
    // Only one of these fits.
    let other = try KeyedUnarchiver(forReadingFrom: data)
    let odd = try other.decode(Polymorphic<[any MappedOdd]>.self, forKey: "list").wrappedValue
    #expect(odd.count == 1 && odd[0] is MappedSeven)
    unarchiver.setClass(MappedSix.self, forClassName: "Mapped.Older.Both")
    #expect(try unarchiver.decode([MappedBase].self, forKey: "list")[0] is MappedSix)
  }

  @Test("with the policy registeredOnly, only registered and declared classes are decoded")
  func registeredOnly() throws {
    let data = try ArchiveEncoder().encode([MappedSix(), MappedBase()] as [MappedBase])
    var decoder = ArchiveDecoder()
    decoder.classPolicy = .registeredOnly
    let found = try failure { try decoder.decode([MappedBase].self, from: data) }
    #expect(found.code == .unresolvableClass && found.path == "[0]" && found.description.contains("setClass"))
    #expect(
      try failure {
        try KeyedUnarchiver.unarchive([MappedBase].self, from: data, classPolicy: .registeredOnly)
      }.code == .unresolvableClass
    )
    let plain = try ArchiveEncoder().encode([MappedBase()])
    #expect(try decoder.decode([MappedBase].self, from: plain).count == 1)

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.classPolicy = .registeredOnly
    #expect(
      try failure { try unarchiver.decode([MappedBase].self, forKey: "root") }.code == .unresolvableClass
    )
    unarchiver.setClass(MappedSix.self, forClassName: "GraphTests.MappedSix")
    #expect(try unarchiver.decode([MappedBase].self, forKey: "root")[0] is MappedSix)
    #expect(try ArchiveDecoder().decode([MappedBase].self, from: data)[0] is MappedSix)
  }

  @Test("with the policy registeredOnly, collections need no registration, but their elements do")
  func registeredElements() throws {
    let data = try ArchiveEncoder().encode(Polymorphic<Any>(["a": [1, Any?.none as Any]] as [String: Any]))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.classPolicy = .registeredOnly
    let found = try failure { try unarchiver.decode(Polymorphic<Any>.self, forKey: "root") }
    #expect(found.code == .unresolvableClass && found.description.contains("Swift.Int,"))
    unarchiver.setClass(Int.self, forClassName: "Swift.Int")
    let back = try unarchiver.decode(Polymorphic<Any>.self, forKey: "root").wrappedValue as? [String: [Any]]
    #expect(back?["a"]?.first as? Int == 1 && back?["a"]?.count == 2)
  }

  @Test("a changed class applies from the next decode on")
  func changedMeanwhile() throws {
    let archiver = KeyedArchiver()
    for key in ["a", "b", "c"] { try archiver.encode([MappedSix()] as [MappedBase], forKey: key) }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode([MappedBase].self, forKey: "a")[0] is MappedSix)
    unarchiver.setClass(MappedFive.self, forClassName: "GraphTests.MappedSix")
    #expect(try unarchiver.decode([MappedBase].self, forKey: "b")[0] is MappedFive)
    unarchiver.setClass(nil, forClassName: "GraphTests.MappedSix")
    unarchiver.classPolicy = .registeredOnly
    #expect(throws: DecodingError.self) { try unarchiver.decode([MappedBase].self, forKey: "c") }
  }

  @Test(
    "a class that is no subclass is refused before any initializer runs",
    arguments: ["own", "process", "name"]
  )
  func checkedFirst(way: String) throws {
    let archiver = KeyedArchiver()
    // The name of a class of this program that is unrelated to the declared one.
    let name = way == "name" ? "GraphTests.MappedTrap" : "Mapped.Trap.\(way)"
    archiver.setClassName(name, for: MappedOne.self)
    try archiver.encode(["x": [MappedOne()]] as [String: [MappedBase]], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let runs = TrapRuns()
    unarchiver.userInfo[.named("runs")] = runs
    if way == "own" { unarchiver.setClass(MappedTrap.self, forClassName: name) }
    if way == "process" { KeyedUnarchiver.setClass(MappedTrap.self, forClassName: name) }
    defer { if way == "process" { KeyedUnarchiver.setClass(nil, forClassName: name) } }
    let found = try failure { try unarchiver.decode([String: [MappedBase]].self, forKey: "list") }
    #expect(found.kind == .typeMismatch && found.path == "list/x/[0]")
    #expect(found.description.contains("MappedTrap") && found.description.contains("MappedBase"))
    #expect(runs.count == 0)
    // Nor is a superclass of the declared class a subclass.
    unarchiver.setClass(MappedBase.self, forClassName: name)
    #expect(throws: DecodingError.self) { try unarchiver.decode([String: [MappedOne]].self, forKey: "list") }
    #expect(try unarchiver.decode([String: [MappedBase]].self, forKey: "list")["x"]?.count == 1)
  }

  @Test("a type that is mapped and is not a class is an error")
  func notDecodable() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Odd", for: MappedOne.self)
    try archiver.encode([MappedOne()] as [MappedBase], forKey: "list")
    for odd in [Int.self, [MappedOne].self, String?.self] as [any Decodable.Type] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      unarchiver.setClass(odd, forClassName: "Mapped.Odd")
      #expect(try failure { try unarchiver.decode([MappedBase].self, forKey: "list") }.kind == .typeMismatch)
    }
  }

  @Test("a class that an initializer sets applies to the next object")
  func whileDecoding() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Late", for: MappedOne.self)
    try archiver.encode(MappingNest(depth: 20), forKey: "nest")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[.named("mapping")] = ClassMapping { [weak unarchiver] in
      unarchiver?.setClass(MappedOne.self, forClassName: "Mapped.Late")
    }
    var nest: MappingNest? = try unarchiver.decode(MappingNest.self, forKey: "nest")
    var count = 0
    while let next = nest {
      #expect(next.list.count == 1 && next.list[0] is MappedOne)
      (nest, count) = (next.inner.first, count + 1)
    }
    #expect(count == 20)
  }

  @Test("many threads set classes for names at once")
  func threads() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let name = "Mapped.Thread.\(number).\(round % 3)"
            KeyedUnarchiver.setClass(MappedOne.self, forClassName: name)
            guard KeyedUnarchiver.class(forClassName: name) == MappedOne.self else { return false }
            KeyedUnarchiver.setClass(nil, forClassName: name)
          }
          return true
        }
      }
      for await result in group { #expect(result) }
    }
  }
}

// MARK: - Classes

class MappedBase: Codable {}
final class MappedOne: MappedBase {}
final class MappedTwo: MappedBase {}
class MappedMiddle: MappedBase {}
final class MappedLeaf: MappedMiddle {}
final class MappedFour: MappedBase {}
final class MappedFive: MappedBase {}
final class MappedSix: MappedBase {}

protocol MappedOdd {}

final class MappedSeven: MappedBase, ArchivableClass, MappedOdd {
  static var archivedClassName: String { "Mapped.Seven" }
  static var archivedClassAliases: [String] { ["Mapped.Older.Both"] }
}

final class MappedEight: MappedBase, ArchivableClass {
  static var archivedClassName: String { "Mapped.Eight" }
  static var archivedClassAliases: [String] { ["Mapped.Older.Both"] }
}

/// Its name is an alias of another class.
final class MappedTaken: MappedBase {}

final class MappedStated: MappedBase, ArchivableClass {
  static var archivedClassName: String { "Mapped.Stated" }
}

final class MappedThree: MappedBase, ArchivableClass {
  static var archivedClassName: String { "Mapped.Three" }
  static var archivedClassAliases: [String] { ["Mapped.Older", "Mapped.Oldest", "GraphTests.MappedTaken"] }
}

final class MappedGeneric<Content>: MappedBase, ArchivableClass {
  static var archivedClassName: String { "Mapped.Generic" }
}

private final class MappedHidden: MappedBase {}

private struct ClassMapping {
  let set: () -> Void
}

/// Sets a class before and after it decodes an object of its own class.
private final class MappingNest: Codable {
  let inner: [MappingNest]
  let list: [MappedBase]

  init(depth: Int) {
    inner = depth > 1 ? [MappingNest(depth: depth - 1)] : []
    list = [MappedOne()]
  }

  init(from decoder: any Decoder) throws {
    let mapping = decoder.userInfo[.named("mapping")] as? ClassMapping
    let container = try decoder.container(keyedBy: CodingKeys.self)
    mapping?.set()
    inner = try container.decode([MappingNest].self, forKey: .inner)
    mapping?.set()
    list = try container.decode([MappedBase].self, forKey: .list)
  }
}

private final class TrapRuns {
  var count = 0
}

final class MappedTrap: Codable {
  init(from decoder: any Decoder) throws {
    (decoder.userInfo[.named("runs")] as? TrapRuns)?.count += 1
  }
}
