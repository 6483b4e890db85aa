import Foundation
import Keepsake
import Synchronization
import TestSupport

// The types as which the tests read the damaged graphs. Hand-written initializers note their type in the decoder's
// recorder, so tests see which of them ran, also in reads that failed.

/// The types whose initializers ran during one read.
final class HostileRecorder: Sendable {
  static let key = CodingUserInfoKey.named("hostile recorder")
  private let types = Mutex<[ObjectIdentifier: Any.Type]>([:])

  var ran: [Any.Type] { Array(types.withLock { $0 }.values) }

  static func note(_ type: Any.Type, _ decoder: any Decoder) {
    (decoder.userInfo[key] as? HostileRecorder)?.types.withLock { $0[ObjectIdentifier(type)] = type }
  }
}

/// The names of the suitable types. Decoys have every name that differs from one of these by one bit.
enum HostileTypeNames {
  static let real = [
    "Zoo.Animal", "Zoo.Dog", "Zoo.Puppy", "Zoo.Cat", "Zoo.Circle", "Zoo.Square", "Zoo.Blob", "Zoo.Group",
  ]

  static let neighbours: [String] = {
    var names: Set<String> = []
    for name in real {
      for index in name.utf8.indices {
        for bit in 0..<8 {
          var bytes = Array(name.utf8)
          bytes[name.utf8.distance(from: name.utf8.startIndex, to: index)] ^= 1 << UInt8(bit)
          if let text = String(validating: bytes, as: UTF8.self) { names.insert(text) }
        }
      }
    }
    return names.subtracting(real).sorted()
  }()
}

// MARK: - Decoys, which are never suitable

/// How often an initializer of a decoy ran in this process; none ever may.
let hostileDecoyRuns = Mutex(0)

final class HostileDecoyClass: Codable, ArchivableClass, ArchiveAwakening {
  static var archivedClassName: String { "Zoo.DecoyClass" }
  static var archivedClassAliases: [String] { HostileTypeNames.neighbours }

  init(from decoder: any Decoder) throws {
    hostileDecoyRuns.withLock { $0 += 1 }
  }

  func encode(to encoder: any Encoder) throws {}
  func awakeFromArchive() { hostileDecoyRuns.withLock { $0 += 1 } }
}

struct HostileDecoyValue: Codable, ArchivableClass {
  static var archivedClassName: String { "Zoo.DecoyValue" }
  static var archivedClassAliases: [String] { HostileTypeNames.neighbours }

  init(from decoder: any Decoder) throws {
    hostileDecoyRuns.withLock { $0 += 1 }
  }

  func encode(to encoder: any Encoder) throws {}
}

// MARK: - Subclasses with versions

class HostileAnimal: Codable, ArchivableClass, ArchiveAwakening {
  class var archivedClassName: String { "Zoo.Animal" }
  class var archiveVersion: Int { 3 }
  var name: String
  var friends: [HostileAnimal] = []
  @WeakReference var enemy: HostileAnimal?
  var version = -1
  var wakeUps = 0
  private enum CodingKeys: CodingKey { case name, friends, enemy }

  init(_ name: String) {
    self.name = name
  }

