import Foundation
import Keepsake
import TestSupport
import Testing

/// The errors for properties that cannot wait in a cycle, and whether their advice works.
@Suite struct AdviceOnCycles {
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
