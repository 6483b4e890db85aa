internal import Foundation
internal import Keepsake

// Objects: subclasses that are found by name, cycles, weak references, values behind a protocol.

/// The names of types that fit somewhere, of some that do not, and of none: new names for classes of an archive.
enum HostileNames {
  static let all = [
    "Fuzz.Animal", "Fuzz.Dog", "Fuzz.Puppy", "Fuzz.Circle", "Fuzz.Square", "Fuzz.Blob", "Fuzz.Group",
    "Fuzz.Folder", "Fuzz.Person", "Fuzz.Boss", "Keepsake.Lazy",
    "HostileArchives.FuzzedUser", "HostileArchives.FuzzedAdmin", "HostileArchives.FuzzedRecord",
    "HostileArchives.FuzzedTree", "Swift.Int", "Swift.String", "Swift.Array", "Swift.Array<Swift.Int>",
    "Foundation.Date", "Foundation.NSObject", "Foundation.JSONDecoder", "Keepsake.ArchivedModel",
    "Keepsake.KeyedUnarchiver", "(private).Thing", "", ".", "Fuzz.", "Fuzz.Dog\u{0}", "\u{1F980}.\u{1F980}",
    "$s15HostileArchives11FuzzedAdminC", "Swift.Optional<Swift.Never>", "HostileArchives.FuzzedUser.Type",
  ]
}

class FuzzedAnimal: Codable, ArchivableClass, ArchiveAwakening, Severable {
  class var archivedClassName: String { "Fuzz.Animal" }
  class var archiveVersion: Int { 3 }
  var name: String
  var friends: [FuzzedAnimal] = []
  @WeakReference var enemy: FuzzedAnimal?
  @Deferred var mates: [FuzzedAnimal] = []
  var version = -1
  private(set) var isAwake = false
  private enum CodingKeys: CodingKey { case name, friends, enemy, mates }

  init(_ name: String) {
    self.name = name
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    friends = try container.decode([FuzzedAnimal].self, forKey: .friends)
    _enemy = try container.decode(WeakReference<FuzzedAnimal>.self, forKey: .enemy)
    _mates = try container.decode(Deferred<[FuzzedAnimal]>.self, forKey: .mates)
    version = decoder.archivedVersion(of: FuzzedAnimal.self)
    HostileLeash.note(self, decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(friends, forKey: .friends)
    try container.encode(_enemy, forKey: .enemy)
    try container.encode(_mates, forKey: .mates)
  }

  // Deferred values can be read here.
  func awakeFromArchive() { isAwake = mates.count >= 0 }

  func sever() { (friends, mates, enemy) = ([], [], nil) }
}

class FuzzedDog: FuzzedAnimal {
  override class var archivedClassName: String { "Fuzz.Dog" }
  var tricks = 0
  private enum CodingKeys: CodingKey { case tricks }

  override init(_ name: String) {
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    tricks = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .tricks)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tricks, forKey: .tricks)
  }
}

final class FuzzedPuppy: FuzzedDog {
  override class var archivedClassName: String { "Fuzz.Puppy" }
  @Deferred var mother: FuzzedDog?
  private enum CodingKeys: CodingKey { case mother, base }

  override init(_ name: String) {
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _mother = try container.decode(Deferred<FuzzedDog?>.self, forKey: .mother)
    try super.init(from: container.superDecoder(forKey: .base))
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_mother, forKey: .mother)
    try super.encode(to: container.superEncoder(forKey: .base))
  }

  override func sever() {
    super.sever()
    mother = nil
  }
}

/// An object that registers itself while it is read, so that its plain properties can lead back to it.
final class FuzzedFolder: Codable, SelfRegistering, ArchivableClass, Severable {
  static var archivedClassName: String { "Fuzz.Folder" }
  let name: String
  var folders: [FuzzedFolder] = []
  var parent: FuzzedFolder?
  var set: Set<FuzzedPoint> = []
  private enum CodingKeys: CodingKey { case name, folders, parent, set, late }

