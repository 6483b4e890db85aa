import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Archives that are written to the file while they are encoded.
@Suite struct StreamedSaveTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A tree of nodes with `width` children each and `height` levels.
  private func tree(_ width: Int, _ height: Int, _ number: inout Int) -> StreamedNode {
    number += 1
    let node = StreamedNode(number)
    if height > 0 { node.children = (0..<width).map { _ in tree(width, height - 1, &number) } }
    return node
  }

  private func makeTree(_ width: Int = sized(20, inDebug: 15), _ height: Int = 4) -> StreamedNode {
    var number = 0
    return tree(width, height, &number)
  }

  /// Archives `root` to a file and to memory, expects equal bytes, and returns them.
  @discardableResult
  private func expectSameBytes(_ root: some Encodable, _ comment: Comment) throws -> Data {
    try KeyedArchiver.archive(rootObject: root, toFile: folder("a"))
    let streamed = try Data(contentsOf: URL(filePath: folder("a")))
    #expect(try streamed == KeyedArchiver.archivedData(withRootObject: root), comment)
    #expect(try folder.names == ["a"], comment)
    return streamed
  }

  // MARK: The same bytes

  @Test func small() throws {
    try expectSameBytes(7, "a number")
    try expectSameBytes([String](), "nothing")
    try expectSameBytes(StreamedNode(1), "an object")
  }

  @Test func manyBlocks() throws {
    let tree = makeTree()
    let bytes = try expectSameBytes(tree, "a tree")
    #expect(bytes.count > sized(4, inDebug: 2) << 20)
    let image = try ArchiveImage(data: bytes, verification: .everything)
    try image.verifyStructure()
    let root = try KeyedUnarchiver.unarchive(StreamedNode.self, from: bytes)
    #expect(root.count == tree.count)
  }

  /// Around the size at which the first blocks are written, and around the end of a block.
  @Test(arguments: [1 << 16, 1 << 20, (1 << 20) + (1 << 16)])
  func boundaries(_ size: Int) throws {
    for difference in stride(from: -80, through: 20, by: sized(1, inDebug: 4)) {
      try expectSameBytes(Data(repeating: 7, count: size + difference), "\(size + difference) bytes")
    }
  }

  @Test func largeValuesAmongSmallOnes() throws {
    var generator = SeededGenerator("large values among small ones")
    for _ in 0..<sized(8, inDebug: 2) {
      let nodes = (0..<300).map { number in
        let node = StreamedNode(number)
        let count = Int.random(in: 0..<(number % 50 == 0 ? 3_000_000 : 3_000), using: &generator)
        node.data = Data(repeating: UInt8(truncatingIfNeeded: number), count: count)
        return node
      }
      try expectSameBytes(nodes, "large values")
    }
  }

  @Test func manySharedStrings() throws {
    let texts = (0..<40_000).map { "a text that is written twice, the one of number \($0)" }
    try expectSameBytes(texts + texts, "strings")
  }

  // MARK: Memory

  @Test func littleIsHeld() throws {
    let session = EncodingSession([], [:], hidesRootKey: true)
    let sink = MeasuringSink()
    session.bodies.assembly.stream(to: sink)
    try session.encodeRoot(makeTree())
    #expect(sink.largestPiece > 0)
    #expect(sink.largestPiece < 1 << 20 + 1 << 16)
  }

  // MARK: Errors

  @Test func anErrorLateLeavesTheOldFile() throws {
    let root = makeTree()
    root.lastDescendant.refuses = true
    for old in [nil, "the old file"] {
      if let old { try writeText(old, to: folder("a")) }
      #expect(throws: StreamedRefusal.self) {
        try KeyedArchiver.archive(rootObject: root, toFile: folder("a"))
      }
      #expect(try folder.names == (old == nil ? [] : ["a"]))
      if let old { #expect(try fileText(folder("a")) == old) }
    }
  }

  @Test func theCodingPathOfALateError() throws {
    let root = makeTree()
    let first = try #require(root.children.first?.children.first)
    let other = StreamedNode(-1)
    other.refuses = true
    root.lastDescendant.children = [StreamedNode(-2), other]
    var expected: [String] = []
    var node = root
    while let last = node.children.last {
      expected += ["children", "[\(node.children.count - 1)]"]
      node = last
    }
    let refusal = try #require(throws: StreamedRefusal.self) {
      try KeyedArchiver.archive(rootObject: root, toFile: folder("a"))
    }
    #expect(refusal.path == expected.joined(separator: "/"))
    #expect(try folder.names.isEmpty)
    // A coding path into bytes that were already written, without an error.
    other.refuses = false
    first.notesPath = true
    root.lastDescendant.notesPath = true
    try KeyedArchiver.archive(rootObject: root, toFile: folder("a"))
    #expect(first.path == "children/[0]/children/[0]")
    #expect(root.lastDescendant.path == expected.joined(separator: "/"))
  }

  @Test func aCycleThatCannotBeRead() throws {
    let root = makeTree()
    let last = root.lastDescendant
    last.children = [StreamedNode(-1)]
    last.children[0].children = [last]
    let streamed = try failure { try KeyedArchiver.archive(rootObject: root, toFile: folder("a")) }
    let inMemory = try failure { try KeyedArchiver.archivedData(withRootObject: root) }
    last.children = []
    #expect(streamed.code == .cycle)
    #expect(streamed.path == inMemory.path)
    #expect(streamed.description == inMemory.description)
    #expect(try folder.names.isEmpty)
  }

  @Test func whatIsTakenBackLeavesNoTrace() throws {
    let root = makeTree()
    for node in root.children { node.triesAndGoesOn = true }
    root.lastDescendant.triesAndGoesOn = true
    let bytes = try expectSameBytes(root, "errors that were caught")
    #expect(try KeyedUnarchiver.unarchive(StreamedNode.self, from: bytes).count == root.count)
  }

  @Test func whatHasLeftCannotBeTakenBack() throws {
    let session = EncodingSession(userInfo: [:], hidesRootKey: true)
    session.bodies.assembly.stream(to: try DurableFile(replacing: folder("a")))
    let root = makeTree()
    root.lastDescendant.refuses = true
    #expect(throws: StreamedRefusal.self) {
      try session.encode(root, forKey: ArchiveCodingKey(stringValue: "root"))
    }
    #expect(throws: StreamedRefusal.self) {
      try session.encode(1, forKey: ArchiveCodingKey(stringValue: "b"))
    }
    #expect(throws: StreamedRefusal.self) { try session.finish() }
  }
}

