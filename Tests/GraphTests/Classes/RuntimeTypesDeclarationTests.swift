import Foundation
import TestSupport
import Testing

@testable import Keepsake

@Suite("types that declare their names") struct RuntimeTypesDeclarationTests {
  @Test("by default, a type declares the runtime's name, no aliases and version 0")
  func defaults() {
    #expect(StatedNothing.archivedClassName == "GraphTests.StatedNothing")
    #expect(StatedNothing.archivedClassAliases.isEmpty)
    #expect(StatedNothing.archiveVersion == 0)
    #expect(found("GraphTests.StatedNothing") == [ObjectIdentifier(StatedNothing.self)])
    #expect(RuntimeTypes.declaredName(of: StatedNothing.self) == "GraphTests.StatedNothing")
  }

  @Test("classes, structures and enumerations are found by name and alias, wherever they are nested")
  func kinds() {
    let types: [(String, Any.Type)] = [
      ("stated.class", StatedNames.Class.self), ("Old.Class", StatedNames.Class.self),
      ("the oldest class", StatedNames.Class.self), ("stated.struct", StatedNames.Structure.self),
      ("stated.enum", StatedNames.Enumeration.self), ("日本", StatedNames.Enumeration.self),
      ("stated.extension", StatedInExtension.self), ("stated.hidden", StatedHidden.self),
    ]
    for (name, type) in types { #expect(found(name) == [ObjectIdentifier(type)], "\(name)") }
    #expect(found("stated.nothing").isEmpty)
    #expect(found("").isEmpty)
    // A type that declares a name is not found by the runtime's name.
    #expect(found("GraphTests.StatedNames.Class").isEmpty)
  }

  @Test("a name that several types claim gives all of them")
  func claimedTwice() {
    let expected: Set = [ObjectIdentifier(StatedTwin1.self), ObjectIdentifier(StatedTwin2.self)]
    #expect(found("stated.twin") == expected)
    #expect(RuntimeTypes.declaring(name: "stated.twin").count == 2)
    // Name and alias are equal here; that is one declaration.
    #expect(RuntimeTypes.declaring(name: "stated.itself").count == 1)
  }

  @Test("a subclass that overrides the name of its superclass is found by its own, at any distance")
  func subclasses() {
    #expect(found("stated.base") == [ObjectIdentifier(StatedBase.self)])
    #expect(found("stated.leaf") == [ObjectIdentifier(StatedLeaf.self)])
    #expect(found("stated.leaf.alias") == [ObjectIdentifier(StatedLeaf.self)])
    #expect(found("stated.below generic") == [ObjectIdentifier(StatedBelowGeneric.self)])
    #expect(found("stated.generic").isEmpty)
  }

  @Test("an inherited name belongs to the superclass")
  func inherited() {
    #expect(RuntimeTypes.declaredName(of: StatedBase.self) == "stated.base")
    #expect(RuntimeTypes.declaredAliases(of: StatedBase.self) == ["stated.base.alias"])
    #expect(RuntimeTypes.declaredName(of: StatedMiddle.self) == nil)
    #expect(RuntimeTypes.declaredAliases(of: StatedMiddle.self).isEmpty)
    #expect(RuntimeTypes.declaredName(of: StatedLeaf.self) == "stated.leaf")
    #expect(found("stated.base.alias") == [ObjectIdentifier(StatedBase.self)])
    // If the superclass has the runtime's name, so has the subclass.
    #expect(RuntimeTypes.declaredName(of: StatedNothingEither.self) == "GraphTests.StatedNothingEither")
    #expect(found("GraphTests.StatedNothingEither") == [ObjectIdentifier(StatedNothingEither.self)])
    #expect(RuntimeTypes.declaredName(of: Int.self) == nil)
    #expect(RuntimeTypes.declaredAliases(of: Int.self).isEmpty)
  }

  @Test("a private type is not found by the runtime's name, which contains an address")
  func unspeakable() {
    let name = String(reflecting: StatedHiddenByDefault.self)
    #expect(name.contains("("))
    #expect(found(name).isEmpty)
    #expect(found("stated.hidden alias") == [ObjectIdentifier(StatedHiddenByDefault.self)])
  }

  @Test("another process finds types that it never used")
  func otherProcess() throws {
    for (name, answer) in [
      ("probe.hound", "archive_probe.Kennel.Hound\n"), ("Old.Hound", "archive_probe.Kennel.Hound\n"),
      ("probe.den", "archive_probe.Kennel.Den\n"), ("probe.pup", "archive_probe.Kennel.Pup\n"),
      ("probe.cat", "archive_probe.Cat\narchive_probe.OtherCat\n"), ("probe.nobody", ""),
    ] {
      let output = String(decoding: try Probe.run("class-declaring", name), as: UTF8.self)
      #expect(output == answer, "\(name)")
    }
    let hidden = String(decoding: try Probe.run("class-declaring", "probe.hidden"), as: UTF8.self)
    #expect(hidden.hasPrefix("archive_probe.(unknown context at $"))
    for name in ["archive_probe.Kennel.Bone", "Foundation.Date", "archive_probe.Kennel.Nobody"] {
      let output = String(decoding: try Probe.run("class-named", name), as: UTF8.self)
      #expect(output == (name.hasSuffix("Nobody") ? "" : name + "\n"))
    }
  }

  private func found(_ name: String) -> Set<ObjectIdentifier> {
    Set(RuntimeTypes.declaring(name: name).map { ObjectIdentifier($0) })
  }
}

@Suite("conformance of one type to another") struct RuntimeTypesConformanceTests {
  @Test("conforms is true for the same class and subclasses")
  func classes() {
    #expect(RuntimeTypes.conforms(StatedLeaf.self, to: StatedBase.self) == true)
    #expect(RuntimeTypes.conforms(StatedBelowGeneric.self, to: StatedGeneric<Int>.self) == true)
    #expect(RuntimeTypes.conforms(StatedBelowGeneric.self, to: StatedGeneric<String>.self) == false)
    #expect(RuntimeTypes.conforms(StatedBase.self, to: StatedBase.self) == true)
    #expect(RuntimeTypes.conforms(StatedBase.self, to: StatedLeaf.self) == false)
    #expect(RuntimeTypes.conforms(Int.self, to: StatedBase.self) == false)
    #expect(RuntimeTypes.conforms(StatedBase.self, to: AnyObject.self) == true)
    #expect(RuntimeTypes.conforms(Int.self, to: AnyObject.self) == false)
  }

