import Foundation
import Keepsake

/// `--documents`: measures the cost of saving a document, beside SQLite and writing the whole file with Keepsake, JSON
/// and property lists; and the cost of opening a document and reading one shelf of it.
enum DocumentRun {
  /// Runs the measurement if `arguments` ask for it, and returns whether they do.
  static func run(_ arguments: [String]) throws -> Bool {
    guard arguments.first == "--documents" else { return false }
    let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "keepsake-documents-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try measureSaves(count, folder)
    try measureParents(count, folder)
    try measureReading(count, folder)
    return true
  }

  private static let rounds = 5

  private static func time(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    let duration = (ContinuousClock.now - start).components
    return Double(duration.seconds) + Double(duration.attoseconds) * 1e-18
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  // MARK: Saving

  /// Changes some of the pages, saves them in each way alternately, and prints medians.
  private static func measureSaves(_ count: Int, _ folder: URL) throws {
    let notebook = Notebook(pageCount: count)
    func path(_ name: String) -> String { folder.appending(path: name).path }
    let document = try ArchiveDocument(creating: path("document"), root: notebook)
    document.compactsAutomatically = false
    let database = try SQLitePages(path("database"))
    try database?.run("CREATE TABLE pages (number INTEGER PRIMARY KEY, title TEXT, text TEXT)")
    try database?.write("INSERT INTO pages VALUES (?1, ?2, ?3)", rows(notebook.pages, Array(0..<count)))
    var table = Table(header: [
      "changed", "save", "bytes", "× encoding", "save told what", "archive whole", "JSON whole",
      "plist whole", "SQLite",
      "SQLite bytes",
    ])
    for changed in [1, 100, 10_000] where changed <= count {
      var times: [String: [Double]] = [:]
      let numbers = (0..<changed).map { $0 * (count / changed) }
      var databaseBytes: Int?
      for round in 0..<rounds {
        for number in numbers { notebook.pages[number].text = "changed \(round) \(number)" }
        times["memory", default: []].append(
          try time { _ = try KeyedArchiver.archivedData(withRootObject: notebook) }
        )
        times["save", default: []].append(try time { try document.save() })
        for number in numbers { notebook.pages[number].text = "changed again \(round) \(number)" }
        let pages = numbers.map { notebook.pages[$0] }
        times["told", default: []].append(try time { try document.save(changed: pages) })
        times["archive", default: []].append(
          try time { try KeyedArchiver.archive(rootObject: notebook, toFile: path("archive")) }
        )
        times["json", default: []].append(
          try time {
            try JSONEncoder().encode(notebook).write(to: folder.appending(path: "json"), options: .atomic)
          }
        )
        let written = bytesWritten()
        times["database", default: []].append(
          try time {
            try database?.write(
              "UPDATE pages SET title = ?2, text = ?3 WHERE number = ?1",
              rows(notebook.pages, numbers)
            )
          }
        )
        databaseBytes = bytesWritten().flatMap { now in written.map { now - $0 } }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        times["plist", default: []].append(
          try time {
            try encoder.encode(notebook).write(to: folder.appending(path: "plist"), options: .atomic)
          }
        )
      }
      func seconds(_ name: String) -> Double { median(times[name] ?? []) }
      table.rows.append([
        Figure.count(changed), milliseconds(seconds("save")),
        Figure.count(document.saves.last?.byteCount ?? 0),
        Figure.number(seconds("save") / seconds("memory")), milliseconds(seconds("told")),
        milliseconds(seconds("archive")),
        milliseconds(seconds("json")), milliseconds(seconds("plist")),
        database == nil ? Figure.none : milliseconds(seconds("database")),
        Figure.count(database == nil ? nil : databaseBytes),
      ])
    }
    document.close()
    print("Saving \(Figure.count(count)) objects, milliseconds\n\(table.plain)\n")
  }

  /// Changes one sheet of a document in which each sheet has a weak reference to its drawer, and prints medians.
  private static func measureParents(_ count: Int, _ folder: URL) throws {
    let cabinet = Cabinet(drawerCount: max(1, count / 10))
    let document = try ArchiveDocument(creating: folder.appending(path: "cabinet").path, root: cabinet)
    var (told, whole): ([Double], [Double]) = ([], [])
    for round in 0..<rounds {
      let sheets = cabinet.drawers[cabinet.drawers.count / 2].sheets
      sheets[0].text = "changed \(round)"
      told.append(try time { try document.save(changed: [sheets[0]]) })
      sheets[1].text = "changed \(round)"
      whole.append(try time { try document.save() })
    }
    document.close()
    print(
      "Saving one change of \(Figure.count(count)) objects with weak parents: \(milliseconds(median(whole))) ms, and "
        + "\(milliseconds(median(told))) ms with save(changed:)\n"
    )
  }

  private static func rows(
    _ pages: [Page],
    _ numbers: [Int]
  ) -> some Sequence<(number: Int, title: String, text: String)> {
    numbers.lazy.map { ($0, pages[$0].title, pages[$0].text) }
  }

  /// The number of bytes that this process has passed to the system to write, if the system reports it.
  private static func bytesWritten() -> Int? {
    let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { Int($0.dropFirst("wchar: ".count)) }
  }

  // MARK: Reading

  private static func measureReading(_ count: Int, _ folder: URL) throws {
    let path = folder.appending(path: "shelves").path
    let shelfCount = max(1, count / 1_000)
    let shelves = (0..<shelfCount).map { Shelf($0, pageCount: count / shelfCount) }
    try ArchiveDocument(creating: path, root: shelves).close()
    let json = folder.appending(path: "shelves.json")
    try JSONEncoder().encode(shelves).write(to: json)
    let database = folder.appending(path: "shelves.database").path
    if let database = try SQLitePages(database) {
      try database.run("CREATE TABLE pages (number INTEGER PRIMARY KEY, title TEXT, text TEXT)")
      let pages = shelves.flatMap(\.pages)
      try database.write("INSERT INTO pages VALUES (?1, ?2, ?3)", rows(pages, Array(pages.indices)))
    }
    var times: [String: [Double]] = [:]
    for _ in 0..<rounds {
      var opened: SQLitePages?
      times["openDatabase", default: []].append(try time { opened = try SQLitePages(database) })
      if let opened {
        let first = shelfCount / 2 * 1_000
        let range = "number >= \(first) AND number < \(first + count / shelfCount)"
        times["pageOfDatabase", default: []].append(
          try time { _ = try opened.count("SELECT title, text FROM pages WHERE \(range)") }
        )
        let row = (number: first, title: "changed", text: "changed \(Double.random(in: 0..<1))")
        times["saveDatabase", default: []].append(
          try time { try opened.write("UPDATE pages SET title = ?2, text = ?3 WHERE number = ?1", [row]) }
        )
      }
      do {
        var document: ArchiveDocument<[Shelf]>?
        times["open", default: []].append(try time { document = try ArchiveDocument(opening: path) })
        let shelf = document?.root[shelfCount / 2]
        times["page", default: []].append(time { _ = shelf?.pages.count })
        let pages = shelf?.pages ?? []
        times["encode", default: []].append(
          try time { _ = try KeyedArchiver.archivedData(withRootObject: pages) }
        )
        pages.first?.text = "changed \(Double.random(in: 0..<1))"
        times["save", default: []].append(try time { try document?.save() })
      }
      times["json", default: []].append(
        try time { _ = try JSONDecoder().decode([Shelf].self, from: Data(contentsOf: json)) }
      )
    }
    func shown(_ name: String) -> String { times[name].map { milliseconds(median($0)) } ?? Figure.none }
    print(
      """
      A document of \(Figure.count(count)) pages on \(Figure.count(shelfCount)) shelves, which are @Lazy, milliseconds
      opening it: \(shown("open")); reading one shelf: \(shown("page")); changing a page of it and saving: \(shown("save")), \
      where encoding that shelf takes \(shown("encode")); reading all of it as JSON: \(shown("json"))
      SQLite with a row for each page: opening \(shown("openDatabase")), reading the rows of one shelf \
      \(shown("pageOfDatabase")), changing one and committing \(shown("saveDatabase"))

      """
    )
  }

  private static func milliseconds(_ seconds: Double) -> String { Figure.number(seconds * 1_000) }
}

private final class Notebook: Codable {
  var pages: [Page]

  init(pageCount: Int) { pages = (0..<pageCount).map { Page("page \($0)") } }
}

private final class Page: Codable {
  var title: String
  var text: String
  var number = 0.5

  init(_ title: String) {
    self.title = title
    text = "the text of \(title), which is as long as a line"
  }
}

private final class Sheet: Codable {
  var text = "a sheet"
  weak var drawer: Drawer?

  init(_ drawer: Drawer) { self.drawer = drawer }
}

private final class Cabinet: Codable {
  var drawers: [Drawer]

  init(drawerCount: Int) { drawers = (0..<drawerCount).map { Drawer($0) } }
}

private final class Drawer: Codable {
  var name: String
  var sheets: [Sheet] = []

  init(_ number: Int) {
    name = "drawer \(number)"
    sheets = (0..<10).map { _ in Sheet(self) }
  }
}

private final class Shelf: Codable {
  var name: String
  @Lazy var pages: [Page] = []

  init(_ number: Int, pageCount: Int) {
    name = "shelf \(number)"
    pages = (0..<pageCount).map { Page("page \(number).\($0)") }
  }
}
