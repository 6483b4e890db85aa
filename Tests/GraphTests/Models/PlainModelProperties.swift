import Foundation
import Keepsake
import Observation
import TestSupport
import Testing

/// Stored properties of models and of types with fields.
@Suite struct PlainModelProperties {
  @Test("private, inherited, weak and unowned properties, and those with wrappers, come back")
  func everything() throws {
    let boss = PlainBoss()
    boss.name = "boss"
    boss.level = 5
    let user = PlainUser()
    user.setSecret(Data([1, 2]))
    user.boss = boss
    user.office = boss
    user.tag = "tag"
    boss.friends = [user, boss]
    let back = try roundTrip(boss)
    #expect(back.name == "boss" && back.level == 5 && back.friends[1] === back)
    let friend = back.friends[0]
    #expect(friend.boss === back && friend.office === back && friend.seenSecret == Data([1, 2]))
    #expect(friend.tag as? String == "tag")
    boss.friends = []
    back.friends = []
  }

  @Test("a weak property is nil where nothing else archives its object")
  func conditional() throws {
    let boss = PlainBoss()
    let user = PlainUser()
    user.boss = boss
    #expect(try roundTrip(user).boss == nil)
    let both = try roundTrip([user, boss])
    #expect(both[0].boss === both[1])
    // The object comes under a later key.
    let archiver = KeyedArchiver()
    try archiver.encode(user, forKey: "user")
    try archiver.encode(boss, forKey: "boss")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let later = try unarchiver.decode(PlainUser.self, forKey: "user")
    #expect(later.boss == nil)
    let found = try unarchiver.decode(PlainBoss.self, forKey: "boss")
    #expect(later.boss === found)
    #expect(try jsonRoundTrip(user).boss == nil)
  }

  @Test("unowned references come back, and those that are not archived keep their values")
  func unownedReferences() throws {
    let (desk, user) = (PlainDesk(), PlainUser())
    desk.user = user
    user.name = "own"
    desk.number = 3
    let back = try roundTrip(PlainRoom(users: [user], desk: desk))
    #expect(back.desk.user === back.users[0] && back.desk.user.name == "own" && back.desk.number == 3)
    #expect(back.desk.helper === NotCodableClass.shared)
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(desk)) as? [String: Any]
    #expect(
      (json?["user"] as? [String: Any])?["name"] as? String == "own" && json?.count == 2,
      "\(json ?? [:])"
    )
  }

  @Test("raw identifiers are archived without backticks")
  func rawIdentifiers() throws {
    var value = PlainRawNames()
    value.`two words` = 5
    value.`class` = 6
    #expect(try transcode(value, to: [String: Int].self) == ["two words": 5, "class": 6])
    #expect(try roundTrip(value).`two words` == 5)
  }

  @Test("an @Observable class has keys without underscore, and reads archives from before and after")
  func observed() throws {
    let observed = PlainObserved()
    observed.title = "t"
    let back = try roundTrip(observed)
    #expect(back.title == "t")
    #expect(try transcode(observed, to: [String: String].self) == ["title": "t"])
    // A key from synthesized code.
    #expect(try transcode(["_title": "old"], to: PlainObserved.self).title == "old")
    #expect(try transcode(["title": "older"], to: PlainObserved.self).title == "older")
    let model = PlainObservedModel()
    model.title = "m"
    #expect(try roundTrip(model).title == "m")
  }

  @Test("an encode(to:) of a subclass may add keys to those of super")
  func overridden() throws {
    let more = PlainOverriding()
    more.name = "n"
    for back in [try roundTrip([more])[0], try jsonRoundTrip(more)] {
      #expect(back.name == "n" && back.added == "added")
    }
  }

  @Test("an encode(to:) of a subclass may replace a value of its superclass or add to it")
  func overriddenValues() throws {
    let replacing = PlainReplacing()
    replacing.scores = ["a": 1]
    replacing.last = "last"
    for back in [try roundTrip([replacing])[0], try jsonRoundTrip(replacing)] {
      #expect(back.name == "replaced" && back.scores == ["a": 1, "b": 2] && back.last == "last")
    }
  }

  @MainActor @Test("a class with fields on the main actor comes back")
  func mainActor() throws {
    let item = PlainItem()
    item.name = "i"
    item.next = item
    let back = try roundTrip(item)
    #expect(back.name == "i" && back.next === back)
    item.next = nil
    back.next = nil
  }

  @Test("classes with fields keep subclasses, cycles and identity, and read archives of plain classes")
  func classes() throws {
    let node = PlainLeafBranch()
    node.label = "leaf"
    node.weight = 2
    let root = PlainBranch()
    root.nodes = [node, node, root]
    node.parent = root
    let back = try roundTrip(root)
    #expect(back.nodes[0] === back.nodes[1] && back.nodes[2] === back && back.nodes[0].parent === back)
    #expect((back.nodes[0] as? PlainLeafBranch)?.weight == 2 && back.nodes[0].label == "leaf")
    for each in [root, back] { each.nodes = [] }
    let twin = PlainTwin()
    #expect(try ArchiveEncoder().encode([twin]).count == ArchiveEncoder().encode([FieldTwin()]).count)
    #expect(try transcode(twin, to: FieldTwin.self).name == "twin")
    #expect(try transcode(FieldTwin(), to: PlainTwin.self).count == 3)
  }
}

// MARK: - Models

class PlainUser: ArchivedModel {
  var name = ""
  var friends: [PlainUser] = []
  weak var boss: PlainUser?
  unowned var office: PlainUser?
  @Polymorphic var tag: (any Codable)?
  private var secret: Data?

  var seenSecret: Data? { secret }
  func setSecret(_ data: Data) { secret = data }
}

final class PlainBoss: PlainUser {
  var level = 0
}

private final class PlainDesk: ArchivedFields {
  nonisolated(unsafe) private static let nobody = PlainUser()

  unowned var user = unsafe PlainDesk.nobody
  unowned let helper = NotCodableClass.shared
  var number = 1
}

private struct PlainRoom: Codable {
  var users: [PlainUser]
  var desk: PlainDesk
}

private struct PlainRawNames: ArchivedFields {
  var `two words` = 1
  var `class` = 2
}

@Observable private final class PlainObserved: ArchivedFields {
  var title = ""
}

@Observable private final class PlainObservedModel: ArchivedModel {
  var title = ""
}

private final class PlainOverriding: ArchivedModel {
  var name = ""
  var added = ""

  override class var archivedKeys: [String: String?] { ["added": nil] }

  private enum Keys: CodingKey { case more }

  required init() { super.init() }

  required init(from decoder: any Decoder) throws {
    try super.init(from: decoder)
    added = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .more)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode("added", forKey: .more)
  }
}

private final class PlainReplacing: ArchivedModel {
  var name = ""
  var scores: [String: Int] = [:]
  var last = ""

  private enum Keys: CodingKey { case name, scores }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode("replaced", forKey: .name)
    var scores = container.nestedContainer(keyedBy: AnyKey.self, forKey: .scores)
    try scores.encode(2, forKey: "b")
  }
}

@MainActor private final class PlainItem: @MainActor ArchivedFields {
  var name = ""
  var next: PlainItem?
}

class PlainBranch: ArchivedFields {
  var label = ""
  var nodes: [PlainBranch] = []
  weak var parent: PlainBranch?

  required init() {}
}

final class PlainLeafBranch: PlainBranch {
  var weight = 0
}

private final class PlainTwin: Codable {
  var name = "twin"
  var count = 3
}

private final class FieldTwin: ArchivedFields {
  var name = "twin"
  var count = 3
}
