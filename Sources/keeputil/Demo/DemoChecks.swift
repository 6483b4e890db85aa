import Foundation
import Keepsake

/// What the demonstration proves about the library that was read back.
enum DemoChecks {
  /// Compares the instances of both libraries place by place.
  ///
  /// - Returns: what was checked, a line each.
  /// - Throws: when something that was one object is not.
  static func run(_ library: Library, _ copy: Library) throws -> [String] {
    var twins = Twins()
    try twins.match(library, copy, "the library")
    try twins.match(library.publishers, copy.publishers, "publishers")
    try twins.match(library.authors, copy.authors, "authors")
    try twins.match(library.books, copy.books, "books")
    try twins.match(library.members, copy.members, "members")
    try twins.match(library.loans, copy.loans, "loans")
    let objects = twins.count
    for (book, twin) in zip(library.books, copy.books) {
      try twins.match(book.publisher, twin.publisher, "the publisher of a book")
      try twins.match(book.authors, twin.authors, "the authors of a book")
    }
    for (loan, twin) in zip(library.loans, copy.loans) {
      try twins.match(loan.book, twin.book, "the book of a loan")
      try twins.match(loan.member, twin.member, "the member of a loan")
    }
    for (member, twin) in zip(library.members, copy.members) {
      try twins.match(member.favourites, twin.favourites, "the favourites of a member")
    }
    for (subject, books) in library.shelves {
      try twins.match(books, copy.shelves[subject] ?? [], "the books of a shelf")
    }
    if let book = library.bookOfTheMonth, let twin = copy.bookOfTheMonth {
      try twins.match(book, twin, "the book of the month")
    }
    guard twins.count == objects, objects == library.objectCount else {
      throw CommandFailure(.badData, "the library came back with \(twins.count) objects")
    }
    let popular = mostLent(copy)
    return [
      "\(objects) objects were archived and \(objects) came back, none twice and none missing",
      "\(counted(twins.references, "reference")) compared with ===: each leads to the one object it led to before",
      "\(popular.loans) loans of \(quoted(popular.book.title)): in the copy they all are === to one book, "
        + "copy.books[\(copy.books.firstIndex { $0 === popular.book } ?? -1)]",
      "all \(copy.books.count) books share \(Set(copy.books.map { ObjectIdentifier($0.publisher) }).count) publishers",
    ]
  }

  private static func mostLent(_ library: Library) -> (book: Book, loans: Int) {
    var best = (book: library.loans[0].book, loans: 0)
    for book in library.books {
      let loans = library.loans.count { $0.book === book }
      if loans > best.loans { best = (book, loans) }
    }
    return best
  }
}

/// Pairs of an object and the one that was read back for it.
private struct Twins {
  private var twins: [ObjectIdentifier: AnyObject] = [:]
  private var taken: Set<ObjectIdentifier> = []
  private(set) var references = 0

  var count: Int { twins.count }

  /// Pairs two objects, or checks that they were paired before.
  mutating func match(_ object: AnyObject, _ twin: AnyObject, _ place: String) throws {
    references += 1
    if let known = twins[ObjectIdentifier(object)] {
      guard known === twin else {
        throw CommandFailure(.badData, "\(place) came back as another object")
      }
      return
    }
    guard taken.insert(ObjectIdentifier(twin)).inserted else {
      throw CommandFailure(.badData, "\(place): two objects came back as one")
    }
    twins[ObjectIdentifier(object)] = twin
  }

  mutating func match(_ objects: [some AnyObject], _ others: [some AnyObject], _ place: String) throws {
    guard objects.count == others.count else {
      throw CommandFailure(
        .badData,
        "\(place) came back as \(others.count) instead of \(objects.count)"
      )
    }
    for (object, twin) in zip(objects, others) { try match(object, twin, place) }
  }
}
