import Foundation
import Keepsake

// Samples that the test process and the probe write for each other. Both compile this file:
// Tests/ArchiveProbe/Samples.swift is a symbolic link to Tests/KeepsakeTests/CrossProcess/Samples.swift.

/// A graph that both processes can make, write and recognize.
enum Sample: String, CaseIterable {
  case library, values, collections, topLevelKeys

  /// The sample's archive, as this process writes it.
  func bytes() throws -> Data {
    var encoder = ArchiveEncoder()
    switch self {
    case .library: return try encoder.encode(SampleLibrary.made())
    case .values: return try encoder.encode(SampleValues.made())
    case .collections:
      encoder.outputFormatting = .sortedKeys
      return try encoder.encode(SampleCollections.made())
    case .topLevelKeys:
      let archiver = KeyedArchiver()
      let library = SampleLibrary.made()
      try archiver.encode(library, forKey: "library")
      try archiver.encode(library.books, forKey: "books")
      try archiver.encode("beside", forKey: "text")
      return try archiver.encodedData
    }
  }

  /// Reads a file that the other process wrote, and returns the faults.
  func faults(inFile path: String) throws -> [String] {
    switch self {
    case .library: return try KeyedUnarchiver.unarchive(SampleLibrary.self, fromFile: path).faults()
    case .values:
      let values = try KeyedUnarchiver.unarchive([SampleValues].self, fromFile: path)
      return values == SampleValues.made() ? [] : ["the values are others: \(values)"]
    case .collections:
      let collections = try KeyedUnarchiver.unarchive(SampleCollections.self, fromFile: path)
      return collections == SampleCollections.made() ? [] : ["the collections are others: \(collections)"]
    case .topLevelKeys:
      let unarchiver = try KeyedUnarchiver(forReadingFile: path)
      let books = try unarchiver.decode([SampleBook].self, forKey: "books")
      let library = try unarchiver.decode(SampleLibrary.self, forKey: "library")
      let text = try unarchiver.decode(String.self, forKey: "text")
      let same = zip(books, library.books).allSatisfy { $0 === $1 } && books.count == library.books.count
      return library.faults() + (same ? [] : ["the books are not shared"]) + (text == "beside" ? [] : [text])
    }
  }
}

final class SampleAuthor: Codable {
  let name: String
  let born: Date

  init(name: String, born: Date) {
    self.name = name
    self.born = born
  }
}

final class SampleBook: Codable {
  let title: String
  let authors: [SampleAuthor]
  let pages: Int?

  init(title: String, authors: [SampleAuthor], pages: Int?) {
    self.title = title
    self.authors = authors
    self.pages = pages
  }
}

struct SampleLoan: Codable {
  let book: SampleBook
  let days: Double
}

/// Books that share their authors, and loans that share the books.
final class SampleLibrary: Codable {
  let authors: [SampleAuthor]
  let books: [SampleBook]
  let loans: [SampleLoan]

  init(authors: [SampleAuthor], books: [SampleBook], loans: [SampleLoan]) {
    self.authors = authors
    self.books = books
    self.loans = loans
  }

  static func made() -> SampleLibrary {
    let authors = (0..<20).map { number in
      SampleAuthor(name: "Author \(number)", born: Date(timeIntervalSinceReferenceDate: Double(number) * 1e7))
    }
    let books = (0..<100).map { number in
      let own = [authors[number % 20], authors[number * 7 % 20]]
      return SampleBook(title: "Tïtle \(number)", authors: own, pages: number % 3 == 0 ? nil : number * 11)
    }
    let loans = (0..<50).map { SampleLoan(book: books[$0 * 3 % 100], days: Double($0) / 4) }
    return SampleLibrary(authors: authors, books: books, loans: loans)
  }

  /// The differences from the library that `made()` returns.
  func faults() -> [String] {
    let model = SampleLibrary.made()
    var faults: [String] = []
    func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
      if !condition { faults.append(fault()) }
    }
    func places(_ authors: [SampleAuthor], in library: SampleLibrary) -> [Int?] {
      authors.map { author in library.authors.firstIndex { $0 === author } }
    }
    func place(_ book: SampleBook, in library: SampleLibrary) -> Int? {
      library.books.firstIndex { $0 === book }
    }
    expect(authors.map(\.name) == model.authors.map(\.name), "the authors' names")
    expect(authors.map(\.born) == model.authors.map(\.born), "the authors' birthdays")
    expect(books.map(\.title) == model.books.map(\.title), "the books' titles")
    expect(books.map(\.pages) == model.books.map(\.pages), "the books' pages")
    expect(loans.map(\.days) == model.loans.map(\.days), "the loans' days")
    guard faults.isEmpty else { return faults }
    for (book, other) in zip(books, model.books) {
      expect(
        places(book.authors, in: self) == places(other.authors, in: model),
        "the authors of \(book.title)"
      )
    }
    for (loan, other) in zip(loans, model.loans) {
      expect(place(loan.book, in: self) == place(other.book, in: model), "the loan of \(loan.book.title)")
    }
    return faults
  }
}

/// Plain values and native types, without any random order.
struct SampleValues: Codable, Equatable {
  enum Choice: Codable, Equatable {
    case none
    case some(Int, label: String)
  }

  var number: Int
  var wide: Int128
  var double: Double
  var text: String
  var flag: Bool?
  var deep: Int??
  var data: Data
  var date: Date
  var uuid: UUID?
  var url: URL?
  var decimal: Decimal
  var integers: [Int]
  var doubles: [Double]
  var choice: Choice

  init(_ seed: Int) {
    let even = seed % 2 == 0
    number = seed * seed * 1001
    wide = Int128(Int64.max) * Int128(seed)
    double = Double(seed) / 7
    text = even ? "a text that repeats" : "text \(seed) 日本"
    flag = seed % 3 == 0 ? nil : true
    deep = even ? .some(nil) : .some(seed)
    data = Data(repeating: UInt8(seed), count: seed)
    date = Date(timeIntervalSinceReferenceDate: Double(seed) + 0.25)
    uuid = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    url = URL(string: "https://example.org/\(seed)")
    decimal = Decimal(seed) / 8
    integers = Array(0..<seed * 10)
    doubles = (0..<seed).map { Double($0) / 3 }
    choice = even ? .none : .some(seed, label: "l")
  }

  static func made() -> [SampleValues] {
    (0..<30).map { SampleValues($0) }
  }
}

/// Dictionaries and sets, whose order differs in every process.
struct SampleCollections: Codable, Equatable {
  var byName: [String: Int]
  var byNumber: [Int: String]
  var nested: [String: [String: [Int]]]
  var words: Set<String>
  var numbers: Set<Int>

  static func made() -> SampleCollections {
    SampleCollections(
      byName: Dictionary(uniqueKeysWithValues: (0..<200).map { ("key \($0)", $0) }),
      byNumber: Dictionary(uniqueKeysWithValues: (0..<200).map { ($0 * 7919 - 5000, "value \($0)") }),
      nested: Dictionary(
        uniqueKeysWithValues: (0..<20).map { ("k\($0)", ["x": [$0], "y": [], "z\($0)": [1, 2]]) }
      ),
      words: Set((0..<200).map { "word \($0)" }),
      numbers: Set((0..<200).map { $0 * 31 - 1000 })
    )
  }
}
