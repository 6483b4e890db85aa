import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects in fields, and classes that declare theirs.
@Suite struct FieldGraphs {
  private final class Owner: Codable {
    var name: String
    init(_ name: String) { self.name = name }
  }

  private struct Thing: ArchivedFields {
    var owner: Owner?
    var owners: [Owner] = []
    @Deferred var deferred: Owner?
    @WeakReference var weak: Owner?
  }

  @Test("objects that are shared through fields stay shared")
  func shared() throws {
    let owner = Owner("o")
    let other = Owner("p")
    var thing = Thing(owner: owner, owners: [other, owner, other])
    thing.deferred = other
    thing.weak = owner
    let copy = try roundTrip([thing, Thing(owner: owner)])
    #expect(copy[0].owner?.name == "o" && copy[0].owner === copy[0].owners[1])
    #expect(copy[0].owners[0] === copy[0].owners[2] && copy[0].owners[0] === copy[0].deferred)
    #expect(copy[0].weak === copy[0].owner && copy[1].owner === copy[0].owner)
    #expect(copy[1].deferred == nil)
  }

  private final class Board: ArchivedModel {
    var cards = [Card(text: "a"), Card(text: "b")]
    var others: [Card]? = [Card(text: "c"), Card(text: "d")]
    var fields = Fields()

    struct Fields: ArchivedFields {
      var cards = [Card(text: "e"), Card(text: "f")]
    }
  }

  private struct Card: Codable {
    var text: String

    init(text: String) { self.text = text }

    func encode(to encoder: any Encoder) throws {
      (encoder.userInfo[.named("change")] as? (String) -> Void)?(text)
      try text.encode(to: encoder)
    }

    init(from decoder: any Decoder) throws { text = try String(from: decoder) }
  }

  @Test("an archive has the values from before encode(to:) changed other elements")
  func changedMeanwhile() throws {
    func texts(changingAt text: String, _ change: @escaping (Board) -> Void) throws -> [String] {
      let board = Board()
      let changeAt = { if $0 == text { change(board) } }
      let data = try KeyedArchiver.archivedData(
        withRootObject: board,
        userInfo: [.named("change"): changeAt]
      )
      let copy = try ArchiveDecoder().decode(Board.self, from: data)
      return (copy.cards + (copy.others ?? []) + copy.fields.cards).map(\.text)
    }
    let before = ["a", "b", "c", "d", "e", "f"]
    #expect(try texts(changingAt: "a") { $0.cards[1].text = "new" } == before)
    #expect(try texts(changingAt: "c") { $0.others?[1].text = "new" } == before)
    #expect(try texts(changingAt: "e") { $0.fields.cards[1].text = "new" } == before)
  }

  private final class Page: Codable {
    var links = Links()
    init() {}
  }
  private struct Links: ArchivedFields {
    @Deferred var page: Page?
    var count = 0
  }

  @Test("a cycle through a deferred field is closed; through a plain one it is refused")
  func rings() throws {
    let page = Page()
    page.links.page = page
    page.links.count = 4
    let copy = try roundTrip(page)
    #expect(copy.links.page === copy && copy.links.count == 4)
    copy.links.page = nil
    page.links.page = nil

    let ring = Ring()
    ring.holder.ring = ring
    let error = try failure { try ArchiveEncoder().encode(ring) }
    #expect(error.code == .cycle && error.description.contains("Ring.holder"), "\(error)")
    ring.holder.ring = nil
  }

  private final class Ring: Codable {
    var holder = Holder()
    init() {}
  }
  private struct Holder: ArchivedFields {
    var ring: Ring?
  }

  private final class Station: ArchivedFields, SelfRegistering {
    var name = ""
    var next: Station?
    var street = Street()

    init() {}
  }

  private final class PlainStation: Codable {
    var name = "plain"
    var street = PlainStreet(name: "s", number: 1)
    init() {}
  }

  @Test("classes declare fields, and close cycles if they register themselves")
  func classes() throws {
    let station = Station()
    station.name = "a"
    let next = Station()
    next.name = "b"
    next.street.number = 3
    station.next = next
    next.next = station
    let copy = try roundTrip([station, next])
    #expect(copy[0].next === copy[1] && copy[1].next === copy[0])
    #expect(copy[0].name == "a" && copy[1].street.number == 3)
    let plain = try transcode(PlainStation(), to: Station.self)
    #expect(plain.name == "plain" && plain.street.number == 1 && plain.next == nil)
    for object in [station, next] + copy { object.next = nil }
    #expect(try JSONDecoder().decode(Station.self, from: JSONEncoder().encode(next)).street.number == 3)
  }

  private final class House: Codable, Sendable {
    static let nowhere = House(0)
    let number: Int

