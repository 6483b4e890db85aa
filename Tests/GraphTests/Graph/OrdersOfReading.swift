import TestSupport
import Testing

@testable import Keepsake

/// Cycles in which some objects are known early. Readers choose the order of keys, so each key must be
/// readable first.
@Suite struct OrdersOfReading {
  @Test("a cycle is readable from each of its keys, if a field of it can wait")
  func metLate() throws {
    let (first, second, third) = (Shelf(), Shelf(), Shelf())
    let book = Book(second)
    (first.hub, second.hub, first.others, third.books) = (second, first, [third], [book])
    let archiver = KeyedArchiver()
    try archiver.encode(first, forKey: "first")
    try archiver.encode(book, forKey: "book")
    try archiver.encode(third, forKey: "third")
    try archiver.encode(second, forKey: "second")
    let data = try archiver.encodedData
    for key in ["first", "second", "third", "book"] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      if key != "book" { _ = try unarchiver.decode(Shelf.self, forKey: key) }
      let book = try unarchiver.decode(Book.self, forKey: "book")
      let back = try unarchiver.decode(Shelf.self, forKey: "first")
      #expect(book.shelf === back.hub && book.shelf.hub === back)
      #expect(back.others.count == 1 && back.others.first?.books.first === book)
      for shelf in [back, book.shelf] + back.others { shelf.cut() }
    }
    for shelf in [first, second, third] { shelf.cut() }
  }

  @Test("a cycle comes back in which an object can be reached through a property that is read last")
  func reachedByWhatWaits() throws {
    let (hall, desk) = (Hall(), Desk())
    let lamp = Lamp(desk)
    (hall.desk, hall.lamps, desk.lamp, desk.hall) = (desk, [lamp], lamp, hall)
    let back = try roundTrip(hall)
    #expect(back.desk?.lamp?.desk === back.desk && back.desk?.hall === back)
    #expect(back.lamps.count == 1 && back.lamps.first === back.desk?.lamp)
    for hall in [hall, back] { (hall.desk, hall.lamps) = (nil, []) }
  }

  @Test("values do not depend on objects that only a lazy value would read earlier")
  func behindLazyValues() throws {
    let shelf = Shelf()
    shelf.books = [Book(shelf)]
    defer { shelf.cut() }
    let lender = Lender(), borrower = Lender()
    (lender.shelf, lender.book) = (shelf, shelf.books[0])
    (borrower.laterShelf, borrower.laterBook) = (shelf, shelf.books[0])
    let lent = try roundTrip(lender)
    #expect(lent.book != nil && lent.book === lent.shelf?.books[0])
    lent.shelf?.cut()
    let back = try roundTrip(borrower)
    #expect(back.laterBook != nil && back.laterBook === back.laterShelf?.books[0])
    back.laterShelf?.cut()
  }

  @Test("a lazy value may need later ones, which need later ones")
  func lazyValuesInLazyValues() throws {
    let shelves = [Shelf(), Shelf()]
    for shelf in shelves { shelf.books = [Book(shelf)] }
    defer { for shelf in shelves { shelf.cut() } }
    let chain = LazyChain()
    chain.book = shelves[0].books[0]
    chain.next = LazyChain()
    chain.next?.pair = [.book(shelves[1].books[0]), .shelf(shelves[0])]
    chain.next?.next = LazyChain()
    chain.next?.next?.shelf = shelves[1]
    let back = try KeyedArchiver.copy(of: chain)
    let book = try #require(back.book)
    #expect(book.shelf.books[0] === book)
    #expect(back.next?.pair.count == 2 && back.next?.next?.shelf?.books.count == 1)
    for shelf in [book.shelf, back.next?.next?.shelf] { shelf?.cut() }
  }

  @Test("a key that enters a cycle at an unreadable object is refused, and earlier keys stay readable")
  func waitsAgain() throws {
    let (looped, early, late, first, second) = (
      OrderKnot(), EarlyOrderKnot(), OrderKnot(), OrderKnot(), OrderKnot()
    )
    defer { for knot in [looped, early, late, first, second] { (knot.loose, knot.tight) = (nil, []) } }
    looped.loose = looped
    (early.tight, late.tight) = ([late], [early])
    (first.tight, first.loose) = ([early], late)
    second.loose = late
    let archiver = KeyedArchiver()
    // From here on, `loose` is read last.
    try archiver.encode(looped, forKey: "looped")
    try archiver.encode(early, forKey: "early")
    try archiver.encode(first, forKey: "first")
    // A reader that begins with this key enters the cycle at an object where it cannot be read.
    let found = try failure { try archiver.encode(second, forKey: "second") }
    #expect(found.kind == .invalidValue)
    let data = try archiver.encodedData
    for key in ["looped", "early", "first"] {
      let knot = try KeyedUnarchiver(forReadingFrom: data).decode(OrderKnot.self, forKey: key)
      knot.cut()
    }
  }

  @Test("properties that a later key makes read last leave earlier keys readable")
  func readLastLater() throws {
    var generator = SeededGenerator("keys that make properties read last")
    var written = 0
    for number in 0..<sized(60_000, inDebug: 1_500) {
      let knots = (0..<Int.random(in: 3...6, using: &generator)).map { _ in
        Bool.random(using: &generator) ? EarlyOrderKnot() : OrderKnot()
      }
      for knot in knots {
        if Bool.random(using: &generator) { knot.loose = knots.randomElement(using: &generator) }
        while Int.random(in: 0..<5, using: &generator) < 2 {
          knot.tight += [knots.randomElement(using: &generator)].compactMap(\.self)
        }
      }
      defer { for knot in knots { knot.cut() } }
      let archiver = KeyedArchiver()
      var keys: [String] = []
      for key in ["a", "b", "c"] {
        guard let knot = knots.randomElement(using: &generator) else { continue }
        do {
          try archiver.encode(knot, forKey: key)
          keys.append(key)
        } catch EncodingError.invalidValue(_, let context) {
          #expect((context.underlyingError as? ArchiveError)?.code == .cycle)
        }
      }
      let data = try archiver.encodedData
      for key in keys {
        let read: OrderKnot? = try? KeyedUnarchiver(forReadingFrom: data).decode(OrderKnot.self, forKey: key)
        #expect(read != nil, "key \(key) of graph \(number)")
        read?.cut()
        written += 1
      }
    }
    #expect(written > sized(1_000, inDebug: 300))
  }

  // MARK: Cost

  /// Shelves that lead to each other through one of them.
  private func shelves(_ count: Int, _ add: (Shelf, Int) -> Void) -> [Shelf] {
    let shelves = (0..<count).map { _ in Shelf() }
    for (index, shelf) in shelves.enumerated() {
      shelf.hub = shelves[0]
      add(shelf, index)
    }
    shelves[0].others = shelves
    return shelves
  }

  /// Archives each shelf under a key of its own.
  private func archive(_ shelves: [Shelf]) throws -> EncodingSession {
    let session = EncodingSession(userInfo: [:], hidesRootKey: false)
    defer {
      for shelf in shelves { shelf.cut() }
      session.dropSpares()
    }
    for (index, shelf) in shelves.enumerated() {
      try session.encode(shelf, forKey: ArchiveCodingKey(stringValue: String(index)))
    }
    return session
  }

  @Test("a cycle with many keys is simulated a limited number of times", arguments: [500, 2000])
  func replays(count: Int) throws {
    let session = try archive(
      shelves(count) { shelf, _ in
        shelf.books = [Book(shelf), Book(shelf)]
        shelf.favorite = shelf.books[1]
        for book in shelf.books { book.pages = [Page(book), Page(book)] }
      }
    )
    let graph = session.bodies.graph
    #expect(graph.orderMatters)
    #expect(graph.replayedCount <= 4 * (graph.bodies.byteCount + graph.bodyCount))
  }

  @Test("deferred values in deferred values take no stack")
  func deferredChain() throws {
    let count = sized(100_000, inDebug: 5_000)
    let shelf = Shelf()
    shelf.hub = shelf
    let tail = Tail(shelf)
    for _ in 0..<count { tail.link = Link(next: [tail.link], shelf: nil) }
    let back = try roundTrip(tail)
    #expect(back.shelf?.hub === back.shelf)
    for tail in [tail, back] {
      tail.shelf?.cut()
      while let next = tail.link.next.first { tail.link = next }
    }
  }

  @Test("a cycle comes back although a subclass decodes its own properties first", arguments: 0..<3)
  func subclassesFirst(variant: Int) throws {
    let (rack, later) = (Rack(), Rack())
    let (series, volume) = (Series(rack), Series(variant == 0 ? rack : later))
    series.volumes = variant == 0 ? [volume] : [series, volume]
    (volume.rack.volumes, rack.next) = ([volume], variant == 0 ? nil : later)
    if variant == 2 { later.next = rack }
    for formatting: ArchiveFormatting in [[], .sortedKeys] {
      let data = try KeyedArchiver.archivedData(withRootObject: series, outputFormatting: formatting)
      let copy = try KeyedUnarchiver.unarchive(Series.self, from: data)
      let last = try #require(copy.volumes.last)
      #expect(last.rack.volumes.count == 1 && last.rack.volumes[0] === last)
      #expect((variant == 0 ? copy.rack : copy.rack.next) === last.rack)
      #expect(variant == 0 || copy.volumes.first === copy)
      #expect((last.rack.next === copy.rack) == (variant == 2))
      copy.cut()
    }
    series.cut()
  }

  @Test("a field of any type can wait to close a cycle", arguments: 0..<3)
  func defaultsWait(variant: Int) throws {
    let stand = Stand()
    let (poster, wall) = (Poster(stand), Poster(stand))
    wall.others = [poster]
    switch variant {
    case 0: stand.first = poster
    case 1: stand.slot.poster = poster
    default: stand.slot.posters = [poster]
    }
    func check(_ wall: Poster) throws {
      let (stand, poster) = (try #require(wall.stand), try #require(wall.others.first))
      #expect(poster.stand === stand && stand.slot.number == 1)
      #expect((stand.first === poster) == (variant == 0))
      #expect((stand.slot.poster === poster) == (variant == 1))
      #expect(stand.slot.posters.contains(poster) == (variant == 2))
    }
    defer { (stand.first, stand.slot) = (Poster(nil), Stand.Slot()) }
    let copy = try roundTrip(wall)
    try check(copy)
    // A reader that begins with `poster` needs the field to wait, even in the order of the archive.
    let archiver = KeyedArchiver()
    try archiver.encode(poster, forKey: "poster")
    try archiver.encode(wall, forKey: "wall")
    try archiver.encode(stand, forKey: "stand")
    let data = try archiver.encodedData
    for keys in [["poster", "stand", "wall"], ["wall", "poster"], ["stand", "wall"]] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      for key in keys.dropLast() where key == "poster" {
        let poster = try unarchiver.decode(Poster.self, forKey: key)
        #expect(poster.stand != nil)
      }
      let wall = try unarchiver.decode(Poster.self, forKey: "wall")
      try check(wall)
      wall.stand?.cut()
    }
    copy.stand?.cut()
  }

  @Test("random cycles with models come back from keys in any order")
  func anyOrder() throws {
    var generator = SeededGenerator("models in cycles with others")
    for number in 0..<sized(20_000, inDebug: 500) {
      let stands = (0..<Int.random(in: 1...4, using: &generator)).map { _ in Stand() }
      let posters = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        Poster(stands.randomElement(using: &generator))
      }
      for poster in posters where Bool.random(using: &generator) {
        poster.others = [posters.randomElement(using: &generator)].compactMap(\.self)
      }
      for stand in stands {
        let poster = posters.randomElement(using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: stand.first = poster ?? stand.first
        case 1: stand.slot.poster = poster
        case 2: stand.slot.posters = Set([poster].compactMap(\.self))
        default: break
        }
      }
      let archiver = KeyedArchiver()
      for (index, poster) in posters.enumerated() { try archiver.encode(poster, forKey: "\(index)") }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      var copies: [Int: Poster] = [:]
      for index in posters.indices.shuffled(using: &generator) {
        copies[index] = try unarchiver.decode(Poster.self, forKey: "\(index)")
      }
      let back = try posters.indices.map { try #require(copies[$0]) }
      #expect(shape(of: back) == shape(of: posters), "graph \(number)")
      for stand in (back + posters).compactMap(\.stand) + stands { stand.cut() }
      for poster in back + posters { poster.others = [] }
    }
  }

  /// The objects that `posters` lead to, as the positions where they are first reached.
  private func shape(of posters: [Poster]) -> [Int] {
    var numbers: [ObjectIdentifier: Int] = [:]
    var (shape, queue): ([Int], [Poster]) = ([], [])
    func add(_ object: AnyObject?) {
      let number = object.map { numbers[ObjectIdentifier($0)] ?? numbers.count } ?? -1
      if let object, numbers.updateValue(number, forKey: ObjectIdentifier(object)) == nil {
        queue += (object as? Poster).map { [$0] } ?? []
      }
      shape.append(number)
    }
    for poster in posters { add(poster) }
    var next = 0
    while next < queue.count {
      let poster = queue[next]
      next += 1
      let slot = poster.stand?.slot
      shape += [-2, poster.others.count, slot?.posters.count ?? -1]
      for object in poster.others + Array(slot?.posters ?? []) { add(object) }
      for object in [poster.stand, poster.stand?.first, slot?.poster] as [AnyObject?] { add(object) }
    }
    return shape
  }

  @Test(
    "archiving throws if simulating each key exceeds the limit",
    .enabled(if: sized(1, inDebug: 0) == 1, "takes long, and shows nothing more without optimization")
  )
  func charged() throws {
    var book: Book?
    let shelves = shelves(1500) { shelf, _ in
      book = book ?? Book(shelf)
      shelf.books = [book].compactMap(\.self)
    }
    let found = try failure { _ = try archive(shelves) }
    #expect(found.code == .limitExceeded && found.description.contains("keys"))
  }
}

