import Keepsake
import TestSupport
import Testing

/// `awakeFromArchive` is called once on every object, when all objects decoded with it are complete.
@Suite struct Awakening {
  @Test("each object awakes once, in the order in which initializers return")
  func order() throws {
    let leaf = Sleeper("leaf")
    let root = Sleeper("root", [Sleeper("a", [leaf]), leaf, Sleeper("b", [leaf])])
    let log = AwakeningLog()
    _ = try log.decoder.decode(Sleeper.self, from: ArchiveEncoder().encode(root))
    #expect(log.awakened == ["leaf", "a", "b", "root"])
    #expect(log.made == log.awakened)
  }

  @Test("objects awake after deferred and weak references have their objects")
  func afterAll() throws {
    let root = Sleeper("root", [Sleeper("a"), Sleeper("b")])
    root.children[0].later = root
    root.children[0].watched = root.children[1]
    root.later = Sleeper("later", [Sleeper("inner")])
    root.later?.later = root
    root.watched = root.later?.children[0]
    let log = AwakeningLog()
    let back = try log.decoder.decode(Sleeper.self, from: ArchiveEncoder().encode(root))
    #expect(log.awakened == ["a", "b", "root", "inner", "later"])
    #expect(
      log.seen == ["a: root b", "b: - -", "root: later inner", "inner: - -", "later: root -"]
    )
    #expect(back.later?.later === back)
  }

  @Test("no object awakes before all objects of the value are made")
  func notEarly() throws {
    let log = AwakeningLog()
    let root = Sleeper("root", [Sleeper("a"), Sleeper("b")])
    _ = try log.decoder.decode([Sleeper].self, from: ArchiveEncoder().encode([root, Sleeper("c")]))
    #expect(
      log.all == ["made a", "made b", "made root", "made c", "awake a", "awake b", "awake root", "awake c"]
    )
  }

  @Test("an object awakes with the key that first reached it")
  func severalKeys() throws {
    let shared = Sleeper("shared")
    let archiver = KeyedArchiver()
    try archiver.encode(Sleeper("one", [shared]), forKey: "one")
    try archiver.encode([Sleeper("two", [shared]), shared], forKey: "two")
    let log = AwakeningLog()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[.named("log")] = log
    _ = try unarchiver.decode([Sleeper].self, forKey: "two")
    #expect(log.awakened == ["shared", "two"])
    _ = try unarchiver.decode(Sleeper.self, forKey: "one")
    #expect(log.awakened == ["shared", "two", "one"])
    _ = try unarchiver.decode(Sleeper.self, forKey: "one")
    #expect(log.awakened == ["shared", "two", "one"])
  }

  @Test("objects do not awake if decoding fails, and awake once when it succeeds")
  func notAfterAFailure() throws {
    let archiver = KeyedArchiver()
    let sleeper = Sleeper("a")
    try archiver.encode([sleeper], forKey: "list")
    try archiver.encode(WithFault(sleeper: sleeper), forKey: "fault")
    let log = AwakeningLog()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[.named("log")] = log
    #expect(throws: DecodingError.self) { try unarchiver.decode(ReadWithFault.self, forKey: "fault") }
    #expect(log.made == ["a"] && log.awakened == [])
    _ = try unarchiver.decode([Sleeper].self, forKey: "list")
    #expect(log.made == ["a", "a"] && log.awakened == ["a"])
  }

  @Test("the objects of a deep copy awake")
  func copy() throws {
    let root = CountingSleeper()
    root.next = CountingSleeper()
    root.next?.back = root
    let twin = try KeyedArchiver.copy(of: root)
    #expect(twin.awakenings == 1 && twin.next?.awakenings == 1 && twin.next?.back === twin)
    #expect(root.awakenings == 0)
  }

  @Test(
    "subclasses awake by their own method, also if their superclass does not awake"
  )
  func inheritance() throws {
    let list: [AwakeBase] = [AwakeBase(), AwakeSub(), AwakeSubSub()]
    let back = try roundTrip(list)
    #expect(back.map(\.log) == [[], ["sub"], ["sub", "subsub"]])
  }

  @Test("awakeFromArchive may decode and archive")
  func reentrant() throws {
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: {
        let archiver = KeyedArchiver()
        try archiver.encode(Reentrant(), forKey: "object")
        try archiver.encode(Sleeper("other"), forKey: "other")
        return try archiver.encodedData
      }()
    )
    let log = AwakeningLog()
    unarchiver.userInfo[.named("log")] = log
    unarchiver.userInfo[.named("unarchiver")] = unarchiver
    let back = try unarchiver.decode(Reentrant.self, forKey: "object")
    #expect(back.other?.name == "other" && back.twin != nil && log.awakened == ["other"])
    #expect(try unarchiver.decode(Sleeper.self, forKey: "other") === back.other)
    unarchiver.userInfo = [:]
  }

  @Test("an object that a delegate returns for several awakes once")
  func replacedByOne() throws {
    let delegate = Unifying()
    let unarchiver = try KeyedUnarchiver(
      forReadingFrom: ArchiveEncoder().encode([CountingSleeper(), CountingSleeper(), CountingSleeper()])
    )
    unarchiver.delegate = delegate
    let back = try unarchiver.decode([CountingSleeper].self, forKey: "root")
    #expect(back.count == 3 && back.allSatisfy { $0 === back[0] })
    #expect(back[0].awakenings == 1)
  }

  @Test("an object that a delegate supplies awakes, even if the archived class does not")
  func supplied() throws {
    let delegate = Supplying(AwakeSub())
    let unarchiver = try KeyedUnarchiver(forReadingFrom: ArchiveEncoder().encode([AwakeBase()]))
    unarchiver.delegate = delegate
    let back = try unarchiver.decode([AwakeBase].self, forKey: "root")
    #expect(back[0] === delegate.object && back[0].log == ["sub"])
  }
}

