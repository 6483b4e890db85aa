import Foundation
import Keepsake
import TestSupport
import Testing

/// Names that a program sets for its classes, and classes that it sets for names: for one coder, for the
/// process, or in the class itself. The most specific takes precedence.
///
/// All tests, also `ClassesForNames`, share the mappings of the process, so each has its own names and classes.
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
