import Keepsake
import TestSupport
import Testing

/// Classes that register themselves while their initializer runs, with plain properties that lead back to
/// them.
@Suite struct SelfRegistration {
  @Test("children refer back to a parent that registered itself")
  func backReferences() throws {
    let folder = EarlyFolder("folder")
    folder.files = [PlainFile("a", folder), PlainFile("b", folder)]
    folder.inner = EarlyFolder("inner")
    folder.inner?.outer = folder
    let back = try roundTrip(folder)
    #expect(back.files.map(\.name) == ["a", "b"] && back.files.allSatisfy { $0.folder === back })
    #expect(back.inner?.outer === back && back.inner?.name == "inner")
    // Both register here, so either may come first.
    let inner = try roundTrip(try #require(folder.inner))
    #expect(inner.outer?.inner === inner && inner.outer?.files.count == 2)
  }

  private final class Reversed: Codable {
    let folder: EarlyFolder
    let file: PlainFile

    init(_ folder: EarlyFolder, _ file: PlainFile) { (self.folder, self.file) = (folder, file) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      file = try container.decode(PlainFile.self, forKey: .file)
      folder = try container.decode(EarlyFolder.self, forKey: .folder)
    }
  }

  @Test("an error advises to decode in the order of encoding")
  func otherOrder() throws {
    let folder = EarlyFolder("folder")
    folder.files = [PlainFile("a", folder)]
    let data = try ArchiveEncoder().encode(Reversed(folder, folder.files[0]))
    let found = try failure { try ArchiveDecoder().decode(Reversed.self, from: data) }
    #expect(found.code == .cycle && found.description.contains("in the order in which you encode them"))
  }

  @Test("an object that refers to itself comes back")
  func selfReference() throws {
    let folder = EarlyFolder("folder")
    folder.inner = folder
    folder.outer = folder
    let back = try roundTrip([folder])
    #expect(back[0].inner === back[0] && back[0].outer === back[0])
  }

  @Test("a cycle entered at an object that does not register is refused")
  func enteredByTheChild() throws {
    let folder = EarlyFolder("folder")
    let file = PlainFile("a", folder)
    folder.files = [file]
    let found = try failure { try ArchiveEncoder().encode(file) }
    #expect(found.code == .cycle && found.description.contains("PlainFile"))
    #expect(try failure { try ArchiveEncoder().encode(Two(file, folder)) }.code == .cycle)
    let back = try roundTrip(Two(folder, file))
    #expect(
      (back.one as? EarlyFolder)?.files[0] === back.other && (back.other as? PlainFile)?.folder === back.one
    )
  }