  init(_ name: String) {
    self.name = name
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    decoder.register(self)
    HostileLeash.note(self, decoder)
    folders = try container.decode([FuzzedFolder].self, forKey: .folders)
    parent = try container.decodeIfPresent(FuzzedFolder.self, forKey: .parent)
    set = try container.decode(Set<FuzzedPoint>.self, forKey: .set)
    try container.decodeDeferredIfPresent(FuzzedFolder.self, forKey: .late) { [weak self] in
      self?.folders.append($0)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(folders, forKey: .folders)
    try container.encodeIfPresent(parent, forKey: .parent)
    try container.encode(set, forKey: .set)
    try container.encodeConditional(parent, forKey: .late)
  }

  func sever() { (folders, parent) = ([], nil) }
}

// MARK: - Behind a protocol

protocol FuzzedShape: Codable {
  var parts: [any FuzzedShape] { get }
}

struct FuzzedCircle: FuzzedShape, ArchivableClass {
  static var archivedClassName: String { "Fuzz.Circle" }
  static var archiveVersion: Int { 7 }
  var radius: Double
  var parts: [any FuzzedShape] { [] }
}

enum FuzzedSquare: FuzzedShape, ArchivableClass {
  case small
  case sized(Int, tag: String?)
  static var archivedClassName: String { "Fuzz.Square" }
  var parts: [any FuzzedShape] { [] }
}

final class FuzzedBlob: FuzzedShape, ArchivableClass, Severable {
  static var archivedClassName: String { "Fuzz.Blob" }
  @Polymorphic var inner: (any FuzzedShape)?
  @Deferred var around: FuzzedBlob?
  var parts: [any FuzzedShape] { inner.map { [$0] } ?? [] }
  private enum CodingKeys: CodingKey { case inner, around }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _inner = try container.decode(Polymorphic<(any FuzzedShape)?>.self, forKey: .inner)
    _around = try container.decode(Deferred<FuzzedBlob?>.self, forKey: .around)
    HostileLeash.note(self, decoder)
  }

  func sever() { (inner, around) = (nil, nil) }
}

struct FuzzedGroup: FuzzedShape, ArchivableClass {
  static var archivedClassName: String { "Fuzz.Group" }
  @Polymorphic var parts: [any FuzzedShape]
}

struct FuzzedDrawing: Codable {
  @Polymorphic var first: any FuzzedShape = FuzzedCircle(radius: 1)
  @Polymorphic var maybe: (any FuzzedShape)?
  @Polymorphic var list: [any FuzzedShape] = []
  @Polymorphic var table: [String: any FuzzedShape] = [:]
  @Polymorphic var nested: [[(any FuzzedShape)?]] = []
  @Deferred @Polymorphic var later: [any FuzzedShape] = []
  @Polymorphic var object: any FuzzedShape & AnyObject = FuzzedBlob()
}

// MARK: - Models

/// A model in a list of models. A model whose reading fails cannot note itself, but its members can.
struct FuzzedMember: Codable {
  let user: FuzzedUser

  init(_ user: FuzzedUser) {
    self.user = user
  }

  init(from decoder: any Decoder) throws {
    user = try decoder.singleValueContainer().decode(FuzzedUser.self)
    HostileLeash.note(user, decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(user)
  }
}

class FuzzedUser: ArchivedModel, Severable {
  override class var archivedKeys: [String: String?] { ["twice": "kin"] }

  var name = ""
  var friends: [FuzzedMember] = []
  var boss: FuzzedMember?
  var scores: [String: Int] = [:]
  var twice: Int??
  @WeakReference var rival: FuzzedUser?
  @Deferred var heir: FuzzedMember?
  @Polymorphic var shape: (any FuzzedShape)?

  func sever() { (friends, boss, heir, shape) = ([], nil, nil, nil) }
}

final class FuzzedAdmin: FuzzedUser {
  var level = 1
  var staff: [FuzzedMember] = []
  // The last property: it may lead to the object itself, and after it nothing can fail.
  var deputy: FuzzedAdmin?

  override func sever() {
    super.sever()
    (staff, deputy) = ([], nil)
  }
}
