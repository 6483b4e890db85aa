import Foundation
import Keepsake
import TestSupport
import Testing

/// Coding paths are right in encoders, decoders, containers and errors.
@Suite struct CodingPaths {
  /// Notes the path of every coder.
  private final class Notes {
    var paths: [String] = []
  }

  private static let notesKey = CodingUserInfoKey.named("notes")

  /// Encodes itself as a number, and notes the path.
  private struct Spot: Codable {
    init() {}

    init(from decoder: any Decoder) throws {
      (decoder.userInfo[CodingPaths.notesKey] as? Notes)?.paths.append(spelled(decoder.codingPath))
      let container = try decoder.singleValueContainer()
      #expect(spelled(container.codingPath) == spelled(decoder.codingPath))
      _ = try container.decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      (encoder.userInfo[CodingPaths.notesKey] as? Notes)?.paths.append(spelled(encoder.codingPath))
      var container = encoder.singleValueContainer()
      #expect(spelled(container.codingPath) == spelled(encoder.codingPath))
      try container.encode(1)
    }
  }

  private struct Tree: Codable {
    var spot = Spot()
    var list = [Spot(), Spot()]
    var byName = ["key": [Spot()]]
    var byNumber = [7: Spot()]
    var inner: [Inner] = [Inner(), Inner()]
    var maybe: Spot? = Spot()
    var choice = Choice.labelled(at: Spot())
  }
  private struct Inner: Codable {
    var deep = ["a": Spot()]
  }
  private enum Choice: Codable { case labelled(at: Spot) }

  private static let treePaths = [
    "spot", "list/[0]", "list/[1]", "byName/key/[0]", "byNumber/[7]", "inner/[0]/deep/a", "inner/[1]/deep/a",
    "maybe",
    "choice/labelled/at",
  ]

  @Test("coders of nested values have their paths, at the root and under a top-level key")
  func nestedValues() throws {
    for (key, prefix) in [(KeyedArchiver.rootKey, ""), ("top", "top/")] {
      let written = Notes()
      let read = Notes()
      let archiver = KeyedArchiver()
      archiver.userInfo[Self.notesKey] = written
      if prefix.isEmpty {
        let info = [Self.notesKey: written]
        let data = try KeyedArchiver.archivedData(withRootObject: Tree(), userInfo: info)
        _ = try KeyedUnarchiver.unarchive(Tree.self, from: data, userInfo: [Self.notesKey: read])
      } else {
        try archiver.encode(Tree(), forKey: key)
        let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.userInfo[Self.notesKey] = read
        _ = try unarchiver.decode(Tree.self, forKey: key)
      }
      #expect(written.paths == Self.treePaths.map { prefix + $0 })
      #expect(read.paths == Self.treePaths.map { prefix + $0 })
    }
  }

  @Test("nested containers and super encoders have their paths")
  func containers() throws {
    let data = try write { encoder in
      #expect(encoder.codingPath.isEmpty)
      var top = encoder.container(keyedBy: AnyKey.self)
      #expect(top.codingPath.isEmpty)
      var record = top.nestedContainer(keyedBy: AnyKey.self, forKey: "record")
      #expect(spelled(record.codingPath) == "record")
      var list = record.nestedUnkeyedContainer(forKey: "list")
      #expect(spelled(list.codingPath) == "record/list")
      try list.encode(1)
      var inner = list.nestedContainer(keyedBy: AnyKey.self)
      #expect(spelled(inner.codingPath) == "record/list/[1]")
      #expect(spelled(list.nestedUnkeyedContainer().codingPath) == "record/list/[2]")
      #expect(spelled(list.superEncoder().codingPath) == "record/list/[3]")
      #expect(spelled(inner.superEncoder().codingPath) == "record/list/[1]/super")
      let named = inner.superEncoder(forKey: "named")
      #expect(spelled(named.codingPath) == "record/list/[1]/named")
      var late = named.unkeyedContainer()
      #expect(spelled(late.codingPath) == "record/list/[1]/named")
      #expect(spelled(late.superEncoder().codingPath) == "record/list/[1]/named/[0]")
      #expect(spelled(encoder.codingPath) == "" && spelled(record.codingPath) == "record")
    }
    try read(data) { decoder throws in
      #expect(decoder.codingPath.isEmpty)
      let top = try decoder.container(keyedBy: AnyKey.self)
      let record = try top.nestedContainer(keyedBy: AnyKey.self, forKey: "record")
      #expect(spelled(record.codingPath) == "record")
      var list = try record.nestedUnkeyedContainer(forKey: "list")
      #expect(spelled(list.codingPath) == "record/list")
      _ = try list.decode(Int.self)
      let inner = try list.nestedContainer(keyedBy: AnyKey.self)
      #expect(spelled(inner.codingPath) == "record/list/[1]")
      #expect(try spelled(list.nestedUnkeyedContainer().codingPath) == "record/list/[2]")
      #expect(try spelled(list.superDecoder().codingPath) == "record/list/[3]")
      #expect(try spelled(inner.superDecoder().codingPath) == "record/list/[1]/super")
      let named = try inner.superDecoder(forKey: "named")
      #expect(spelled(named.codingPath) == "record/list/[1]/named")
      #expect(try spelled(named.unkeyedContainer().codingPath) == "record/list/[1]/named")
    }
  }

