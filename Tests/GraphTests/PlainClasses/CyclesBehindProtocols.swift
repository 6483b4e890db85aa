import Foundation
import Keepsake
import TestSupport
import Testing

/// Cycles through properties of protocol types that can be empty.
@Suite struct CyclesBehindProtocols {
  protocol Link: AnyObject, Codable {
    var name: String { get }
    var next: (any Link)? { get set }
  }

  class Knot: Link {
    var name: String
    @Polymorphic var next: (any Link)?
    @Polymorphic private(set) var previous: (any Link)?

    init(_ name: String, after previous: (any Link)? = nil) {
      self.name = name
      self.previous = previous
      previous?.next = self
    }
  }

  final class Bow: Knot {}

  /// Has a hand-written initializer, and two references back.
  final class Hitch: Link, ArchiveAwakening {
    var name = "hitch"
    @Polymorphic var next: (any Link)?
    @Polymorphic var others: [String: [any Link]] = [:]
    @Polymorphic var mixed: [Any?]?
    private(set) var initialCount = -1
    private(set) var awakeCount = -1

    private enum CodingKeys: String, CodingKey { case name = "n", next = "x", others = "o", mixed }
    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      _others = try container.decode(Polymorphic<[String: [any Link]]>.self, forKey: .others)
      _next = try container.decodeIfPresent(Polymorphic<(any Link)?>.self, forKey: .next) ?? Polymorphic()
      _mixed = try container.decode(Polymorphic<[Any?]?>.self, forKey: .mixed)
      initialCount = others.count
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(_others, forKey: .others)
      try container.encode(_next, forKey: .next)
      try container.encode(_mixed, forKey: .mixed)
    }

    func awakeFromArchive() { awakeCount = others.count }

    func cut() { (next, others, mixed) = (nil, [:], nil) }
  }

  @Test("an object that is its own successor comes back")
  func itself() throws {
    let knot = Knot("a")
    knot.next = knot
    try forEachWay(knot) { back in
      #expect(back.next === back && back.previous == nil)
      back.next = nil
    }
    knot.next = nil
  }

  @Test(
    "a doubly linked list comes back from its first and last objects",
    arguments: [2, 3, sized(20_000, inDebug: 2_000)]
  )
  func list(_ count: Int) throws {
    var knots = [Knot("0")]
    for number in 1..<count {
      let last = knots[number - 1]
      knots.append(number % 3 == 0 ? Bow("\(number)", after: last) : Knot("\(number)", after: last))
    }
    defer { for knot in knots { knot.next = nil } }
    try forEachWay(knots[0]) { back in
      var number = 0
      var knot: Knot? = back
      while let here = knot {
        #expect(here.name == "\(number)" && (here is Bow) == (number > 0 && number % 3 == 0))
        knot = here.next as? Knot
        if let knot { #expect(knot.previous === here) }
        here.next = nil
        number += 1
      }
      #expect(number == count)
    }
    try forEachWay(knots[count - 1]) { back in
      var number = count
      var knot: Knot? = back
      while let here = knot {
        number -= 1
        #expect(here.name == "\(number)")
        knot = here.previous as? Knot
        if let knot { #expect(knot.next === here) }
        knot?.next = nil
      }
      #expect(number == 0)
    }
  }

  @Test("dictionaries and arrays are empty in a hand-written initializer, and filled later")
  func collections() throws {
    let hitch = Hitch()
    let knot = Knot("k")
    knot.next = hitch
    hitch.others = ["all": [knot, hitch], "none": []]
    hitch.mixed = [1, nil, "text", hitch, [knot, 2] as [Any]]
    defer { hitch.cut() }
    try forEachWay(hitch) { back in
      let other = try #require(back.others["all"]?.first)
      #expect(other.name == "k" && other.next === back && back.others["all"]?.last === back)
      #expect(back.others["none"]?.isEmpty == true && back.awakeCount == 2)
      #expect(back.initialCount == 0)
      #expect(back.mixed?.count == 5 && back.mixed?[0] as? Int == 1 && back.mixed?[2] as? String == "text")
      #expect(back.mixed?[3] as AnyObject === back)
      #expect((back.mixed?[4] as? [Any])?[0] as AnyObject === other)
      back.cut()
    }
  }

  @Test("several keys are read in any order")
  func keys() throws {
    let first = Knot("first")
    let second = Bow("second", after: first)
    second.next = first
    defer { first.next = nil }
    let archiver = KeyedArchiver()
    try archiver.encode(first, forKey: "first")
    try archiver.encode(second, forKey: "second")
    for keys in [["first", "second"], ["second", "first"]] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      let knots = try keys.map { try unarchiver.decode(Knot.self, forKey: $0) }
      #expect(knots[0].next === knots[1] && knots[1].next === knots[0])
      let last = knots.first { $0 is Bow }
      #expect(last?.previous === knots.first { $0 !== last })
      knots[0].next = nil
    }
  }

  final class Stubborn: Codable {
    @Polymorphic var peer: Any?
    private enum CodingKeys: CodingKey { case peer }
    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      _peer = try container.decode(Polymorphic<Any?>.self, forKey: .peer)
      if peer == nil { peer = "nobody" }
    }
  }

  @Test("decoding throws if an initializer stores another value in the property")
  func notEmpty() throws {
    let object = Stubborn()
    object.peer = object
    defer { object.peer = nil }
    let data = try KeyedArchiver.archivedData(withRootObject: object)
    let error = #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(Stubborn.self, from: data)
    }
    #expect("\(try #require(error))".contains("Stubborn.peer"))
  }

  final class Fixed: Codable {
    @Polymorphic var peer: any Codable = 1
  }

  final class DeferredFixed: Codable {
    @Deferred @Polymorphic var peer: any Codable = 1
  }

  @Test("a property that cannot be empty is refused, and the advice works")
  func notOptional() throws {
    let object = Fixed()
    object.peer = object
    defer { object.peer = 1 }
    #expect(refusal(of: object)?.contains("Write @Deferred before the wrapper of Fixed.peer") == true)
    let deferred = DeferredFixed()
    deferred.peer = deferred
    defer { deferred.peer = 1 }
    try forEachWay(deferred) { back in
      #expect(back.peer as? DeferredFixed === back)
      back.peer = 1
    }
  }
}
