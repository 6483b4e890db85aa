import Foundation
import Keepsake
import TestSupport
import Testing

/// Values of every kind in `@Lazy`: in optionals, under keys, changed, in cycles and used too early.
@Suite struct LazyKinds {
  @Test("lazy values come back in optionals and under top-level keys")
  func elsewhere() throws {
    let lazies: [Lazy<Int?>?] = [nil, Lazy(wrappedValue: nil), Lazy(wrappedValue: 3)]
    #expect(try roundTrip(lazies) == lazies)
    #expect(try transcode(lazies, to: [Int?].self) == [nil, nil, 3])
    let archiver = KeyedArchiver()
    for (index, lazy) in lazies.enumerated() { try archiver.encode(lazy, forKey: "\(index)") }
    try archiver.encode(Lazy(wrappedValue: [1]), forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    for (index, lazy) in lazies.enumerated() {
      #expect(try unarchiver.decode(Lazy<Int?>?.self, forKey: "\(index)") == lazy)
      #expect(try unarchiver.decode(Int?.self, forKey: "\(index)") == lazy?.wrappedValue)
    }
    #expect(try unarchiver.decode(Lazy<[Int]>.self, forKey: "list").wrappedValue == [1])
  }

  @Test("lazy values are changed in place, copied, compared and replaced")
  func changes() throws {
    struct Note: Codable, Equatable, Hashable {
      @Lazy var lines: [String] = []
    }

    var note = Note(lines: ["a"])
    let data = try KeyedArchiver.archivedData(withRootObject: note)
    note = try KeyedUnarchiver.unarchive(Note.self, from: data)
    let copy = note
    note.lines.append("b")
    #expect(copy.lines == ["a"] && note.lines == ["a", "b"] && copy != note)
    #expect(try copy == KeyedUnarchiver.unarchive(Note.self, from: data))
    #expect(try Set([copy, KeyedUnarchiver.unarchive(Note.self, from: data)]).count == 1)
    note.lines = []
    #expect(note.lines.isEmpty && copy.lines == ["a"])
    let again = try KeyedUnarchiver.unarchive(
      Note.self,
      from: KeyedArchiver.archivedData(withRootObject: copy)
    )
    #expect(again.lines == ["a"])
  }

  @Test("every kind of value with an empty value can be lazy")
  func kinds() throws {
    struct Kinds: Codable, Equatable {
      @Lazy var data = Data()
      @Lazy var text = ""
      @Lazy var set: Set<Int> = []
      @Lazy var numbers: [Double] = []
      @Lazy var byName: [String: [Int?]] = [:]
      @Lazy var number: Int?
      @Lazy var nested: [[String: Data]] = []
    }

    var kinds = Kinds()
    for archive in try [kinds, KeyedArchiver.copy(of: kinds)] {
      let read = try KeyedUnarchiver.unarchive(
        Kinds.self,
        from: KeyedArchiver.archivedData(withRootObject: archive)
      )
      #expect(read == kinds)
    }
    kinds.data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    kinds.text = String(repeating: "text ", count: 50_000)
    kinds.set = Set(0..<1_000)
    kinds.numbers = (0..<1_000).map { Double($0) / 2 }
    kinds.byName = ["a": [1, nil], "b": []]
    kinds.number = 7
    kinds.nested = [["a": Data([1, 2, 3])], [:]]
    for archive in try [kinds, KeyedArchiver.copy(of: kinds)] {
      let read = try KeyedUnarchiver.unarchive(
        Kinds.self,
        from: KeyedArchiver.archivedData(withRootObject: archive)
      )
      #expect(!read.$data.isLoaded && read == kinds && read.$data.isLoaded)
    }
  }

  @Test("a cycle through a lazy property comes back")
  func cycles() throws {
    final class Node: Codable {
      let name: String
      @Lazy var others: [Node] = []

      init(_ name: String) { self.name = name }
    }

    let (a, b) = (Node("a"), Node("b"))
    a.others = [b, a]
    b.others = [a]
    let read = try KeyedUnarchiver.unarchive(Node.self, from: KeyedArchiver.archivedData(withRootObject: a))
    #expect(read.others.map(\.name) == ["b", "a"] && read.others[1] === read)
    #expect(read.others[0].others[0] === read)
    let copy = try KeyedArchiver.copy(of: a)
    #expect(copy.others[0].others[0] === copy && copy !== a)
    for node in [a, b, read, read.others[0], copy, copy.others[0]] { node.others = [] }
  }

  @Test("an initializer that reads its lazy property makes the outermost decode throw")
  func tooEarly() throws {
    final class Eager: Codable {
      @Lazy var lines: [String] = ["a"]
      var count = 0

      init() {}

      enum CodingKeys: CodingKey { case lines }

      init(from decoder: any Decoder) throws {
        _lines = try decoder.container(keyedBy: CodingKeys.self).decode(Lazy<[String]>.self, forKey: .lines)
        count = lines.count
      }
    }

    let data = try KeyedArchiver.archivedData(withRootObject: Eager())
    #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive(Eager.self, from: data) }
  }
}