struct StreamedRefusal: Error {
  let path: String
}

final class StreamedNode: Codable {
  let number: Int
  var children: [StreamedNode] = []
  var data: Data?
  var refuses = false
  var triesAndGoesOn = false
  var notesPath = false
  var path = ""

  /// The key is not the name of the property, so the property cannot be read last.
  private enum CodingKeys: String, CodingKey {
    case number, text, nodes = "children", data, tried
  }

  init(_ number: Int) {
    self.number = number
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    number = try container.decode(Int.self, forKey: .number)
    children = try container.decode([StreamedNode].self, forKey: .nodes)
    data = try container.decodeIfPresent(Data.self, forKey: .data)
  }

  func encode(to encoder: any Encoder) throws {
    if refuses { throw StreamedRefusal(path: spelled(encoder.codingPath)) }
    if notesPath { path = spelled(encoder.codingPath) }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode("a text that makes the node larger, of \(number)", forKey: .text)
    if triesAndGoesOn {
      // Reaches objects and writes strings before it is undone.
      let refusing = StreamedNode(-9)
      refusing.refuses = true
      let value = StreamedTry(nodes: [StreamedNode(-8)], text: "twice, twice", refuses: true)
      #expect(throws: StreamedRefusal.self) { try container.encode(value, forKey: .tried) }
    }
    try container.encode(children, forKey: .nodes)
    try container.encodeIfPresent(data, forKey: .data)
  }

  var count: Int { children.reduce(1) { $0 + $1.count } }

  var lastDescendant: StreamedNode { children.last?.lastDescendant ?? self }
}

private struct StreamedTry: Encodable {
  let nodes: [StreamedNode]
  let text: String
  let refuses: Bool

  private enum CodingKeys: CodingKey {
    case nodes, text
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(nodes, forKey: .nodes)
    try container.encode(text, forKey: .text)
    if refuses { throw StreamedRefusal(path: "") }
  }
}

/// Measures how much of an archive leaves memory at a time.
private final class MeasuringSink: ArchiveSink {
  var largestPiece = 0

  func append(_ bytes: RawSpan) { largestPiece = max(largestPiece, bytes.byteCount) }
  func bytes(_ range: Range<Int>) -> ByteBuffer? { nil }
}
