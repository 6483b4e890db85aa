import Keepsake
import TestSupport
import Testing

/// Which properties can wait in a cycle, and what initializers see of them.
@Suite struct PlainCycleRules {
  // MARK: Keys

  final class Sparse: Codable {
    let first: Sparse?
    var second: Sparse?
    private enum CodingKeys: CodingKey { case first, second }

    init(first: Sparse?) { self.first = first }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if let first { try container.encode(first, forKey: .first) }
      if let second { try container.encode(second, forKey: .second) }
    }
  }

  @Test("objects of one class may encode different keys, only one of which can wait")
  func differentKeys() throws {
    let sparse = Sparse(first: nil)
    sparse.second = Sparse(first: sparse)
    try forEachWay(sparse) { back in
      #expect(back.second?.first === back)
      back.second = nil
    }
    sparse.second = nil
  }

  final class Numbered: Codable {
    var number: Int128 = .min
    var size: UInt128? = .max
    var next: Numbered?
    init() {}
  }

  final class NumberedByHand: Codable {
    var next: NumberedByHand?
    private enum CodingKeys: CodingKey { case number, next }
    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      next = try container.decodeIfPresent(NumberedByHand.self, forKey: .next)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var number = container.superEncoder(forKey: .number).singleValueContainer()
      try number.encode(Int128.min)
      try container.encodeIfPresent(next, forKey: .next)
    }
  }

  @Test("an object may encode 128-bit integers before the property that can wait")
  func largeNumbers() throws {
    let byHand = NumberedByHand()
    byHand.next = byHand
    try forEachWay(byHand) { back in
      #expect(back.next === back)
      back.next = nil
    }
    byHand.next = nil
    let numbered = Numbered()
    numbered.next = numbered
    try forEachWay(numbered) { back in
      #expect(back.next === back && back.number == .min && back.size == .max)
      back.next = nil
    }
    numbered.next = nil
  }

  // MARK: Hashes

  final class Member: Codable, Hashable {
    var name: String
    var friends: Set<Member> = []
    var scores: [Member: Int] = [:]
    init(_ name: String) { self.name = name }

    static func == (left: Member, right: Member) -> Bool { left === right }
    /// Changes when the friends are assigned.
    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(friends.count)
      hasher.combine(scores.count)
    }
    func letGo() {
      friends = []
      scores = [:]
    }
  }

  @Test("sets and dictionaries that are read last find their elements")
  func hashesInProperties() throws {
    let members = (0..<5).map { Member(String($0)) }
    // Made before the friends are assigned, which changes the hashes of the elements.
    let sets = members.map { member in Set(members.filter { $0 !== member }) }
    for (member, set) in zip(members, sets) {
      member.friends = set
      member.scores = Dictionary(uniqueKeysWithValues: set.map { ($0, 1) })
    }
    defer { members.forEach { $0.letGo() } }
    try forEachWay(members) { back in
      for member in back {
        #expect(member.friends.count == 4)
        #expect(member.friends.allSatisfy { member.friends.contains($0) })
        #expect(member.scores.keys.allSatisfy { member.scores[$0] == 1 })
        #expect(back.allSatisfy { $0 === member || member.friends.contains($0) })
      }
      back.forEach { $0.letGo() }
    }
  }

  struct Club: Codable {
    let members: Set<Member>
  }

  @Test("a set in an initializer is refused if the hashes of its elements change")
  func hashesElsewhere() throws {
    let (ann, bob) = (Member("Ann"), Member("Bob"))
    ann.friends = [bob]
    bob.friends = [ann]
    let club = Club(members: [ann, bob])
    defer { [ann, bob].forEach { $0.letGo() } }
    let data = try KeyedArchiver.archivedData(withRootObject: club)
    #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive(Club.self, from: data) }
    do {
      _ = try KeyedUnarchiver.unarchive(Club.self, from: data)
    } catch let DecodingError.dataCorrupted(context) {
      #expect(context.debugDescription.contains("Set<Member>"))
      #expect(context.debugDescription.contains("hash(into:)"))
      #expect(spelled(context.codingPath) == "members")
    }
  }

  final class Watcher: Codable {
    @WeakReference var member: Member?
  }

  @Test("a weak reference gets the object that a later call decodes, though an earlier one failed")
  func decodedOnceMore() throws {
    let (ann, bob) = (Member("Ann"), Member("Bob"))
    ann.friends = [bob]
    bob.friends = [ann]
    defer { [ann, bob].forEach { $0.letGo() } }
    let watcher = Watcher()
    watcher.member = ann
    let archiver = KeyedArchiver()
    try archiver.encode(watcher, forKey: "watcher")
    try archiver.encode(Club(members: [ann, bob]), forKey: "club")
    try archiver.encode([ann, bob], forKey: "all")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let read = try unarchiver.decode(Watcher.self, forKey: "watcher")
    #expect(read.member == nil)
    #expect(throws: DecodingError.self) { try unarchiver.decode(Club.self, forKey: "club") }
    #expect(read.member == nil)
    let all = try unarchiver.decode([Member].self, forKey: "all")
    #expect(all[0].name == "Ann" && read.member === all[0])
    for member in all {
      member.friends.forEach { $0.letGo() }
      member.letGo()
    }
  }

  // MARK: Initializers

  final class Derived: Codable {
    var name: String
    var peer: Derived?
    var peerName: String?
    init(_ name: String) { self.name = name }

    private enum CodingKeys: String, CodingKey { case name, peer }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      peer = try container.decodeIfPresent(Derived.self, forKey: .peer)
      peerName = peer?.name ?? "nobody"
    }
  }

  @Test("an initializer sees the empty value") func emptyInInitializer() throws {
    let derived = Derived("self")
    derived.peer = derived
    defer { derived.peer = nil }
    try forEachWay(derived) { back in
      #expect(back.peer === back)
      #expect(back.peerName == "nobody")
      back.peer = nil
    }
  }

  final class Awaking: Codable, ArchiveAwakening {
    var name: String
    var peers: [Awaking] = []
    var names = ""
    init(_ name: String) { self.name = name }
    private enum CodingKeys: String, CodingKey { case name, peers }
    func awakeFromArchive() { names = peers.map(\.name).joined(separator: ", ") }
  }

  final class Asking: Codable {
    var next: Asking?
    private enum CodingKeys: CodingKey { case next }
    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if try container.decodeIfPresent(Asking.self, forKey: .next) == nil {
        next = try container.decodeIfPresent(Asking.self, forKey: .next)
      }
    }
  }

  @Test("an initializer may request the property twice") func askedTwice() throws {
    let asking = Asking()
    asking.next = asking
    let back = try roundTrip(asking)
    #expect(back.next === back)
    for asking in [asking, back] { asking.next = nil }
  }

  @Test("values derived in awakeFromArchive see all objects") func awakening() throws {
    let awaking = Awaking("a")
    awaking.peers = [awaking, Awaking("b")]
    defer { awaking.peers = [] }
    try forEachWay(awaking) { back in
      #expect(back.names == "a, b")
      back.peers = []
    }
  }

  final class Replacing: Codable {
    var name: String
    var peer: Replacing?
    init(_ name: String) { self.name = name }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      peer = try container.decodeIfPresent(Replacing.self, forKey: .peer) ?? Replacing("made up")
    }
  }

  @Test("decoding throws if an initializer stores another value") func replaced() throws {
    let replacing = Replacing("one")
    replacing.peer = replacing
    defer { replacing.peer = nil }
    let data = try KeyedArchiver.archivedData(withRootObject: replacing)
    do {
      _ = try KeyedUnarchiver.unarchive(Replacing.self, from: data)
      Issue.record("The value that init(from:) stored was lost")
    } catch let DecodingError.dataCorrupted(context) {
      #expect(context.debugDescription.contains("Replacing.peer"))
      #expect(context.debugDescription.contains("awakeFromArchive"))
      #expect((context.underlyingError as? ArchiveError)?.code == .misuse)
    }
  }

  final class Family: Codable {
    var parent: Family?
    var children: [Family]
    init(_ children: [Family] = []) {
      self.children = children
      for child in children { child.parent = self }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      parent = try container.decodeIfPresent(Family.self, forKey: .parent)
      children = try container.decode([Family].self, forKey: .children)
      for child in children { child.parent = self }
    }

    func breakCycles() {
      parent = nil
      for child in children { child.breakCycles() }
    }
  }

  @Test("an initializer may store the object itself, as parents do in their children")
  func storedBefore() throws {
    let family = Family([Family([Family()]), Family()])
    defer { family.breakCycles() }
    try forEachWay(family) { back in
      #expect(back.parent == nil && back.children.map(\.children.count) == [1, 0])
      #expect(back.children.allSatisfy { $0.parent === back })
      #expect(back.children[0].children[0].parent === back.children[0])
      back.breakCycles()
    }
    let leaf = try roundTrip(family.children[0].children[0])
    let root = try #require(leaf.parent?.parent)
    #expect(root.children[0].children[0] === leaf)
    root.breakCycles()
  }
}