  required init(from decoder: any Decoder) throws {
    HostileRecorder.note(Self.self, decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    friends = try container.decode([HostileAnimal].self, forKey: .friends)
    _enemy = try container.decode(WeakReference<HostileAnimal>.self, forKey: .enemy)
    version = decoder.archivedVersion(of: HostileAnimal.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(friends, forKey: .friends)
    try container.encode(_enemy, forKey: .enemy)
  }

  func awakeFromArchive() { wakeUps += 1 }
}

class HostileDog: HostileAnimal {
  override class var archivedClassName: String { "Zoo.Dog" }
  override class var archiveVersion: Int { 2 }
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

final class HostilePuppy: HostileDog {
  override class var archivedClassName: String { "Zoo.Puppy" }
  private enum CodingKeys: CodingKey { case mother, base }
  @Deferred var mother: HostileDog?

  override init(_ name: String) {
    super.init(name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _mother = try container.decode(Deferred<HostileDog?>.self, forKey: .mother)
    try super.init(from: container.superDecoder(forKey: .base))
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_mother, forKey: .mother)
    try super.encode(to: container.superEncoder(forKey: .base))
  }
}

final class HostileCat: HostileAnimal {
  override class var archivedClassName: String { "Zoo.Cat" }
}

// MARK: - Values and objects behind a protocol

protocol HostileShape: Codable {
  var parts: [any HostileShape] { get }
}

struct HostileCircle: HostileShape, ArchivableClass {
  static var archivedClassName: String { "Zoo.Circle" }
  static var archiveVersion: Int { 7 }
  var radius: Double
  var parts: [any HostileShape] { [] }
  private enum CodingKeys: CodingKey { case radius }

  init(_ radius: Double) {
    self.radius = radius
  }

  init(from decoder: any Decoder) throws {
    HostileRecorder.note(Self.self, decoder)
    radius = try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .radius)
    _ = decoder.archivedVersion(of: Self.self)
  }
}

enum HostileSquare: HostileShape, ArchivableClass {
  case small
  case sized(Int, tag: String?)
  static var archivedClassName: String { "Zoo.Square" }
  var parts: [any HostileShape] { [] }
}

final class HostileBlob: HostileShape, ArchivableClass {
  static var archivedClassName: String { "Zoo.Blob" }
  @Polymorphic var inner: (any HostileShape)?
  @Deferred var around: HostileBlob?
  var parts: [any HostileShape] { (inner.map { [$0] } ?? []) + (around.map { [$0] } ?? []) }
  private enum CodingKeys: CodingKey { case inner, around }

  init() {}

  init(from decoder: any Decoder) throws {
    HostileRecorder.note(Self.self, decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _inner = try container.decode(Polymorphic<(any HostileShape)?>.self, forKey: .inner)
    _around = try container.decode(Deferred<HostileBlob?>.self, forKey: .around)
  }
}

struct HostileGroup: HostileShape, ArchivableClass {
  static var archivedClassName: String { "Zoo.Group" }
  @Polymorphic var parts: [any HostileShape]
  private enum CodingKeys: CodingKey { case parts }

  init(_ parts: [any HostileShape]) {
    self.parts = parts
  }

  init(from decoder: any Decoder) throws {
    HostileRecorder.note(Self.self, decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _parts = try container.decode(Polymorphic<[any HostileShape]>.self, forKey: .parts)
  }
}

struct HostileDrawing: Codable {
  @Polymorphic var first: any HostileShape = HostileCircle(1)
  @Polymorphic var maybe: (any HostileShape)?
  @Polymorphic var list: [any HostileShape] = []
  @Polymorphic var table: [String: any HostileShape] = [:]
  @Polymorphic var nested: [[(any HostileShape)?]] = []
  @Deferred @Polymorphic var later: [any HostileShape] = []
  @Polymorphic var object: any HostileShape & AnyObject = HostileBlob()
}

// MARK: - Deferred cycles, by wrapper and by hand, and weak references

final class HostileAuthor: Codable {
  let name: String
  var posts: [HostilePost] = []
  @WeakReference var favourite: HostilePost?
  @WeakReference var stranger: HostileAuthor?

  init(_ name: String) {
    self.name = name
  }

  init(from decoder: any Decoder) throws {
    HostileRecorder.note(Self.self, decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    posts = try container.decode([HostilePost].self, forKey: .posts)
    _favourite = try container.decode(WeakReference<HostilePost>.self, forKey: .favourite)
    _stranger = try container.decode(WeakReference<HostileAuthor>.self, forKey: .stranger)
  }
}

final class HostilePost: Codable {
  @Deferred var author: HostileAuthor
  @Deferred var byName: [String: HostilePost] = [:]
  @Deferred var next: HostilePost?
  var previous: HostilePost?
  var others: [HostilePost] = []
  private enum CodingKeys: CodingKey { case author, byName, next, previous, others }

  init(_ author: HostileAuthor) {
    self.author = author
  }

  init(from decoder: any Decoder) throws {
    HostileRecorder.note(Self.self, decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _author = try container.decode(Deferred<HostileAuthor>.self, forKey: .author)
    _byName = try container.decode(Deferred<[String: HostilePost]>.self, forKey: .byName)
    _next = try container.decode(Deferred<HostilePost?>.self, forKey: .next)
    try container.decodeDeferredIfPresent(HostilePost.self, forKey: .previous) { [unowned self] in
      previous = $0
    }
    var list = try container.nestedUnkeyedContainer(forKey: .others)
    while !list.isAtEnd {
      try list.decodeDeferred(HostilePost.self) { [unowned self] in others.append($0) }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_author, forKey: .author)
    try container.encode(_byName, forKey: .byName)
    try container.encode(_next, forKey: .next)
    try container.encodeConditional(previous, forKey: .previous)
    var list = container.nestedUnkeyedContainer(forKey: .others)
    for other in others { try list.encodeDeferred(other) }
  }
}

/// The same keys, read without deferring.
final class HostilePlainAuthor: Decodable {
  let posts: [HostilePlainPost]
  let favourite: HostilePlainPost?
}

final class HostilePlainPost: Decodable {
  let author: HostilePlainAuthor?
  let byName: [String: HostilePlainPost]
  let next: HostilePlainPost?
  let others: [HostilePlainPost]
}

// MARK: - Models in cycles

class HostileUser: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["boss": "leader"] }

  var name = ""
  var friends: [HostileUser] = []
  var boss: HostileUser?
  var scores: [String: Int] = [:]
  @WeakReference var rival: HostileUser?
  @Deferred var heir: HostileUser?
  @Polymorphic var shape: (any HostileShape)?
}

final class HostileAdmin: HostileUser {
  var level = 1
  var staff: [HostileAdmin] = []
}