  @Test("coding paths keep the integer values of keys while encoding")
  func numbersOfKeys() throws {
    enum Digits: Int, CodingKey { case one = 1, two }
    final class Numbers { var path: [Int?] = [] }
    let written = Numbers()
    let value = Writing { encoder in
      var top = encoder.container(keyedBy: Digits.self)
      var list = top.nestedUnkeyedContainer(forKey: .one)
      try list.encode(0)
      var inner = list.nestedContainer(keyedBy: Digits.self)
      #expect(inner.codingPath.map(\.intValue) == [1, 1] && inner.codingPath[0].stringValue == "one")
      try inner.encode(Writing { written.path = $0.codingPath.map(\.intValue) }, forKey: .two)
    }
    _ = try ArchiveEncoder().encode(value)
    #expect(written.path == [1, 1, 2])
  }

  @Test("an index in a path has the intValue and stringValue that JSONDecoder gives")
  func indices() throws {
    let found = #expect(throws: DecodingError.self) { try transcode([1, 300], to: [UInt8].self) }
    guard case .dataCorrupted(let context) = found else {
      Issue.record("not dataCorrupted: \(String(describing: found))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["Index 1"])
    #expect(context.codingPath.map(\.intValue) == [1])
  }

  @Test("objects have the path by which they were first reached")
  func objects() throws {
    let notes = Notes()
    let shared = Member()
    let team = Team(lead: shared, members: [Member(), shared, Member()])
    let data = try KeyedArchiver.archivedData(
      withRootObject: ["team": team],
      userInfo: [Self.notesKey: notes]
    )
    #expect(notes.paths == ["team/lead/spot", "team/members/[0]/spot", "team/members/[2]/spot"])
    let read = Notes()
    _ = try KeyedUnarchiver.unarchive([String: Team].self, from: data, userInfo: [Self.notesKey: read])
    #expect(read.paths == notes.paths)
  }

  private final class Member: Codable {
    var spot = Spot()
  }

  private final class Team: Codable {
    let lead: Member
    let members: [Member]

    init(lead: Member, members: [Member]) {
      self.lead = lead
      self.members = members
    }
  }

  /// An object that writes to two containers alternately. The last one adds to a dictionary and notes paths.
  private final class Sides: Encodable {
    let isLast: Bool

    init(isLast: Bool) { self.isLast = isLast }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      var left = container.nestedUnkeyedContainer(forKey: "left")
      var inner = left.nestedUnkeyedContainer()
      var right = container.nestedContainer(keyedBy: AnyKey.self, forKey: "right")
      try left.encode(1)
      try right.encode(2, forKey: "a")
      try inner.encode(3)
      guard isLast else { return }
      try left.encode(Spot())
      let writing = Writing {
        try inner.encode([Spot()])
        try 4.encode(to: $0)
      }
      try right.encode(writing, forKey: "b")
      try inner.encode(Spot())
      try container.encode(["c": 5], forKey: "again")
      var again = container.nestedContainer(keyedBy: AnyKey.self, forKey: "again")
      try again.encode(Spot(), forKey: "d")
      try right.encode(Spot(), forKey: "e")
    }
  }

  @Test("containers written alternately have their paths after thousands of others")
  func containersInTurn() throws {
    let notes = Notes()
    let sides = (1...3_000).map { Sides(isLast: $0 == 3_000) }
    _ = try KeyedArchiver.archivedData(withRootObject: ["all": sides], userInfo: [Self.notesKey: notes])
    let places = ["left/[2]", "left/[0]/[1]/[0]", "left/[0]/[2]", "again/d", "right/e"]
    #expect(notes.paths == places.map { "all/[2999]/" + $0 })
  }

  @Test("every decoding error has its path")
  func decodingErrors() throws {
    struct Row: Codable { var name: String, number: UInt8 }
    func decode(_ value: some Encodable) throws -> Failure {
      let data = try ArchiveEncoder().encode(["rows": [["good": 1] as [String: Int]]])
      #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([String: [Row]].self, from: data) }
      return try failure { try transcode(["rows": [value]], to: [String: [Row]].self) }
    }
    let missing = try decode(["name": "x"])
    #expect(missing.kind == .keyNotFound && missing.path == "rows/[0]" && missing.missingKey == "number")
    let mismatch = try decode(["name": "x", "number": "y"])
    #expect(mismatch.kind == .typeMismatch && mismatch.path == "rows/[0]/number")
    let null = try decode(["name": nil, "number": nil] as [String: String?])
    #expect(null.kind == .valueNotFound && null.path == "rows/[0]/name")
    struct Wide: Encodable { var name = "x", number = 256 }
    let wide = try decode(Wide())
    #expect(wide.kind == .dataCorrupted && wide.path == "rows/[0]/number")
    let text = try decode("text")
    #expect(text.kind == .typeMismatch && text.path == "rows/[0]")
    let root = try failure { try transcode("text", to: Int.self) }
    #expect(root.kind == .typeMismatch && root.path == "")
    let end = try failure {
      try readUnkeyed(ArchiveEncoder().encode([1])) { list throws in
        _ = try list.decode(Int.self)
        return try list.decode(Int.self)
      }
    }
    #expect(end.kind == .valueNotFound && end.path == "[1]")
  }

  @Test("errors in nested containers, super decoders and top-level keys have their paths")
  func errorsElsewhere() throws {
    let data = try writeKeyed { container in
      var list = container.nestedUnkeyedContainer(forKey: "list")
      try list.encode("text")
      try ["k": nil as Int?].encode(to: container.superEncoder())
    }
    let nested = try failure {
      try readKeyed(data) { container throws in
        var list = try container.nestedUnkeyedContainer(forKey: "list")
        return try list.decode(Int.self)
      }
    }
    #expect(nested.kind == .typeMismatch && nested.path == "list/[0]")
    let superclass = try failure {
      try readKeyed(data) { try [String: Int](from: $0.superDecoder()).count }
    }
    #expect(superclass.kind == .valueNotFound && superclass.path == "super/k")

    let archiver = KeyedArchiver()
    try archiver.encode([["x"]], forKey: "top")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let top = try failure { try unarchiver.decode([[Int]].self, forKey: "top") }
    #expect(top.kind == .typeMismatch && top.path == "top/[0]/[0]")
    let absent = try failure { try unarchiver.decode(Int.self, forKey: "absent") }
    #expect(absent.kind == .keyNotFound && absent.path == "" && absent.missingKey == "absent")
  }

  @Test("an error inside an object has the path through other objects, in both directions")
  func errorsInObjects() throws {
    let expected = "library/shelves/[1]/books/key/pages"
    let shelves = [Shelf(books: [:]), Shelf(books: ["key": Book(pages: -1)])]
    let encoding = try failure { try ArchiveEncoder().encode(["library": Library(shelves: shelves)]) }
    #expect(encoding.kind == .invalidValue && encoding.path == expected)
    let archiver = KeyedArchiver()
    let topLevel = try failure {
      try archiver.encode(Library(shelves: shelves), forKey: "library")
      try archiver.finishEncoding()
    }
    #expect(topLevel.kind == .invalidValue && topLevel.path == expected)

    let good = ["library": Library(shelves: [Shelf(books: [:]), Shelf(books: ["key": Book(pages: 1000)])])]
    let data = try ArchiveEncoder().encode(good)
    #expect(try ArchiveDecoder().decode([String: Library].self, from: data)["library"]?.shelves.count == 2)
    let decoding = try failure { try ArchiveDecoder().decode([String: LibraryOfLeaflets].self, from: data) }
    #expect(decoding.kind == .dataCorrupted && decoding.path == expected)
  }

  @Test("a value that replaces another has the path of its key", arguments: [false, true])
  func keyWrittenAgain(isInMap: Bool) throws {
    enum Keys: String, CodingKey { case a, b, c }
    let notes = Notes()
    let value = Writing { encoder in
      func write<Key: CodingKey>(_ a: Key, _ b: Key, _ c: Key) throws {
        var container = encoder.container(keyedBy: Key.self)
        for key in [a, b, c, a, c] { try container.encode(Spot(), forKey: key) }
        let failing = Writing { try [Polymorphic<Any>(Notes())].encode(to: $0) }
        let found = try failure { try container.encode(failing, forKey: b) }
        #expect(found.path == "list/[0]/b/[0]")
      }
      if isInMap { try write(AnyKey("a"), "b", "c") } else { try write(Keys.a, .b, .c) }
    }
    _ = try KeyedArchiver.archivedData(withRootObject: ["list": [value]], userInfo: [Self.notesKey: notes])
    #expect(notes.paths == ["a", "b", "c", "a", "c"].map { "list/[0]/" + $0 })
  }

  @Test("an error in an element of a sorted set has the set's path and the path within the element")
  func sorted() throws {
    struct Element: Encodable, Hashable {
      var number: Int
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(Polymorphic<Any>(number > 1 ? Notes() : number), forKey: "inner")
      }
    }
    let elements: Set = [Element(number: 1), Element(number: 2)]
    let inSet = try failure {
      try KeyedArchiver.archivedData(withRootObject: ["key": elements], outputFormatting: .sortedKeys)
    }
    #expect(inSet.path == "key/…/inner")
    let byKey = [elements: 1, []: 2]
    let inKey = try failure {
      try KeyedArchiver.archivedData(withRootObject: ["key": byKey], outputFormatting: .sortedKeys)
    }
    #expect(inKey.path == "key/…/…/inner")
  }

