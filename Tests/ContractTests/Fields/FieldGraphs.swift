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

  @Test("where code that encodes a property changes it meanwhile, the archive has what it was")
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

  @Test("classes declare fields as well, and close cycles where they say that they register")
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

  @Test("coding on many threads at once")
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
