import Keepsake
import TestSupport
import Testing

/// Cycles of subclasses, of generic classes and of classes on the main actor, without code for archives.
@Suite struct KindsOfPlainClasses {
  // MARK: Superclasses

  class Vehicle: Codable {
    var wheels = 4
    var owner: Driver?
    init() {}
  }

  final class Car: Vehicle {
    var spare: Car?
    weak var twin: Car?

    override init() { super.init() }

    private enum CodingKeys: String, CodingKey { case spare, twin }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      spare = try container.decodeIfPresent(Car.self, forKey: .spare)
      twin = try container.decodeIfPresent(Car.self, forKey: .twin)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(spare, forKey: .spare)
      try container.encodeIfPresent(twin, forKey: .twin)
      try super.encode(to: container.superEncoder())
    }
  }

  /// Its superclass shares its container.
  final class Bus: Vehicle {
    var next: Bus?
    override init() { super.init() }

    private enum CodingKeys: String, CodingKey { case next }

    required init(from decoder: any Decoder) throws {
      next = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Bus.self, forKey: .next)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(next, forKey: .next)
      try super.encode(to: encoder)
    }
  }

  /// Its superclass has its own container under a key.
  final class Tram: Vehicle {
    weak var front: Tram?
    override init() { super.init() }

    private enum CodingKeys: String, CodingKey { case front, vehicle }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      front = try container.decodeIfPresent(Tram.self, forKey: .front)
      try super.init(from: container.superDecoder(forKey: .vehicle))
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try super.encode(to: container.superEncoder(forKey: .vehicle))
      try container.encodeIfPresent(front, forKey: .front)
    }
  }

  final class Driver: Codable {
    var cars: [Car] = []
    var buses: [Bus] = []
    var trams: [Tram] = []
  }

  @Test("properties of superclasses come back, from their own and shared containers") func superclasses()
    throws
  {
    let driver = Driver()
    let (first, second, bus, tram, rear) = (Car(), Car(), Bus(), Tram(), Tram())
    first.wheels = 3
    first.spare = second
    second.spare = first
    second.twin = first
    bus.next = bus
    rear.front = tram
    for vehicle in [first, second, bus, tram, rear] { vehicle.owner = driver }
    driver.cars = [first, second]
    driver.buses = [bus]
    driver.trams = [rear, tram]
    func letGo(_ driver: Driver) {
      driver.cars.forEach { $0.spare = nil }
      driver.buses.forEach { $0.next = nil }
      driver.cars = []
      driver.buses = []
      driver.trams = []
    }
    try forEachWay(driver) { back in
      #expect(back.cars[0].wheels == 3)
      #expect(back.cars[0].spare === back.cars[1])
      #expect(back.cars[1].spare === back.cars[0])
      #expect(back.cars[1].twin === back.cars[0])
      #expect(back.buses[0].next === back.buses[0])
      #expect(back.trams[0].front === back.trams[1])
      #expect(back.trams[1].front == nil)
      #expect((back.cars as [Vehicle] + back.buses + back.trams).allSatisfy { $0.owner === back })
      letGo(back)
    }
    letGo(driver)
  }

  // MARK: Other kinds of classes

  final class Box<Value: Codable>: Codable {
    var value: Value
    var other: Box<Value>?
    weak var inside: Box<Value>?
    init(_ value: Value) { self.value = value }
  }

  @Test("generic classes come back") func generic() throws {
    let (left, right) = (Box("left"), Box("right"))
    left.other = right
    right.other = left
    right.inside = left
    try forEachWay(left) { back in
      #expect(back.other?.other === back)
      #expect(back.other?.inside === back)
      #expect(back.other?.value == "right")
      back.other = nil
    }
    left.other = nil
  }

  @MainActor final class View: @MainActor Codable {
    var subviews: [View] = []
    weak var superview: View?
    var delegate: View?
  }

  @MainActor @Test("classes on the main actor come back") func mainActor() throws {
    let (window, button) = (View(), View())
    window.subviews = [button]
    button.superview = window
    window.delegate = button
    button.delegate = window
    let data = try KeyedArchiver.archivedData(withRootObject: window)
    let back = try KeyedUnarchiver.unarchive(View.self, from: data)
    #expect(back.subviews[0].superview === back)
    #expect(back.subviews[0].delegate === back)
    #expect(back.delegate === back.subviews[0])
    back.delegate = nil
    window.delegate = nil
  }
}