  @Test("conforms is true for the same concrete type, and for hashable types and AnyHashable")
  func concrete() {
    let types: [Any.Type] = [
      Int.self, Int8.self, String.self, [Int].self, [String].self, Int?.self, (Int, Int).self, Date.self,
      (() -> Void).self, Int.Type.self, AnyHashable.self, NamedSquare.self, Never.self, Void.self,
    ]
    for (index, type) in types.enumerated() {
      for (other, expected) in types.enumerated() {
        let isWrapped = expected == AnyHashable.self && type is any Hashable.Type
        #expect(
          RuntimeTypes.conforms(type, to: expected) == (index == other || isWrapped),
          "\(type), \(expected)"
        )
      }
    }
  }

  @Test("conforms is true for existentials with private protocols and constraints")
  func existentials() {
    typealias Case = (type: Any.Type, expected: Any.Type, answer: Bool)
    let cases: [Case] = [
      (NamedSquare.self, (any NamedShape).self, true), (Int.self, (any NamedShape).self, false),
      (Round.self, (any HiddenShape).self, true), (NamedSquare.self, (any HiddenShape).self, false),
      (Round.self, (any HiddenShape & Codable).self, true),
      (Round.self, (any HiddenShape & Error).self, false),
      (Ball.self, (any Round & HiddenClassShape).self, true),
      (Round.self, (any Round & HiddenClassShape).self, false),
      (Ball.self, (any HiddenClassShape).self, true), (NamedSquare.self, (any HiddenClassShape).self, false),
      (Ball.self, (any HiddenShape & Sendable).self, true), (Int.self, (any Hashable & Codable).self, true),
      ([Int].self, (any Codable).self, true), ([NamedSquare].self, (any Codable).self, false),
      ([Int].self, (any Collection).self, true), (Int.self, (any Error).self, false),
      (CocoaError.self, (any Error).self, true), (Int.self, Any.self, true), (Ball.self, Any.self, true),
      (HiddenChoice.self, (any HiddenShape).self, true),
    ]
    for one in cases {
      #expect(RuntimeTypes.conforms(one.type, to: one.expected) == one.answer, "\(one.type), \(one.expected)")
      #expect(RuntimeTypes.conforms(one.expected, to: one.expected) == true)
    }
  }

  @Test("conforms is nil where existentials or associated types leave it open")
  func untold() {
    #expect(RuntimeTypes.conforms((any NamedShape & Codable).self, to: (any NamedShape).self) == nil)
    #expect(RuntimeTypes.conforms((any NamedShape).self, to: Int.self) == nil)
    #expect(RuntimeTypes.conforms((any NamedShape).self, to: Any.self) == true)
    #expect(RuntimeTypes.conforms([Int].self, to: (any Collection<Int>).self) == nil)
  }
}

// MARK: - Types

class StatedNothing: ArchivableClass {}
class StatedNothingEither: StatedNothing {}

enum StatedNames {
  final class Class: ArchivableClass {
    static var archivedClassName: String { "stated.class" }
    static var archivedClassAliases: [String] { ["Old.Class", "the oldest class"] }
  }

  struct Structure: ArchivableClass {
    static var archivedClassName: String { "stated.struct" }
  }

  enum Enumeration: ArchivableClass {
    case one
    static var archivedClassName: String { "stated.enum" }
    static var archivedClassAliases: [String] { ["日本"] }
  }
}

struct StatedInExtension {}

extension StatedInExtension: ArchivableClass {
  static var archivedClassName: String { "stated.extension" }
}

private final class StatedHidden: ArchivableClass {
  static var archivedClassName: String { "stated.hidden" }
}

private final class StatedHiddenByDefault: ArchivableClass {
  static var archivedClassAliases: [String] { ["stated.hidden alias"] }
}

struct StatedTwin1: ArchivableClass {
  static var archivedClassName: String { "stated.twin" }
}

struct StatedTwin2: ArchivableClass {
  static var archivedClassName: String { "stated.itself" }
  static var archivedClassAliases: [String] { ["stated.twin", "stated.itself"] }
}

class StatedBase: ArchivableClass {
  class var archivedClassName: String { "stated.base" }
  class var archivedClassAliases: [String] { ["stated.base.alias"] }
}

class StatedMiddle: StatedBase {}

final class StatedLeaf: StatedMiddle {
  override class var archivedClassName: String { "stated.leaf" }
  override class var archivedClassAliases: [String] { super.archivedClassAliases + ["stated.leaf.alias"] }
}

class StatedGeneric<Value>: StatedMiddle {
  override class var archivedClassName: String { "stated.generic" }
}

class StatedBelowGeneric: StatedGeneric<Int> {
  override class var archivedClassName: String { "stated.below generic" }
}

private protocol HiddenShape {}
private protocol HiddenClassShape: AnyObject {}
private class Round: HiddenShape, Codable, @unchecked Sendable {}
private final class Ball: Round, HiddenClassShape, @unchecked Sendable {}
private enum HiddenChoice: HiddenShape {}