// MARK: - Types

private final class Shelf: ArchivedModel {
  var hub: Shelf?
  var others: [Shelf] = []
  var books: [Book] = []
  var favorite: Book?

  func cut() { (hub, others, books, favorite) = (nil, [], [], nil) }
}

private final class Book: Codable {
  let shelf: Shelf
  var pages: [Page] = []

  init(_ shelf: Shelf) { self.shelf = shelf }
}

private final class Lender: Codable {
  @Lazy var shelf: Shelf?
  @Deferred var book: Book?
  @Deferred var laterShelf: Shelf?
  @Lazy var laterBook: Book?
}

private final class LazyChain: Codable {
  enum Item: Codable {
    case book(Book)
    case shelf(Shelf)
  }

  var next: LazyChain?
  @Lazy var book: Book?
  @Lazy var pair: [Item] = []
  @Lazy var shelf: Shelf?
}

private final class Page: Codable {
  @Deferred var book: Book

  init(_ book: Book) { _book = Deferred(wrappedValue: book) }
}

class OrderKnot: Codable {
  var loose: OrderKnot?
  var tight: [OrderKnot] = []

  /// The second is not the name of a property, so it cannot be read last.
  private enum CodingKeys: CodingKey {
    case loose, others
  }

  init() {}

  required init(from decoder: any Decoder) throws {
    if let knot = self as? EarlyOrderKnot { decoder.register(knot) }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    loose = try container.decodeIfPresent(OrderKnot.self, forKey: .loose)
    tight = try container.decode([OrderKnot].self, forKey: .others)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(loose, forKey: .loose)
    try container.encode(tight, forKey: .others)
  }

