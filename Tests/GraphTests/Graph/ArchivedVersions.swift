import Foundation
import Keepsake
import TestSupport
import Testing

/// `archivedVersion(of:)`: the version that each class of an object had when it was archived.
@Suite struct ArchivedVersions {
  @Test("each class of a hierarchy has its own version")
  func levels() throws {
    let back = try roundTrip([VersionedLeaf(), VersionedBase(), VersionedMiddle()] as [VersionedBase])
    #expect(back[0].versions == ["base": 3, "middle": 0, "leaf": 7])
    #expect(back[1].versions == ["base": 3] && back[2].versions == ["base": 3, "middle": 0])
  }

  @Test("an archive of older classes has their versions, under the current names")
  func older() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("GraphTests.VersionedLeaf", for: OldLeaf.self)
    archiver.setClassName("GraphTests.VersionedBase", for: OldBase.self)
    try archiver.encode([OldLeaf(), OldBase()] as [OldBase], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let back = try unarchiver.decode([VersionedBase].self, forKey: "list")
    // The middle class did not exist yet.
    #expect(back[0].versions == ["base": 1, "middle": 0, "leaf": 2] && back[0] is VersionedLeaf)
    #expect(back[1].versions == ["base": 1] && type(of: back[1]) == VersionedBase.self)
  }

  @Test("a renamed class without polymorphism is identified by its position in the hierarchy")
  func renamedLeaf() throws {
    let data = try ArchiveEncoder().encode([OldLeaf()])
    let back = try ArchiveDecoder().decode([RenamedLeaf].self, from: data)
    #expect(back[0].versions == ["base": 1, "leaf": 2])
    // With a new class between them.
    let inserted = try ArchiveDecoder().decode([VersionedLeaf].self, from: data)
    #expect(inserted[0].versions["leaf"] == 2 && inserted[0].versions["middle"] == 0)
  }

  @Test("a class without a version and a type outside the hierarchy have version 0")
  func none() throws {
    let back = try roundTrip([Asking()])
    #expect(back[0].versions == ["own": 0, "other": 0, "structure": 0, "Int": 0])
  }

  @Test("versions are right in structures of an object, and after its children")
  func nested() throws {
    let back = try roundTrip(VersionedOwner(part: .init(), inner: .init(part: .init(), inner: nil)))
    #expect(back.before == 5 && back.after == 5 && back.part.ofOwner == 5)
    #expect(back.inner?.before == 5 && back.inner?.part.ofOwner == 5)
  }

  @Test("a superclass that reads from a super decoder gets its version")
  func superDecoder() throws {
    let back = try roundTrip(SuperVersioned())
    #expect(back.versions == ["base": 3, "leaf": 9])
  }

  @Test("a deferred object gets its versions")
  func deferred() throws {
    let back = try roundTrip(VersionedLater(leaf: VersionedLeaf()))
    #expect(back.leaf.versions == ["base": 3, "middle": 0, "leaf": 7])
  }

  @Test("the top level has version 0, and decoders of other formats the current version")
  func elsewhere() throws {
    let archiver = KeyedArchiver()
    try VersionedBase().encode(to: archiver)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.archivedVersion(of: VersionedBase.self) == 0)
    let json = try JSONDecoder().decode([VersionedLeaf].self, from: JSONEncoder().encode([VersionedLeaf()]))
    #expect(json[0].versions == ["base": 3, "middle": 0, "leaf": 7])
  }

  @Test("a negative version is archived as 0")
  func negative() throws {
    #expect(try roundTrip([NegativelyVersioned()])[0].version == 0)
  }
}

// MARK: - Classes

class VersionedBase: Codable, ArchivableClass {
  class var archiveVersion: Int { 3 }
  class var archivedClassName: String { "GraphTests.VersionedBase" }
  private(set) var versions: [String: Int] = [:]

  init() {}

  required init(from decoder: any Decoder) throws {
    versions["base"] = decoder.archivedVersion(of: VersionedBase.self)
  }

  func encode(to encoder: any Encoder) throws {}

  fileprivate func note(_ version: Int, _ level: String) { versions[level] = version }
}

