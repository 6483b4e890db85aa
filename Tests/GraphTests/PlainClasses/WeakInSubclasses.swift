import Foundation
import Keepsake
import TestSupport
import Testing

/// Weak properties of classes whose superclass has its own keys, in the same record or in one beside it.
@Suite struct WeakInSubclasses {
  final class Owner: Codable {
    var name = "the owner of it all"
    init() {}
  }

  class Part: Codable {
    var number = 1
    init() {}
  }

  /// When a class requests its container, and when its superclass encodes itself.
  enum Order: Codable, CaseIterable { case superFirst, superLast, superBetween, superEncoder, requestedFirst }

  final class Wheel: Part {
    weak var owner: Owner?
    var order = Order.superFirst

    enum CodingKeys: String, CodingKey { case owner = "o", order }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      order = try container.decode(Order.self, forKey: .order)
      owner = try container.decodeIfPresent(Owner.self, forKey: .owner)
      let isApart = order == .superEncoder || order == .requestedFirst
      try super.init(from: isApart ? container.superDecoder() : decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      if order == .superFirst { try super.encode(to: encoder) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      let requested = order == .requestedFirst ? container.superEncoder() : nil
      try container.encode(order, forKey: .order)
      if order == .superBetween { try super.encode(to: encoder) }
      try container.encodeIfPresent(owner, forKey: .owner)
      if order == .superLast { try super.encode(to: encoder) }
      if order == .superEncoder { try super.encode(to: container.superEncoder()) }
      if let requested { try super.encode(to: requested) }
    }
  }

  class Owned: Codable {
    weak var owner: Owner?
    init() {}
  }

  final class Door: Owned {
    var order = Order.superFirst

    enum DoorKeys: CodingKey { case order }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: DoorKeys.self)
      order = try container.decode(Order.self, forKey: .order)
      let isApart = order == .superEncoder || order == .requestedFirst
      try super.init(from: isApart ? container.superDecoder() : decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      if order == .superFirst { try super.encode(to: encoder) }
      var container = encoder.container(keyedBy: DoorKeys.self)
      let requested = order == .requestedFirst ? container.superEncoder() : nil
      if order == .superBetween { try super.encode(to: encoder) }
      try container.encode(order, forKey: .order)
      if order == .superLast { try super.encode(to: encoder) }
      if order == .superEncoder { try super.encode(to: container.superEncoder()) }
      if let requested { try super.encode(to: requested) }
    }
  }

  struct Car: Codable {
    var wheels: [Wheel]
    var doors: [Door]
    var owner: Owner?
  }

  @Test(
    "weak properties refer to their object only if something else archives it",
    arguments: Order.allCases
  )
  func conditional(_ order: Order) throws {
    let (owner, wheel, door) = (Owner(), Wheel(), Door())
    (wheel.order, wheel.owner, door.order, door.owner) = (order, owner, order, owner)
    // Two of each, since the first object of a class shows what its properties are.
    var car = Car(wheels: [wheel, Wheel()], doors: [door, Door()])
    (car.wheels[1].owner, car.doors[1].owner) = (owner, owner)
    let data = try KeyedArchiver.archivedData(withRootObject: car)
    #expect(data.range(of: Data(owner.name.utf8)) == nil)
    car.owner = owner
    let copy = try KeyedArchiver.copy(of: car)
    #expect(copy.owner != nil)
    for wheel in copy.wheels { #expect(wheel.owner === copy.owner && wheel.number == 1) }
    for door in copy.doors { #expect(door.owner === copy.owner) }
  }

  final class Garage: Codable {
    var owner: Owner?
    weak var tenant: Owner?
    enum CodingKeys: CodingKey { case owner, tenant }
    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      for _ in 0..<2 {
        try container.encode(owner, forKey: .owner)
        try container.encode(tenant, forKey: .tenant)
      }
    }
  }

  @Test("properties encoded again stay strong or weak")
  func encodedAgain() throws {
    let (garage, other, owner) = (Garage(), Garage(), Owner())
    (garage.owner, other.tenant) = (owner, owner)
    let copies = try KeyedArchiver.copy(of: [garage, other])
    #expect(copies[0].owner != nil && copies[1].tenant === copies[0].owner)
    let data = try KeyedArchiver.archivedData(withRootObject: other)
    #expect(data.range(of: Data(owner.name.utf8)) == nil)
  }
}