  func cut() {
    let others = tight + [loose].compactMap(\.self)
    (loose, tight) = (nil, [])
    for other in others { other.cut() }
  }
}

final class EarlyOrderKnot: OrderKnot, SelfRegistering {}

private struct Link: Codable {
  @Deferred var next: [Link]
  var shelf: Shelf?
}

private final class Tail: Codable {
  var link: Link
  var shelf: Shelf?

  init(_ shelf: Shelf) { (link, self.shelf) = (Link(next: [], shelf: shelf), shelf) }
}

private final class Hall: Codable {
  var desk: Desk?
  var lamps: [Lamp] = []
}

private final class Desk: ArchivedModel {
  var lamp: Lamp?
  var hall: Hall?
}

private final class Lamp: Codable {
  let desk: Desk

  init(_ desk: Desk) { self.desk = desk }
}

private final class Rack: ArchivedModel {
  var volumes: [Series] = []
  @Deferred var next: Rack?
}

private class Racked: Codable {
  var rack: Rack

  init(_ rack: Rack) { self.rack = rack }
}

/// The properties that the subclass adds are encoded last and decoded first.
private final class Series: Racked {
  var volumes: [Series] = []

  private enum CodingKeys: CodingKey { case volumes }

  override init(_ rack: Rack) { super.init(rack) }

  required init(from decoder: any Decoder) throws {
    volumes = try decoder.container(keyedBy: CodingKeys.self).decode([Series].self, forKey: .volumes)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(volumes, forKey: .volumes)
  }

  func cut() {
    for volume in volumes { (volume.rack.volumes, volume.rack.next) = ([], nil) }
    (rack.next, volumes) = (nil, [])
  }
}

private class Standing: Codable {
  var stand: Stand?

  init(_ stand: Stand?) { self.stand = stand }
}

private final class Poster: Standing, EqualByIdentity {
  var others: [Poster] = []

  private enum CodingKeys: CodingKey { case others }

  override init(_ stand: Stand?) { super.init(stand) }

  required init(from decoder: any Decoder) throws {
    others = try decoder.container(keyedBy: CodingKeys.self).decode([Poster].self, forKey: .others)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(others, forKey: .others)
  }
}

private final class Stand: ArchivedModel {
  struct Slot: Codable {
    var number = 1
    var poster: Poster?
    var posters: Set<Poster> = []
  }

  var first = Poster(nil)
  var slot = Slot()

  func cut() { (first, slot) = (Poster(nil), Slot()) }
}
