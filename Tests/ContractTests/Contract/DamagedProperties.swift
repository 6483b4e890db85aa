import Foundation
import Keepsake
import TestSupport
import Testing

/// Declared fields and models in an archive with a damaged block: an error, never the default of a property.
@Suite struct DamagedProperties {
  /// Long enough for several blocks of checksums.
  private static let text = String(repeating: "0123456789", count: 20_000)

  @Test("damaged fields throw or keep their values, and never get their defaults")
  func fields() throws {
    let page = Page(title: "t", text: Self.text, notes: ["n", Self.text], maybe: "m", count: 7)
    try expectErrors(page, page)
    try expectErrors([page, page], [page, page])
    try expectErrors(Chapter(before: "b", page: page, after: 9), Chapter(before: "b", page: page, after: 9))
    try expectErrors(
      ["title": "t", "text": Self.text, "maybe": "m"],
      Page(title: "t", text: Self.text, maybe: "m")
    )
    try expectErrors(
      PlainObject(text: Self.text, count: 7),
      Page(title: "from an object", text: Self.text, count: 7)
    )
  }

  @Test("damaged models throw or keep their values, and never get their defaults")
  func models() throws {
    let report = Report()
    (report.title, report.text, report.maybe, report.count) = ("t", Self.text, "m", 7)
    let other = Report()
    (other.title, other.text) = ("other", Self.text)
    (report.next, other.next) = (other, report)
    try expectErrors(report) { (copy: Report) in
      copy.title == "t" && copy.text == Self.text && copy.maybe == "m" && copy.count == 7
        && copy.next?.title == "other" && copy.next?.next === copy
    }
    let detail = Detail()
    (detail.title, detail.text, detail.footnote) = ("t", Self.text, "f")
    try expectErrors(detail) { (copy: Detail) in
      copy.title == "t" && copy.text == Self.text && copy.footnote == "f"
    }
    try expectErrors(["text": Self.text, "title": "t"]) { (copy: Report) in
      copy.title == "t" && copy.text == Self.text
    }
  }

  /// Changes bytes of the archive of `value`; each time, decoding must throw or give `expected`.
  private func expectErrors<Expected: Decodable & Equatable>(_ value: some Encodable, _ expected: Expected)
    throws
  {
    try expectErrors(value) { (copy: Expected) in copy == expected }
  }

  private func expectErrors<Read: Decodable>(_ value: some Encodable, _ isSame: (Read) -> Bool) throws {
    let data = try ArchiveEncoder().encode(value)
    #expect(isSame(try ArchiveDecoder().decode(Read.self, from: data)))
    var errors = 0
    // The bytes at the ends of the texts, too.
    let ends = stride(from: 1, through: 120, by: sized(1, inDebug: 4)).map { data.count - $0 }
    let offsets = Array(stride(from: 0, to: data.count, by: 9_973)) + ends
    for offset in offsets {
      var damaged = data
      damaged[offset] ^= 0x40
      do {
        let copy = try ArchiveDecoder().decode(Read.self, from: damaged)
        #expect(isSame(copy), "byte \(offset) of \(data.count)")
      } catch { errors += 1 }
      let unarchiver = try? KeyedUnarchiver(forReadingFrom: damaged)
      if let copy = try? unarchiver?.decodeIfPresent(Read.self, forKey: KeyedArchiver.rootKey) {
        #expect(isSame(copy), "byte \(offset) of \(data.count)")
      }
    }
    #expect(errors > offsets.count / 2)
  }
}

private struct Page: ArchivedFields, Equatable {
  var title = "from an object"
  var text = ""
  var notes: [String] = []
  var maybe: String?
  var count = 1
}

private struct Chapter: ArchivedFields, Equatable {
  var before = "default"
  var page = Page()
  var after = 1
}

private final class PlainObject: Encodable {
  let text: String
  let count: Int

  init(text: String, count: Int) {
    (self.text, self.count) = (text, count)
  }
}

private class Report: ArchivedModel {
  var title = "default"
  var text = ""
  var maybe: String?
  var next: Report?
  var count = 1
}

private final class Detail: Report {
  var footnote = "default"
}