// MARK: - Types

private final class AwakeningLog: @unchecked Sendable {
  var all: [String] = []
  var seen: [String] = []

  var made: [String] { all.filter { $0.hasPrefix("made") }.map { String($0.dropFirst(5)) } }
  var awakened: [String] { all.filter { $0.hasPrefix("awake") }.map { String($0.dropFirst(6)) } }

  var decoder: ArchiveDecoder {
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("log")] = self
    return decoder
  }
}

private final class Sleeper: Codable, ArchiveAwakening {
  let name: String
  var children: [Sleeper] = []
  @Deferred var later: Sleeper?
  @WeakReference var watched: Sleeper?
  private var log: AwakeningLog?
  private enum CodingKeys: CodingKey { case name, children, later, watched }

  init(_ name: String, _ children: [Sleeper] = []) {
    self.name = name
    self.children = children
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    children = try container.decode([Sleeper].self, forKey: .children)
    _later = try container.decode(Deferred<Sleeper?>.self, forKey: .later)
    _watched = try container.decode(WeakReference<Sleeper>.self, forKey: .watched)
    log = decoder.userInfo[.named("log")] as? AwakeningLog
    log?.all.append("made \(name)")
  }

  func awakeFromArchive() {
    log?.all.append("awake \(name)")
    log?.seen.append("\(name): \(later?.name ?? "-") \(watched?.name ?? "-")")
  }
}

private struct WithFault: Codable {
  var sleeper: Sleeper
  var number = "none"
}

private struct ReadWithFault: Decodable {
  var sleeper: Sleeper
  var number: Int
}

private final class CountingSleeper: Codable, ArchiveAwakening {
  var next: CountingSleeper?
  @Deferred var back: CountingSleeper?
  private(set) var awakenings = 0
  private enum CodingKeys: CodingKey { case next, back }

  init() {}

  func awakeFromArchive() { awakenings += 1 }
}

private final class Reentrant: Codable, ArchiveAwakening {
  private(set) var other: Sleeper?
  private(set) var twin: Reentrant?
  private var unarchiver: KeyedUnarchiver?
  private enum CodingKeys: CodingKey {}

  init() {}

  init(from decoder: any Decoder) throws {
    unarchiver = decoder.userInfo[.named("unarchiver")] as? KeyedUnarchiver
  }

  func awakeFromArchive() {
    // The copy made here has no unarchiver.
    guard let unarchiver else { return }
    other = try? unarchiver.decode(Sleeper.self, forKey: "other")
    self.unarchiver = nil
    twin = try? KeyedArchiver.copy(of: self)
  }
}

private final class Unifying: KeyedUnarchiverDelegate {
  private var first: CountingSleeper?

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? {
    if first == nil { first = object as? CountingSleeper }
    return first
  }
}

private final class Supplying: KeyedUnarchiverDelegate {
  let object: AwakeSub

  init(_ object: AwakeSub) { self.object = object }

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: Any?) -> Any? { self.object }
}

// Not private, since they are found by name.

class AwakeBase: Codable {
  var log: [String] = []
  private enum CodingKeys: CodingKey {}

  init() {}
}

class AwakeSub: AwakeBase, ArchiveAwakening {
  func awakeFromArchive() { log.append("sub") }
}

final class AwakeSubSub: AwakeSub {
  override func awakeFromArchive() {
    super.awakeFromArchive()
    log.append("subsub")
  }
}
