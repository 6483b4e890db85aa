import Foundation
import Keepsake
import TestSupport
import Testing

/// Which properties can wait in a cycle, and the errors about the others.
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

  // MARK: Properties that cannot wait

  struct Info: Codable { var node: InStructure? }
  final class InStructure: Codable {
    var info = Info()
  }
  final class InOptionalStructure: Codable {
    struct Info: Codable { var node: InOptionalStructure? }
    var info: Info?
  }
  final class InDeferredStructure: Codable {
    struct Info: Codable { var node: InDeferredStructure? }
    @Deferred var info = Info()
  }

  @Test("the error for a value within a structure gives advice that works") func structure() throws {
    let node = InStructure()
    node.info.node = node
    defer { node.info.node = nil }
    let message = try #require(refusal(of: node))
    #expect(message.contains("InStructure.info"))
    #expect(message.contains("Mark InStructure.info @Deferred"))
    let optional = InOptionalStructure()
    optional.info = .init(node: optional)
    defer { optional.info = nil }
    try forEachWay(optional) { back in
      #expect(back.info?.node === back)
      back.info = nil
    }
    let deferred = InDeferredStructure()
    deferred.info.node = deferred
    defer { deferred.info.node = nil }
    try forEachWay(deferred) { back in
      #expect(back.info.node === back)
      back.info.node = nil
    }
  }

  indirect enum Kind: Codable {
    case none
    case of(InEnumeration)
  }
  final class InEnumeration: Codable {
    var kind = Kind.none
  }
  final class InDeferredEnumeration: Codable {
    enum Kind: Codable {
      case none
      case of(InDeferredEnumeration)
    }
    @Deferred var kind = Kind.none
  }

  @Test("the error for the payload of an enumeration gives advice that works") func enumeration() throws {
    let object = InEnumeration()
    object.kind = .of(object)
    defer { object.kind = .none }
    let message = try #require(refusal(of: object))
    #expect(message.contains("Mark InEnumeration.kind @Deferred"))
    let deferred = InDeferredEnumeration()
    deferred.kind = .of(deferred)
    defer { deferred.kind = .none }
    try forEachWay(deferred) { back in
      if case .of(let object) = back.kind { #expect(object === back) } else { Issue.record("Another case") }
      back.kind = .none
    }
  }

  @propertyWrapper struct Logged<Value: Codable>: Codable {
    var wrappedValue: Value
  }
  final class Wrapped: Codable {
    @Logged var peer: Wrapped?
    init() { _peer = Logged(wrappedValue: nil) }
  }
  final class DeferredWrapped: Codable {
    @Deferred @Logged var peer: DeferredWrapped?
    init() { _peer = Deferred(wrappedValue: Logged(wrappedValue: nil)) }
  }

  @Test("the error for a wrapped property gives advice that works") func wrapper() throws {
    let object = Wrapped()
    object.peer = object
    defer { object.peer = nil }
    let message = try #require(refusal(of: object))
    #expect(message.contains("Write @Deferred before the wrapper of Wrapped.peer"))
    let deferred = DeferredWrapped()
    deferred.peer = deferred
    defer { deferred.peer = nil }
    try forEachWay(deferred) { back in
      #expect(back.peer === back)
      back.peer = nil
    }
  }

  final class Owned: Codable {
    var owner: Owner
    init(_ owner: Owner) { self.owner = owner }
  }
  final class Owner: Codable {
    /// Like a let in a class of a framework: assigned once, in the initializer.
    let list: List
    init() { list = List() }
    final class List: Codable {
      var first: Holding = .init()
    }
    final class Holding: Codable {
      // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
      var owned: Owned!
      private enum CodingKeys: String, CodingKey { case other = "owned" }
      init() {}
      init(from decoder: any Decoder) throws {
        owned = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Owned.self, forKey: .other)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(owned, forKey: .other)
      }
    }
  }

  @Test("the error names types and properties once, with advice for each") func names() throws {
    let owner = Owner()
    owner.list.first.owned = Owned(owner)
    defer { owner.list.first.owned = nil }
    let message = try #require(refusal(of: owner))
    #expect(message.contains("Owner.list → List.first → Holding.owned → Owned.owner"))
    #expect(message.contains("Declare Owned.owner as an optional var"))
    #expect(message.contains("encode owned of Holding with encodeDeferred(_:forKey:)"))
    #expect(message.components(separatedBy: "Owner.list").count == 2)
  }

  /// A wrapper that is a class and encodes its value without a key.
  @propertyWrapper final class Boxed<Value: Codable>: Codable {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }
  final class InBox: Codable {
    @Boxed var peer: InBox?
    init() { _peer = Boxed(wrappedValue: nil) }
  }
  final class InDeferredBox: Codable {
    @Deferred @Boxed var peer: InDeferredBox?
    init() { _peer = Deferred(wrappedValue: Boxed(wrappedValue: nil)) }
  }

  @Test("the error names only the type of an object that encodes no keys") func withoutKeys() throws {
    let object = InBox()
    object.peer = object
    defer { object.peer = nil }
    let message = try #require(refusal(of: object))
    #expect(message.contains("InBox.peer → Boxed<Optional<InBox>>. "))
    #expect(!message.contains("encodeDeferred"))
    let deferred = InDeferredBox()
    deferred.peer = deferred
    defer { deferred.peer = nil }
    try forEachWay(deferred) { back in
      #expect(back.peer === back)
      back.peer = nil
    }
  }

  final class Couple: Codable {
    var partners: [Couple?] = [nil, nil]
    init() {}
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      partners = try (0..<2).map { _ in try container.decode(Couple?.self) }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for partner in partners { try container.encode(partner) }
    }
  }
  final class DeferredCouple: Codable {
    var partners: [DeferredCouple?] = [nil, nil]
    init() {}
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      for index in 0..<2 {
        try container.decodeDeferred(DeferredCouple?.self) { [unowned self] in partners[index] = $0 }
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for partner in partners { try container.encodeDeferred(partner) }
    }
  }

  @Test("the error for an element of an unkeyed container gives advice that works") func element() throws {
    let object = Couple()
    object.partners[1] = object
    defer { object.partners = [] }
    let message = try #require(refusal(of: object))
    #expect(
      message.contains(
        "read back: Couple[1]. Encode [1] of Couple with encodeDeferred(_:) and decode it with "
          + "decodeDeferred(_:_:). Or make"
      )
    )
    let deferred = DeferredCouple()
    deferred.partners[1] = deferred
    defer { deferred.partners = [] }
    try forEachWay(deferred) { back in
      #expect(back.partners[0] == nil && back.partners[1] === back)
      back.partners = []
    }
  }

  final class Rider: Codable {
    unowned var horse: Horse
    init(_ horse: Horse) { self.horse = horse }
  }
  final class Horse: Codable {
    var saddle = Saddle()
    struct Saddle: Codable { var rider: Rider? }
  }
  final class FreeRider: Codable {
    unowned var horse: FreeHorse?
    init(_ horse: FreeHorse) { self.horse = horse }
  }
  final class FreeHorse: Codable {
    var saddle = Saddle()
    struct Saddle: Codable { var rider: FreeRider? }
  }
  final class UnsafeRider: Codable {
    unowned(unsafe) var pillion: UnsafeRider?
  }

  @Test("the error for an unowned property gives advice that works") func unowned() throws {
    let horse = Horse()
    horse.saddle.rider = Rider(horse)
    let message = try #require(refusal(of: horse))
    #expect(message.contains("Declare Rider.horse as an optional var, or mark Horse.saddle @Deferred"))
    let free = FreeHorse()
    free.saddle.rider = FreeRider(free)
    try forEachWay(free) { #expect($0.saddle.rider?.horse === $0) }
    let rider = UnsafeRider()
    unsafe rider.pillion = rider
    #expect(refusal(of: rider)?.contains("Make UnsafeRider.pillion weak or unowned. Or make") == true)
  }

  @Test("the error for a let advises a var, also if it is optional", arguments: ["peers", "first"])
  func constant(_ name: String) throws {
    final class Constant: Codable {
      let peers: [Peer]
      let first: Peer?
      init(_ peers: [Peer], _ first: Peer?) { (self.peers, self.first) = (peers, first) }
    }
    final class Peer: Codable {
      var constant: Box
      init() { constant = Box() }
      final class Box: Codable {
        var value: Constant!
        enum CodingKeys: String, CodingKey { case content = "c" }
        init() {}
        init(from decoder: any Decoder) throws {
          value = try decoder.container(keyedBy: CodingKeys.self).decode(Constant.self, forKey: .content)
        }
        func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: CodingKeys.self)
          try container.encode(value, forKey: .content)
        }
      }
    }
    let peer = Peer()
    let constant = name == "peers" ? Constant([peer], nil) : Constant([], peer)
    peer.constant.value = constant
    defer { peer.constant.value = nil }
    let message = try #require(refusal(of: constant))
    #expect(message.contains("Constant.\(name) → Peer.constant → Box.c"), "\(message)")
    #expect(message.contains("declare Constant.\(name) as a var"), "\(message)")
  }
}
