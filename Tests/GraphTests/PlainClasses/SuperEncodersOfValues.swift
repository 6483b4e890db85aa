import Foundation
import Keepsake
import TestSupport
import Testing

/// A `superEncoder(forKey:)` may encode a value that is not a superclass. The keys of the value may be those of
/// properties of the object.
@Suite struct SuperEncodersOfValues {
  final class Label: Codable {
    var text: String
    init(_ text: String) { self.text = text }
  }

  struct Details: Codable {
    var label: Label?
    var next: Stop?
  }

  /// A class without a superclass; its details have keys like its own.
  final class Stop: Codable {
    let number: Int
    weak var label: Label?
    var next: Stop?
    var details = Details()

    private enum CodingKeys: CodingKey { case number, label, next, details }

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      label = try container.decodeIfPresent(Label.self, forKey: .label)
      next = try container.decodeIfPresent(Stop.self, forKey: .next)
      details = try Details(from: container.superDecoder(forKey: .details))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
      try container.encode(label, forKey: .label)
      try container.encode(next, forKey: .next)
      try details.encode(to: container.superEncoder(forKey: .details))
    }
  }

  class Place: Codable {
    var name = ""
    init() {}
  }

  /// A subclass with a weak property, and a value with the same key.
  final class Station: Place {
    weak var label: Label?
    var details = Details()

    private enum CodingKeys: CodingKey { case label, details }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      try super.init(from: decoder)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      label = try container.decodeIfPresent(Label.self, forKey: .label)
      details = try Details(from: container.superDecoder(forKey: .details))
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(label, forKey: .label)
      try details.encode(to: container.superEncoder(forKey: .details))
    }
  }

  /// A class that is not Codable, with properties that its subclasses archive.
  class Platform {
    weak var label: Label?
    var next: Track?

    private enum CodingKeys: CodingKey { case label, next }

    init() {}

    init(reading decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      label = try container.decodeIfPresent(Label.self, forKey: .label)
      next = try container.decodeIfPresent(Track.self, forKey: .next)
    }

    func write(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(label, forKey: .label)
      try container.encode(next, forKey: .next)
    }
  }

  final class Track: Platform, Codable {
    let number: Int

    private enum CodingKeys: CodingKey { case number, platform }

    init(_ number: Int) {
      self.number = number
      super.init()
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      try super.init(reading: container.superDecoder(forKey: .platform))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
      try write(to: container.superEncoder(forKey: .platform))
    }
  }

  @Test("properties of a superclass that is not Codable are archived")
  func superclassByHand() throws {
    let (first, second, label) = (Track(1), Track(2), Label("only weakly referred to"))
    (first.next, second.next, first.label) = (second, first, label)
    let data = try ArchiveEncoder().encode(first)
    #expect(data.range(of: Data(label.text.utf8)) == nil)
    let back = try ArchiveDecoder().decode(Track.self, from: data)
    #expect(back.next?.next === back && back.next?.number == 2)
    for track in [first, back] { track.next = nil }
  }

  @Test("a strong reference under the key of a weak property is archived")
  func strong() throws {
    let (stop, station) = (Stop(1), Station())
    stop.details.label = Label("strong")
    station.details.label = Label("too")
    #expect(try KeyedArchiver.copy(of: stop).details.label?.text == "strong")
    #expect(try KeyedArchiver.copy(of: station).details.label?.text == "too")
  }

  @Test("a cycle through the value of a super encoder is refused")
  func cycleByValue() throws {
    let (first, second) = (Stop(1), Stop(2))
    (first.details.next, second.details.next) = (second, first)
    #expect(try failure { try ArchiveEncoder().encode(first) }.code == .cycle)
    for stop in [first, second] { stop.details = Details() }
  }

  @Test("a property that waits leaves the value with the same key intact")
  func cycleByProperty() throws {
    let (first, second, third) = (Stop(1), Stop(2), Stop(3))
    (first.next, second.next, first.details.next) = (second, first, third)
    let back = try KeyedArchiver.copy(of: first)
    #expect(back.next?.next === back && back.next?.number == 2 && back.details.next?.number == 3)
    #expect(back.details.next?.next == nil)
    for stop in [first, back] { stop.next = nil }
  }

  /// A subclass that encodes another object as the single value of a super encoder.
  final class Wagon: Place {
    var next: Wagon?
    var first: Wagon?

    private enum CodingKeys: CodingKey { case next, first }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      try super.init(from: decoder)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      next = try container.superDecoder(forKey: .next).singleValueContainer().decode(Wagon?.self)
      first = try container.decodeIfPresent(Wagon.self, forKey: .first)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(first, forKey: .first)
      var single = container.superEncoder(forKey: .next).singleValueContainer()
      try single.encode(next)
    }
  }

  @Test("a cycle through a super encoder is refused, unless a property that can wait closes it")
  func cycleBySingleValue() throws {
    let (first, second) = (Wagon(), Wagon())
    (first.first, second.first) = (first, first)
    (first.next, second.next) = (second, first)
    #expect(try failure { try ArchiveEncoder().encode(first) }.code == .cycle)
    second.next = nil
    let back = try KeyedArchiver.copy(of: first)
    #expect(back.first === back && back.next?.first === back)
    for wagon in [first, back] { wagon.first = nil }
  }
}
