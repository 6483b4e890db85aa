import Foundation
@testable import Keepsake
import TestSupport
import Testing

/// Earlier saves of a document, read and restored.
@Suite struct EarlierSaves {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder("notes") }

  @Test("a save is undone if the document cannot open the file afterwards")
  func cannotOpen() throws {
    try ArchiveDocument(creating: path, root: Notebook(pageCount: 300)).close()
    let before = try folder.read("notes")
    var limits = ArchiveLimits()
    limits.maximumByteCount = before.count + 1_000
    let document = try ArchiveDocument<Notebook>(opening: path, limits: limits)
    document.root.title = String(repeating: "long", count: 1_000)
    for _ in 0..<2 {
      #expect(throws: (any Error).self) { try document.save() }
      #expect(try folder.read("notes") == before)
    }
    document.root.title = "short"
    #expect(try document.save() && document.saves.count == 2)
    document.close()
    #expect(try ArchiveDocument<Notebook>(opening: path).root.title == "short")
  }

  @Test("each save can be read, and an earlier one can be restored")
  func earlierSaves() throws {
    var document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 50))
    var bytes = [try document.root.bytes]
    for number in 2...6 {
      document.root.pages[number * 3].title = "title \(number)"
      document.root.pages.remove(at: number)
      document.root.title = "Notebook \(number)"
      bytes.append(try document.root.bytes)
      try document.save(date: Date(timeIntervalSinceReferenceDate: Double(number)))
    }
    document.close()
    document = try ArchiveDocument(opening: path)
    #expect(document.saves.dropFirst().map { $0.date?.timeIntervalSinceReferenceDate } == [2, 3, 4, 5, 6])
    #expect(document.saves[0].date == nil)
    for number in 1...6 { #expect(try document.root(asOf: number).bytes == bytes[number - 1]) }
    for number in [0, -1, 7, .max, .min] {
      let error = #expect(throws: ArchiveError.self) { try document.root(asOf: number) }
      #expect(error?.code == .misuse)
    }
    try document.revert(to: 2)
    #expect(try document.root.bytes == bytes[1])
    document.root.pages[0].text = "after going back"
    let after = try document.root.bytes
    try document.save()
    document.close()
    document = try ArchiveDocument(opening: path)
    #expect(try document.root.bytes == after && document.saves.count == 8)
    #expect(try document.root(asOf: 6).bytes == bytes[5])
  }

  /// All parts of an open archive.
  private func parts(_ image: ArchiveImage) throws -> [String] {
    let bodies = try (1...image.directory.bodyCount).map { try image.body($0, at: 0) }
    let strings = try (0..<image.stringCount).map { try image.string($0, at: 0) }
    let shapes = try (0..<image.shapeCount).map { try image.shape($0, at: 0).map(image.shapeKey) }
    return [
      "\(image.extent)", "\(image.directory)", "\(image.saves)", "\(image.keys)", "\(image.classes)",
      "\(bodies)", "\(strings)", "\(shapes)", "\(try image.conditionals)", "\(image.replacedByteCount)",
    ]
  }

  @Test("an archive that takes over added saves equals one opened afterwards")
  func addedSaves() throws {
    let document = try ArchiveDocument(creating: path, root: Notebook(pageCount: 200))
    document.compactsAutomatically = false
    let pages = document.root.pages
    for number in 2...9 {
      switch number {
      case 2: pages[3].title = pages[4].text
      case 3: document.root.pages.append(Drawing("new class", [1]))
      case 4: document.root.counts = ["new key": 1]
      case 5: pages[5].back = pages[6]
      case 6: pages[3].title = "changed again"
      default: document.root.pages.insert(NotePage("new \(number)"), at: number)
      }
      #expect(try document.save())
    }
    let reader = ByteReader(try folder.read("notes"))
    let newest = try ArchiveImage(reader, verification: .onDemand)
    let expected = try parts(newest)
    for number in 1...9 {
      let earlier = try newest.asOf(number)
      _ = try parts(earlier)
      #expect(try parts(ArchiveImage(earlier, andSavesIn: reader)) == expected, "since save \(number)")
    }
  }

  final class Fickle: Codable {
    @TaskLocal static var refused = ""
    var name = "one"

    enum CodingKeys: CodingKey { case name }

    func encode(to encoder: any Encoder) throws {
      if name == Fickle.refused { throw Refusal(reason: name) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
    }
  }

  @Test("an error while an earlier save is restored leaves the root object unchanged")
  func errorsOfReverting() throws {
    let document = try ArchiveDocument(creating: path, root: Fickle())
    let root = document.root
    root.name = "two"
    try document.save()
    root.name = "three"
    let bytes = try folder.read("notes")
    Fickle.$refused.withValue("one") {
      #expect(throws: Refusal.self) { try document.revert(to: 1) }
    }
    #expect(document.root === root && root.name == "three")
    #expect(try folder.read("notes") == bytes)
    #expect(try document.save())
    #expect(try KeyedUnarchiver.unarchive(Fickle.self, fromFile: path).name == "three")
    try document.revert(to: 1)
    #expect(document.root !== root && document.root.name == "one")
    document.close()
    let reopened = try ArchiveDocument<Fickle>(opening: path)
    #expect(try (1...4).map { try reopened.root(asOf: $0).name } == ["one", "two", "three", "one"])
  }

  private protocol Linked: AnyObject, Codable {
    var number: Int { get }
    var next: Self? { get set }
    init(_ number: Int)
  }

  private final class Stop: Linked {
    let number: Int
    @Lazy var next: Stop?

    init(_ number: Int) { self.number = number }
  }

  private final class PlainStop: Linked {
    let number: Int
    var next: PlainStop?

    init(_ number: Int) { self.number = number }
  }

  /// Releases the links one by one, without recursion.
  private func release<Link: Linked>(_ first: Link) {
    var link = first
    while let next = link.next { (link.next, link) = (nil, next) }
  }

  private func createChain<Link: Linked>(of type: Link.Type, count: Int) throws {
    let first = Link(0)
    var last = first
    for number in 1..<count {
      let link = Link(number)
      (last.next, last) = (link, link)
    }
    try ArchiveDocument(creating: path, root: first).close()
    release(first)
  }

  @Test("restoring an earlier save restores a long chain of lazy values", arguments: [true, false])
  func longChain(areArchivedAsLazy: Bool) throws {
    let length = 10_000
    if areArchivedAsLazy {
      try createChain(of: Stop.self, count: length)
    } else {
      try createChain(of: PlainStop.self, count: length)
    }
    let document = try ArchiveDocument<Stop>(opening: path)
    document.compactsAutomatically = false
    document.root = Stop(-1)
    try document.save()
    try document.revert(to: 1)
    var (stop, count) = (document.root, 1)
    while let next = stop.next {
      #expect(next.number == count)
      (stop, count) = (next, count + 1)
    }
    #expect(count == length)
    release(document.root)
  }
}