  @Test("a parent that was read before makes its children readable")
  func readBefore() throws {
    let folder = EarlyFolder("folder")
    let file = PlainFile("a", folder)
    folder.files = [file]
    let shelf = FileShelf(folders: [folder], files: [file])
    let back = try roundTrip(shelf)
    #expect(back.folders[0].files[0] === back.files[0] && back.files[0].folder === back.folders[0])
    #expect(
      try failure { try ArchiveEncoder().encode(ReversedShelf(files: [file], folders: [folder])) }.code
        == .cycle
    )
    // Deferred values are read last.
    let late = try roundTrip(LateShelf(files: [file], folders: [folder]))
    #expect(late.folders[0].files[0] === late.files[0] && late.files[0].folder === late.folders[0])
    #expect(
      try failure { try ArchiveEncoder().encode(TooLateShelf(files: [file], folders: [folder])) }.code
        == .cycle
    )
  }

  @Test(
    "a top-level key from which a cycle cannot be read is refused"
  )
  func acrossKeys() throws {
    let folder = EarlyFolder("folder")
    let file = PlainFile("a", folder)
    folder.files = [file]
    let archiver = KeyedArchiver()
    #expect(try failure { try archiver.encode(file, forKey: "file") }.code == .cycle)
    try archiver.encode(folder, forKey: "folder")
    #expect(try failure { try archiver.encode(file, forKey: "file") }.code == .cycle)
    try archiver.encode(["again": folder], forKey: "folders")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let folders = try unarchiver.decode([String: EarlyFolder].self, forKey: "folders")
    let back = try unarchiver.decode(EarlyFolder.self, forKey: "folder")
    #expect(folders["again"] === back && back.files[0].folder === back)
    #expect(unarchiver.allKeys == ["folder", "folders"])
  }

  @Test("deferred values within deferred values are read after these, as the archiver expects")
  func deferredWithinDeferred() throws {
    let folder = EarlyFolder("folder")
    let file = PlainFile("a", folder)
    folder.files = [file]
    // The file is read first, although the folder is written first.
    let deferredFolder = [DeferredFolderFirst(folder: folder, file: file)]
    #expect(try failure { try ArchiveEncoder().encode(Later(wrapped: deferredFolder)) }.code == .cycle)
    // The folder is read first, although the file is written first.
    let back = try roundTrip(Later(wrapped: [DeferredFileFirst(file: file, folder: folder)]))
    #expect(back.wrapped[0].file.folder === back.wrapped[0].folder)
  }

  @Test("objects of subclasses may register in the initializer of their base class", arguments: [1, 2, 3])
  func inheritance(level: Int) throws {
    let parent: RegisteringBase
    switch level {
    case 1: parent = RegisteringBase()
    case 2: parent = RegisteringMiddle()
    default: parent = RegisteringLeaf()
    }
    parent.baseChildren = [RegisteringChild(parent, 1)]
    (parent as? RegisteringMiddle)?.middleChildren = [
      RegisteringChild(parent, 2), RegisteringChild(parent, 3),
    ]
    (parent as? RegisteringLeaf)?.leafChild = RegisteringChild(parent, 4)
    let back = try roundTrip(parent)
    #expect(type(of: back) == type(of: parent))
    #expect(back.children.map(\.number) == Array(1...(level == 3 ? 4 : level == 2 ? 3 : 1)))
    #expect(back.children.allSatisfy { $0.parent === back })
    #expect(try failure { try ArchiveEncoder().encode(parent.children[0]) }.code == .cycle)
    #expect(try roundTrip([parent, parent])[1].children.count == back.children.count)
  }

  @Test("a class that does not register itself comes back if a property can wait")
  func brokenPromise() throws {
    let liar = Liar()
    liar.other = Liar()
    liar.other?.other = liar
    let data = try ArchiveEncoder().encode(liar)
    let back = try ArchiveDecoder().decode(Liar.self, from: data)
    #expect(back.other?.other === back)
    let found = try failure { try ArchiveDecoder().decode(ConstantLiar.self, from: data) }
    #expect(found.kind == .dataCorrupted && found.code == .cycle && found.path == "other/other")
  }

  @Test("registering another object than the one that is being decoded throws")
  func misuse() throws {
    let imposter = Imposter()
    imposter.own = imposter
    let data = try ArchiveEncoder().encode(imposter)
    let found = try failure { try ArchiveDecoder().decode(Imposter.self, from: data) }
    #expect(found.code == .misuse || found.code == .cycle)
  }
}

// MARK: - Types

private final class EarlyFolder: Codable, SelfRegistering {
  let name: String
  var files: [PlainFile] = []
  var inner: EarlyFolder?
  var outer: EarlyFolder?
  /// Not the name of the property, so this cannot be read last.
  private enum CodingKeys: String, CodingKey { case name, itsFiles = "files", inner, outer }

  init(_ name: String) {
    self.name = name
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    decoder.register(self)
    files = try container.decode([PlainFile].self, forKey: .itsFiles)
    inner = try container.decodeIfPresent(EarlyFolder.self, forKey: .inner)
    outer = try container.decodeIfPresent(EarlyFolder.self, forKey: .outer)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(files, forKey: .itsFiles)
    try container.encodeIfPresent(inner, forKey: .inner)
    try container.encodeIfPresent(outer, forKey: .outer)
  }
}

