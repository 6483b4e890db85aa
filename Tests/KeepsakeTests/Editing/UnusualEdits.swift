import Foundation
import Keepsake
import TestSupport
import Testing

/// Edited values without keys or content, deeply nested ones, and keys that are alike or read last.
@Suite struct UnusualEdits {
  /// Objects without keys have none to remove.
  @Test func keysOfObjectsWithoutKeys() throws {
    final class List: Codable, ArchivableClass {
      static var archivedClassName: String { "Editors.List" }
      var texts: [String]

      init(_ texts: [String]) {
        self.texts = texts
      }

      init(from decoder: any Decoder) throws {
        texts = try [String](from: decoder)
      }

      func encode(to encoder: any Encoder) throws {
        try texts.encode(to: encoder)
      }
    }
    for texts in [[], ["a", "b"]] {
      var editor = try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(List(texts)))
      editor.removeKey("x", inObjectsOfClass: "Editors.List")
      #expect(try ArchiveDecoder().decode(List.self, from: editor.encodedData).texts == texts)
    }
  }

  @Test func valuesWithoutContentGetSome() throws {
    class Hollow: Encodable { func encode(to encoder: any Encoder) throws {} }
    struct Holder: Encodable {
      var hollow = Hollow()
      var same: Hollow
      var after = 1
      init() { same = hollow }
    }
    struct Filled: Decodable, Equatable { var x: Int, y: String }
    final class FilledObject: Decodable { var list: [Bool] }
    struct Back: Decodable {
      var nothing: Filled
      var hollow: FilledObject
      var same: FilledObject
      var after: Int
    }
    var editor = try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(Holder()))
    try editor.setValue(Writing { _ in }, at: "root.nothing")
    editor = try ArchiveEditor(forReadingFrom: editor.encodedData)
    #expect(try ArchiveValue(forReadingFrom: editor.encodedData)["root"]?["nothing"]?.kind == .empty)
    try editor.setValue(1, at: "root.nothing.x")
    try editor.setValue("y", at: "root.nothing.y")
    try editor.setValue(2, at: "root.nothing.x")
    try editor.setValue([true], at: "root.hollow.list")
    #expect(throws: ArchiveError.self) { try editor.setValue(1, at: "root.nothing[0]") }
    let back = try ArchiveDecoder().decode(Back.self, from: editor.encodedData)
    #expect(back.nothing == Filled(x: 2, y: "y") && back.after == 1)
    #expect(back.hollow.list == [true] && back.same === back.hollow)
    try editor.setValue(Int?.none, at: "root.after")
    #expect(
      try ArchiveValue(forReadingFrom: editor.encodedData)["root"]?["after"]?.kind == ArchiveValue.Kind.none
    )
  }

  /// Keys that are equal as `String`.
  @Test func keysThatDifferByNormalization() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let data = try writeKeyed { container in
      try container.encode(1, forKey: AnyKey(composed))
      try container.encode(2, forKey: AnyKey(decomposed))
    }
    func contents(_ change: (inout ArchiveEditor, ArchivePath) throws -> Void) throws -> [Int?] {
      var editor = try ArchiveEditor(forReadingFrom: data)
      try change(&editor, ArchivePath([.key("root"), .key(decomposed)]))
      let root = try ArchiveValue(forReadingFrom: editor.encodedData)["root"]
      return try [composed, decomposed, "x"].map { try root?[$0]?.intValue }
    }
    #expect(try contents { try $0.removeValue(at: $1) } == [1, nil, nil])
    #expect(try contents { try $0.setValue(3, at: $1) } == [1, 3, nil])
    #expect(try contents { try $0.renameValue(at: $1, to: "x") } == [1, nil, 2])
  }

  /// Arrays in arrays.
  private struct Nest: Codable {
    let depth: Int

    init(_ depth: Int) { self.depth = depth }

    init(from decoder: any Decoder) throws {
      var (container, depth) = (try decoder.unkeyedContainer(), 1)
      while !container.isAtEnd {
        container = try container.nestedUnkeyedContainer()
        depth += 1
      }
      self.depth = depth
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 1..<depth { container = container.nestedUnkeyedContainer() }
    }
  }

  @Test func nestingThatReadersRefuse() throws {
    let most = ArchiveLimits().maximumValueDepth
    let path = ArchivePath([.key("root"), .key("nest")] + Array(repeating: .index(0), count: 9))
    for depth in [most - 10, most - 9] {
      var editor = try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(["nest": Nest(9)]))
      try editor.setValue(Nest(depth), at: path)
      try editor.setValue(Nest(most), at: "new")
      if depth == most - 10 {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: editor.encodedData)
        let nests = try unarchiver.decode([String: Nest].self, forKey: "root")
        #expect(nests.mapValues(\.depth) == ["nest": most - 1])
        #expect(try unarchiver.decode(Nest.self, forKey: "new").depth == most)
      } else {
        let error = #expect(throws: ArchiveError.self) { try editor.encodedData }
        #expect(error?.code == .limitExceeded)
      }
    }
    // With a larger limit, deeper values can be written and read.
    var limits = ArchiveLimits()
    limits.maximumValueDepth = most + 1
    var editor = try ArchiveEditor(
      forReadingFrom: ArchiveEncoder().encode(["nest": Nest(9)]),
      limits: limits
    )
    try editor.setValue(Nest(most - 9), at: path)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: editor.encodedData, limits: limits)
    #expect(try unarchiver.decode([String: Nest].self, forKey: "root")["nest"]?.depth == most)
  }

  private final class Link: Codable, ArchivableClass {
    static var archivedClassName: String { "Editors.Link" }
    var next: Link?
    var names = ["a"]
  }

  /// Like `Link`, with other keys.
  private final class Renamed: Codable {
    var after: Renamed?
    let next: [String]
  }

  @Test func keysThatAreReadLast() throws {
    let link = Link()
    link.next = link
    var editor = try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(link))
    editor.renameKey("next", to: "after", inObjectsOfClass: "Editors.Link")
    editor.renameKey("names", to: "next", inObjectsOfClass: "Editors.Link")
    let classes = try ArchiveImage(data: editor.encodedData, verification: .everything).classes
    #expect(classes.map(\.keysReadLast) == [["after"]])
    let back = try ArchiveDecoder().decode(Renamed.self, from: editor.encodedData)
    #expect(back.after === back && back.next == ["a"])
    back.after = nil
    editor.removeKey("next", inObjectsOfClass: "Editors.Link")
    let without = try ArchiveImage(data: editor.encodedData, verification: .everything).classes
    #expect(without.map(\.keysReadLast) == [[]])
    link.next = nil
  }
}