  @Test("a misuse error has the path of the encoder")
  func misuse() throws {
    let found = try failure {
      try write { encoder in
        var top = encoder.container(keyedBy: AnyKey.self)
        let inner = top.superEncoder(forKey: "inner")
        try 1.encode(to: inner)
        try 2.encode(to: inner)
      }
    }
    #expect(found.kind == .invalidValue && found.path == "inner" && found.code == .misuse)
  }
}

private final class Library: Codable {
  let shelves: [Shelf]

  init(shelves: [Shelf]) {
    self.shelves = shelves
  }
}

private final class Shelf: Codable {
  let books: [String: Book]

  init(books: [String: Book]) {
    self.books = books
  }
}

/// A book whose encoding throws if its number of pages is negative.
private final class Book: Codable {
  let pages: Int
  enum CodingKeys: CodingKey { case pages }

  init(pages: Int) {
    self.pages = pages
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if pages < 0 {
      let path = container.codingPath + [CodingKeys.pages]
      throw EncodingError.invalidValue(pages, .init(codingPath: path, debugDescription: "no such book"))
    }
    try container.encode(pages, forKey: .pages)
  }
}

private final class LibraryOfLeaflets: Decodable {
  final class Shelf: Decodable {
    let books: [String: Leaflet]
  }
  final class Leaflet: Decodable {
    let pages: Int8
  }
  let shelves: [Shelf]
}