private final class PlainFile: Codable {
  let name: String
  var folder: EarlyFolder

  init(_ name: String, _ folder: EarlyFolder) {
    self.name = name
    self.folder = folder
  }
}

/// Two objects, in this order.
private struct Two: Codable {
  let one: AnyObject
  let other: AnyObject

  init(_ one: AnyObject, _ other: AnyObject) {
    self.one = one
    self.other = other
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    func next() throws -> AnyObject {
      switch try container.decode(String.self) {
      case "file": try container.decode(PlainFile.self)
      default: try container.decode(EarlyFolder.self)
      }
    }
    one = try next()
    other = try next()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for object in [one, other] {
      if let file = object as? PlainFile {
        try container.encode("file")
        try container.encode(file)
      } else if let folder = object as? EarlyFolder {
        try container.encode("folder")
        try container.encode(folder)
      }
    }
  }
}

private struct FileShelf: Codable {
  var folders: [EarlyFolder]
  var files: [PlainFile]
}

private struct ReversedShelf: Codable {
  var files: [PlainFile]
  var folders: [EarlyFolder]
}

private struct LateShelf: Codable {
  @Deferred var files: [PlainFile]
  var folders: [EarlyFolder]
}

private struct TooLateShelf: Codable {
  @Deferred var files: [PlainFile]
  @Deferred var folders: [EarlyFolder]
}

private struct Later<Wrapped: Codable>: Codable {
  @Deferred var wrapped: Wrapped
}

private struct DeferredFolderFirst: Codable {
  @Deferred var folder: EarlyFolder
  var file: PlainFile
}

private struct DeferredFileFirst: Codable {
  @Deferred var file: PlainFile
  var folder: EarlyFolder
}

private final class Liar: Codable, SelfRegistering {
  var other: Liar?
}

private final class ConstantLiar: Codable, SelfRegistering {
  let other: ConstantLiar?
}

private final class Imposter: Codable, SelfRegistering {
  var own: Imposter?
  private enum CodingKeys: CodingKey { case own }

  init() {}

  init(from decoder: any Decoder) throws {
    decoder.register(Imposter())
    own = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Imposter.self, forKey: .own)
  }
}

// Not private, since these are found by name.

class RegisteringBase: Codable, SelfRegistering {
  var baseChildren: [RegisteringChild] = []
  private enum CodingKeys: String, CodingKey { case key = "baseChildren" }

  var children: [RegisteringChild] { baseChildren }

  init() {}

  required init(from decoder: any Decoder) throws {
    decoder.register(self)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    baseChildren = try container.decode([RegisteringChild].self, forKey: .key)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(baseChildren, forKey: .key)
  }
}

class RegisteringMiddle: RegisteringBase {
  var middleChildren: [RegisteringChild] = []
  private enum CodingKeys: String, CodingKey { case key = "middleChildren" }

  override var children: [RegisteringChild] { super.children + middleChildren }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    middleChildren = try container.decode([RegisteringChild].self, forKey: .key)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(middleChildren, forKey: .key)
    try super.encode(to: encoder)
  }
}

final class RegisteringLeaf: RegisteringMiddle {
  var leafChild: RegisteringChild?
  private enum CodingKeys: String, CodingKey { case key = "leafChild" }

  override var children: [RegisteringChild] { super.children + (leafChild.map { [$0] } ?? []) }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try super.init(from: container.superDecoder())
    leafChild = try container.decodeIfPresent(RegisteringChild.self, forKey: .key)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encodeIfPresent(leafChild, forKey: .key)
  }
}

final class RegisteringChild: Codable {
  let number: Int
  var parent: RegisteringBase

  init(_ parent: RegisteringBase, _ number: Int) {
    self.parent = parent
    self.number = number
  }
}
