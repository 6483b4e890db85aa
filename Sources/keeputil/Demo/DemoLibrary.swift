import Foundation

// The graph of the demonstration: plain classes without coding code. The objects have pseudorandom content from one
// generator, so the library is always the same.

final class Library: Codable {
  var name: String
  var address: Address
  var publishers: [Publisher]
  var authors: [Author]
  var books: [Book]
  var members: [Member]
  var loans: [Loan]
  /// Books by subject: the same instances as in `books`.
  var shelves: [String: [Book]]
  var bookOfTheMonth: Book?

  init() {
    var dice = Dice()
    let publishers = Words.publishers.map { Publisher($0, &dice) }
    let authors = (0..<60).map { _ in Author(&dice) }
    let books = (0..<300).map { _ in Book(&dice, authors, publishers) }
    let address = Address(&dice)
    let members = (0..<80).map { _ in Member(&dice, books) }
    name = "City Library"
    self.address = address
    self.publishers = publishers
    self.authors = authors
    self.books = books
    self.members = members
    loans = (0..<220).map { _ in Loan(&dice, books, members) }
    shelves = Dictionary(grouping: books, by: \.subject)
    bookOfTheMonth = books.first
  }

  var objectCount: Int { 1 + publishers.count + authors.count + books.count + members.count + loans.count }

  var description: String {
    "a library with \(books.count) books by \(authors.count) authors from \(publishers.count) publishers, "
      + "\(members.count) members and \(loans.count) loans: \(objectCount) objects."
  }
}

struct Address: Codable, Equatable {
  var street: String
  var city: String
  var postcode: Int

  init(_ dice: inout Dice) {
    street = "\(dice.pick(Words.streets)) \(dice.roll(120) + 1)"
    city = dice.pick(Words.cities)
    postcode = 10_000 + dice.roll(80_000)
  }
}

final class Publisher: Codable {
  var name: String
  var seat: Address

  init(_ name: String, _ dice: inout Dice) {
    self.name = name
    seat = Address(&dice)
  }
}

final class Author: Codable {
  var name: String
  var born: Int

  init(_ dice: inout Dice) {
    name = dice.name()
    born = 1880 + dice.roll(110)
  }
}

final class Book: Codable {
  var title: String
  var authors: [Author]
  var publisher: Publisher
  var subject: String
  var year: Int
  var pages: Int
  var id: UUID

  init(_ dice: inout Dice, _ all: [Author], _ publishers: [Publisher]) {
    title = "The \(dice.pick(Words.adjectives)) \(dice.pick(Words.nouns))"
    authors = Set((0...dice.roll(2)).map { _ in dice.roll(all.count) }).sorted().map { all[$0] }
    publisher = dice.pick(publishers)
    subject = dice.pick(Words.subjects)
    year = 1900 + dice.roll(125)
    pages = 80 + dice.roll(800)
    id = dice.uuid()
  }
}

final class Member: Codable {
  var name: String
  var address: Address
  var joined: Date
  var favourites: [Book]

  init(_ dice: inout Dice, _ books: [Book]) {
    name = dice.name()
    address = Address(&dice)
    joined = dice.day()
    favourites = (0..<dice.roll(5)).map { _ in dice.pick(books) }
  }
}

final class Loan: Codable {
  var book: Book
  var member: Member
  var lent: Date
  var returned: Date?

  init(_ dice: inout Dice, _ books: [Book], _ members: [Member]) {
    lent = dice.day()
    returned = dice.roll(3) == 0 ? nil : lent + Double(1 + dice.roll(40)) * 86_400
    book = dice.pick(books)
    member = dice.pick(members)
  }
}

private enum Words {
  static let publishers = [
    "Northern Press", "Blue Heron", "Kite & Sons", "Lighthouse", "Meridian", "Paper Lantern",
  ]
  static let streets = ["Mill Lane", "Linden Street", "Harbour Road", "Old Market"]
  static let cities = ["Oslo", "Kraków", "Łódź", "Tōkyō", "Reykjavík", "Montréal"]
  static let givenNames = [
    "Ada", "Björn", "Chiyo", "Dorota", "Emil", "Farah", "Gustav", "Hana", "Ines", "Jorge",
  ]
  static let familyNames = [
    "Andersen", "Brzeska", "Castillo", "Dubois", "Endo", "Fischer", "Grant", "Halvorsen",
  ]
  static let adjectives = [
    "Quiet", "Broken", "Golden", "Last", "Hidden", "Northern", "Borrowed", "Salt", "Glass",
  ]
  static let nouns = [
    "Harbour", "Garden", "Letter", "Winter", "Orchard", "Lighthouse", "Clock", "River", "Map",
  ]
  static let subjects = ["Biography", "Children", "History", "Mathematics", "Novels", "Poetry", "Travel"]
}

/// Pseudorandom numbers, the same each time (SplitMix64).
struct Dice {
  private var state: UInt64 = 24

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `sides - 1`.
  mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(max(1, sides))) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }

  mutating func name() -> String { "\(pick(Words.givenNames)) \(pick(Words.familyNames))" }

  mutating func day() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(600_000_000 + roll(2_000) * 86_400))
  }

  mutating func uuid() -> UUID {
    let bytes = [next(), next()].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    return unsafe NSUUID(uuidBytes: bytes) as UUID
  }
}