class VersionedMiddle: VersionedBase {
  override class var archiveVersion: Int { 0 }
  override class var archivedClassName: String { "GraphTests.VersionedMiddle" }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    note(decoder.archivedVersion(of: VersionedMiddle.self), "middle")
  }
}

final class VersionedLeaf: VersionedMiddle {
  override class var archiveVersion: Int { 7 }
  override class var archivedClassName: String { "GraphTests.VersionedLeaf" }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    note(decoder.archivedVersion(of: VersionedLeaf.self), "leaf")
  }
}

/// Earlier versions of the classes: no middle class, other versions.
private class OldBase: Codable, ArchivableClass {
  class var archiveVersion: Int { 1 }
  class var archivedClassName: String { "ArchivedVersions.OldBase" }
}

private final class OldLeaf: OldBase {
  override class var archiveVersion: Int { 2 }
  override class var archivedClassName: String { "ArchivedVersions.OldLeaf" }
}

private class RenamedBase: Codable, ArchivableClass {
  class var archiveVersion: Int { 30 }
  private(set) var versions: [String: Int] = [:]

  required init(from decoder: any Decoder) throws {
    versions["base"] = decoder.archivedVersion(of: RenamedBase.self)
  }

  func encode(to encoder: any Encoder) throws {}

  fileprivate func note(_ version: Int) { versions["leaf"] = version }
}

private final class RenamedLeaf: RenamedBase {
  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    note(decoder.archivedVersion(of: RenamedLeaf.self))
  }
}

private final class Asking: Codable {
  struct Structure: ArchivableClass { static var archiveVersion: Int { 4 } }
  private(set) var versions: [String: Int] = [:]
  private enum CodingKeys: CodingKey {}

  init() {}

  init(from decoder: any Decoder) throws {
    versions["own"] = decoder.archivedVersion(of: Asking.self)
    versions["other"] = decoder.archivedVersion(of: VersionedLeaf.self)
    versions["structure"] = decoder.archivedVersion(of: Structure.self)
    versions["Int"] = decoder.archivedVersion(of: Int.self)
  }
}

private final class VersionedOwner: Codable, ArchivableClass {
  struct Part: Codable {
    private(set) var ofOwner = 0
    private enum CodingKeys: CodingKey {}

    init() {}

    init(from decoder: any Decoder) throws {
      ofOwner = decoder.archivedVersion(of: VersionedOwner.self)
    }
  }

  static var archivedClassName: String { "ArchivedVersions.Owner" }
  static var archiveVersion: Int { 5 }
  let part: Part
  let inner: VersionedOwner?
  private(set) var before = 0
  private(set) var after = 0
  private enum CodingKeys: CodingKey { case part, inner }

  init(part: Part, inner: VersionedOwner?) {
    self.part = part
    self.inner = inner
  }

  init(from decoder: any Decoder) throws {
    before = decoder.archivedVersion(of: VersionedOwner.self)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    part = try container.decode(Part.self, forKey: .part)
    inner = try container.decodeIfPresent(VersionedOwner.self, forKey: .inner)
    after = decoder.archivedVersion(of: VersionedOwner.self)
  }
}

private final class SuperVersioned: VersionedBase {
  override class var archiveVersion: Int { 9 }
  override class var archivedClassName: String { "ArchivedVersions.SuperVersioned" }
  private enum CodingKeys: CodingKey { case text }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try super.init(from: container.superDecoder())
    note(decoder.archivedVersion(of: SuperVersioned.self), "leaf")
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("text", forKey: .text)
    try super.encode(to: container.superEncoder())
  }
}

private final class VersionedLater: Codable {
  @Deferred var leaf: VersionedBase

  init(leaf: VersionedBase) {
    self.leaf = leaf
  }
}

private final class NegativelyVersioned: Codable, ArchivableClass {
  static var archivedClassName: String { "ArchivedVersions.Negative" }
  static var archiveVersion: Int { -3 }
  private(set) var version = 1
  private enum CodingKeys: CodingKey {}

  init() {}

  init(from decoder: any Decoder) throws {
    version = decoder.archivedVersion(of: NegativelyVersioned.self)
  }
}
