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
