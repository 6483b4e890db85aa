import Foundation
import Keepsake
import TestSupport
import Testing

private final class Shelf: Codable {
  var books: [Volume]
  var best: Volume?
  @WeakReference var weak: Volume?

  init(_ books: [Volume]) {
    self.books = books
  }
}

private final class Volume: Codable {
  var title: String
  var pages: Int?
  @Deferred var next: Volume?

  init(_ title: String, pages: Int? = nil) {
    self.title = title
    self.pages = pages
  }
}

private struct EveryKindOfValue: Codable {
  var bool = true
  var int = -5
  var big = UInt64.max
  var wide = Int128.max
  var real = 2.5
  var small: Float = 0.5
  var text = "text"
  var data = Data([1, 2, 3])
  var date = Date(timeIntervalSinceReferenceDate: 7.25)
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
  var url = URL(string: "a/b", relativeTo: URL(string: "http://x.y/"))
  var decimal = Decimal(string: "12.50")
  var numbers = [1.5, 2]
  var integers = [1, 2, 300]
  var unsigned = [1, 2, UInt.max]
  var flags = [true, false]
  var table = ["b": 1, "a": 2]
  var byNumber = [3: "three", -1: "minus"]
  var nested: Int?? = .some(nil)
  var missing: Int?
}

/// `ArchiveValue`: an archive without its types.
@Suite struct DynamicValues {
  @Test func valuesOfAllKinds() throws {
    let root = try #require(
      try ArchiveValue(forReadingFrom: ArchiveEncoder().encode(EveryKindOfValue()))["root"]
    )
    #expect(try root["bool"]?.boolValue == true && root["bool"]?.intValue == nil)
    #expect(
      try root["int"]?.intValue == -5 && root["int"]?.doubleValue == -5 && root["int"]?.stringValue == nil
    )
    #expect(try root["big"]?.intValue == nil && root["big"]?.kind == .integer)
    #expect(try root["wide"]?.kind == .integer)
    #expect(try root["real"]?.doubleValue == 2.5 && root["small"]?.doubleValue == 0.5)
    #expect(try root["text"]?.stringValue == "text" && root["data"]?.dataValue == Data([1, 2, 3]))
    #expect(
      try root["date"]?.dateValue == EveryKindOfValue().date
        && root["uuid"]?.uuidValue == EveryKindOfValue().uuid
    )
    let url = try #require(try root["url"]?.urlValue)
    #expect(url.absoluteString == "http://x.y/a/b" && url.relativeString == "a/b")
    #expect(try root["decimal"]?.decimalValue == Decimal(string: "12.5"))
    #expect(try root["numbers"]?.doublesValue == [1.5, 2] && root["numbers"]?.count == 2)
    #expect(try root["integers"]?.doublesValue == [1, 2, 300] && root["flags"]?.doublesValue == [1, 0])
    #expect(try root["integers"]?.integersValue == [1, 2, 300] && root["numbers"]?.integersValue == nil)
    #expect(try root["unsigned"]?.doublesValue == [1, 2, 0x1p64] && root["unsigned"]?.integersValue == nil)
    #expect(try root["big"]?.doubleValue == nil && root["table"]?.doublesValue == nil)
    #expect(try root["table"]?["a"]?.intValue == 2 && root["table"]?.kind == .map)
    #expect(
      try root["byNumber"]?[3]?.stringValue == "three" && root[path: "byNumber[-1]"]?.stringValue == "minus"
    )
    #expect(try root["byNumber"]?["3"]?.stringValue == "three")
    #expect(try root["missing"] == nil && root["text"]?["x"] == nil && root["text"]?[0] == nil)
    #expect(try root["text"]?.count == nil && root["text"]?.members().isEmpty == true)
    #expect(try root.keys.first == "bool" && root.keys.count == root.count)
  }

  @Test func referencesAreFollowed() throws {
    let (a, b) = (Volume("a", pages: 10), Volume("b"))
    a.next = b
    b.next = a
    defer { (a.next, b.next) = (nil, nil) }
    let shelf = Shelf([a, b, a])
    shelf.best = b
    shelf.weak = a
    let archive = try ArchiveValue(forReadingFrom: ArchiveEncoder().encode(shelf))
    let books = try #require(try archive[path: "root.books"])
    #expect(try books.count == 3)
    #expect(
      try books[0]?.objectNumber == books[2]?.objectNumber && books[0]?.objectNumber != books[1]?.objectNumber
    )
    #expect(try books[0]?.className?.hasSuffix("Volume") == true && books[0]?.kind == .object)
    #expect(try archive[path: "root.books[0].next.next.next.title"]?.stringValue == "b")
    #expect(try archive[path: "root.best.title"]?.stringValue == "b")
    #expect(try archive[path: "root.weak"]?.kind == .conditional)
    #expect(try archive[path: "root.weak.pages"]?.intValue == 10)
    #expect(try archive[path: "root.books[3]"] == nil && archive[path: "root.x.y"] == nil)
    // A reference is smaller than its object; both are at their stated offsets.
    let reference = try #require(try books[0])
    let object = try #require(try reference.objectByteRange)
    #expect(try reference.byteRange.count == 2 && object.count > 4 && !object.contains(reference.offset))
    #expect(try books.objectNumber == nil && books.className == nil && books.objectByteRange == nil)
  }

  @Test func manyThreadsLookAtOneArchive() async throws {
    let shelf = Shelf((0..<500).map { Volume("title of book \($0 % 50)", pages: $0) })
    let archive = try ArchiveValue(forReadingFrom: ArchiveEncoder().encode(shelf))
    let sums = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var sum = 0
          for book in try archive[path: "root.books"]?.members() ?? [] {
            sum += try book.value["pages"]?.intValue ?? 0
            sum += try book.value["title"]?.stringValue?.count ?? 0
          }
          return sum
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(sums).count == 1 && sums.count == 8)
  }

  @Test func onlyWhatIsLookedAtIsRead() throws {
    var data = try KeyedArchiver.archivedData(withRootObject: Shelf((0..<9_000).map { Volume("book \($0)") }))
    data[data.count / 2] ^= 0xFF
    // The damage is in a body that is not read.
    let archive = try ArchiveValue(forReadingFrom: data)
    #expect(try archive[path: "root.books[0].title"]?.stringValue == "book 0")
    #expect(throws: ArchiveError.self) { try ArchiveValue(forReadingFrom: data, verification: .everything) }
    #expect(throws: ArchiveError.self) {
      for book in try archive[path: "root.books"]?.members() ?? [] {
        _ = try book.value["title"]?.stringValue
      }
    }
  }

  @Test func oldArchivesToo() throws {
    let archive = try ArchiveValue(forReadingFrom: foundationArchive(OldPerson("Ada", age: 36)))
    #expect(try archive[path: "root.name"]?.stringValue == "Ada" && archive[path: "root.age"]?.intValue == 36)
    #expect(try archive["root"]?.className?.hasSuffix("OldPerson") == true)
  }

  @Test func whatIsNoArchive() {
    #expect(throws: ArchiveError.self) { try ArchiveValue(forReadingFrom: Data("hello".utf8)) }
    #expect(throws: ArchiveError.self) { try ArchiveValue(forReadingFile: "/nonexistent/file") }
  }
}