    init(_ number: Int) { self.number = number }

    private enum CodingKeys: CodingKey { case number }

    init(from decoder: any Decoder) throws {
      number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
      // An unowned property does not keep its object alive.
      (decoder.userInfo[.named("houses")] as? Houses)?.list.append(self)
    }
  }

  private final class Houses: @unchecked Sendable { var list: [House] = [] }

  private final class Flat: ArchivedFields {
    unowned var house = House.nowhere
    unowned var next: House?
    weak var watched: House?
    var number = 1
  }

  @Test("in other coders, unowned properties are their objects, and weak ones are omitted")
  func unownedElsewhere() throws {
    let (encoder, decoder, houses) = (JSONEncoder(), JSONDecoder(), Houses())
    encoder.outputFormatting = .sortedKeys
    decoder.userInfo = [.named("houses"): houses]
    let (flat, house, next) = (Flat(), House(2), House(3))
    flat.house = house
    let json = try String(decoding: encoder.encode(flat), as: UTF8.self)
    #expect(json == #"{"house":{"number":2},"number":1}"#)
    let back = try decoder.decode(Flat.self, from: Data(json.utf8))
    #expect(back.house === houses.list[0] && back.house.number == 2 && back.next == nil)
    (flat.next, flat.watched, flat.number) = (next, next, 4)
    let other = try decoder.decode(Flat.self, from: encoder.encode(flat))
    #expect(other.house === houses.list[1] && other.next === houses.list[2] && other.next?.number == 3)
    #expect(other.watched == nil && other.number == 4)
    let watching = try decoder.decode(
      Flat.self,
      from: Data(#"{"house":{"number":5},"watched":{"number":6}}"#.utf8)
    )
    #expect(watching.house === houses.list[3] && watching.watched == nil)
    // A missing value leaves the default.
    let empty = try decoder.decode(Flat.self, from: Data("{}".utf8))
    #expect(empty.house === House.nowhere && empty.next == nil && empty.number == 1)
    withExtendedLifetime((house, next, houses)) {}
  }

  /// Houses before or after a place that refers to them.
  private struct Avenue<Place: Codable>: Codable {
    var before: [House] = []
    var place: Place
    var after: [House] = []
  }

  /// An earlier version of ``Flat``, whose keys are made at run time.
  private final class LooseFlat: Codable {
    var houses: [String: House] = [:]

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(7, forKey: "number")
      for (key, house) in houses where key != "watched" { try container.encode(house, forKey: AnyKey(key)) }
      try container.encodeConditional(houses["watched"], forKey: "watched")
    }
  }

  @Test("weak and unowned properties are read from a container that is no record", arguments: [true, false])
  func references(houseFirst: Bool) throws {
    let (flat, houses) = (LooseFlat(), (1...3).map { House($0) })
    flat.houses = ["house": houses[0], "next": houses[1], "watched": houses[2]]
    let avenue = Avenue(before: houseFirst ? houses : [], place: flat, after: houseFirst ? [] : houses)
    var decoder = ArchiveDecoder()
    let kept = Houses()
    decoder.userInfo = [.named("houses"): kept]
    let back = try decoder.decode(Avenue<Flat>.self, from: ArchiveEncoder().encode(avenue))
    let read = back.before + back.after
    #expect(read.map(\.number) == [1, 2, 3] && back.place.number == 7 && kept.list.count == 3)
    #expect(back.place.house === read[0] && back.place.next === read[1] && back.place.watched === read[2])
    flat.houses = ["house": houses[0], "watched": houses[2]]
    let lone = try decoder.decode(Flat.self, from: ArchiveEncoder().encode(flat))
    #expect(lone.house.number == 1 && lone.next == nil && lone.watched == nil)
    withExtendedLifetime((houses, kept)) {}
  }

  private struct Address: ArchivedFields {
    unowned var house = House.nowhere
    unowned var next: House?
  }

  @Test("unowned properties of a structure refer to their objects", arguments: [true, false])
  func unownedInStructures(hasNext: Bool) throws {
    let houses = [House(1), House(2)]
    let avenue = Avenue(before: houses, place: Address(house: houses[1], next: hasNext ? houses[0] : nil))
    let back = try roundTrip(avenue)
    #expect(back.place.house === back.before[1] && back.place.next === (hasNext ? back.before[0] : nil))
    withExtendedLifetime(houses) {}
  }

  @Test("many tasks code declared fields at once")
  func threads() async throws {
    let data = try ArchiveEncoder().encode([Everything.full])
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (try? ArchiveDecoder().decode([Everything].self, from: data)) == [.full]
            && (try? ArchiveEncoder().encode([Everything.full])) == data
        }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }
}
