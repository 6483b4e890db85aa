import Foundation
import Keepsake
import TestSupport
import Testing

struct CircleSample: Codable {
  var radius = 1
  var name = "circle"
}

/// `keeputil diff` of nested lists, values behind protocols, optionals and weak references.
@Suite struct KeeputilDiffKinds {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expect(
    _ lines: [String],
    _ a: some Encodable,
    _ b: some Encodable,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try folder.archive(a, "a.keepsake")
    try folder.archive(b, "b.keepsake")
    let result = try Keeputil.run("diff", "a.keepsake", "b.keepsake", in: folder)
    #expect(result.status == (lines.isEmpty ? 0 : 1) && result.errors.isEmpty, sourceLocation: sourceLocation)
    #expect(result.output.split(separator: "\n").map(String.init) == lines, sourceLocation: sourceLocation)
  }

  @Test("differences in nested lists of numbers have their paths")
  func numbers() throws {
    let lists = [[1, 2], [3, 4], [], [5, 6]]
    try expect([], lists, lists)
    try expect(["- root[1]: [3, 4]"], lists, [[1, 2], [], [5, 6]])
    try expect(["+ root[0]: [9]"], lists, [[9]] + lists)
    try expect(["~ root[3][1]: 6 -> 7"], lists, [[1, 2], [3, 4], [], [5, 7]])
    try expect(["~ root[1][0]: 1.5 -> 2.5"], [[0.5], [1.5]], [[0.5], [2.5]])
  }

  @Test("NaNs with different bits differ")
  func nans() throws {
    let (a, b) = (Double.nan, Double(bitPattern: Double.nan.bitPattern | 1))
    let line = "nan (a 64-bit float 0x7ff8000000000000) -> nan (a 64-bit float 0x7ff8000000000001)"
    try expect(["~ root.x: \(line)"], ["x": a], ["x": b])
    try expect(["~ root[1]: nan -> nan(0x1)"], [0.5, a], [0.5, b])
    try expect(
      ["~ root.x: nan (a 32-bit float 0xffc00000) -> nan (a 32-bit float 0x7fc00000)"],
      ["x": -Float.nan],
      ["x": Float.nan]
    )
  }

  @Test("changed elements are matched by what distinguishes them")
  func likeness() throws {
    let circles = ["a", "b", "c"].map { CircleSample(radius: 1, name: $0) }
    var changed = Array(circles.dropFirst())
    changed[1].radius = 5
    let removed = "- root[0]: {radius: 1, name: \"a\"}"
    try expect([removed, "~ root[1].radius: 1 -> 5"], circles, changed)
    let type = "KeeputilTests.CircleSample"
    try expect(
      ["- root[0]: \(type) {radius: 1, name: \"a\"}", "~ root[1].radius: 1 -> 5"],
      circles.map { Polymorphic<Any>($0) },
      changed.map { Polymorphic<Any>($0) }
    )
  }

  struct Wrapped: Codable {
    @Polymorphic var shape: Any = CircleSample()
    var some: Int??? = .some(.some(nil))
    var deep: Int????? = .some(.some(.some(.some(nil))))
    var list: [Int??] = [.some(nil)]
    @Polymorphic var shapes: [Any] = [CircleSample()]
    var same = 1
  }

  struct Bare: Codable {
    var same = 1
  }

  @Test("values behind protocols and in optionals are shown, and abridged where they are nested deeper")
  func wrapped() throws {
    let type = "KeeputilTests.CircleSample"
    try expect(
      [
        "- root.shape: \(type) {radius: 1, name: \"circle\"}", "- root.some: some some nil",
        "- root.deep: some some some some …", "- root.list: [some …]", "- root.shapes: [\(type) …]",
      ],
      Wrapped(),
      Bare()
    )
  }

  struct Desk: Codable {
    var authors: [AuthorSample]
    @WeakReference var best: AuthorSample?
  }

  @Test("weak references to other objects differ; those to objects outside the archive are nil")
  func weakReferences() throws {
    let authors = (0..<3).map { AuthorSample("author \($0)") }
    let (stranger, another) = (AuthorSample("stranger"), AuthorSample("another"))
    func desk(_ best: AuthorSample?) -> Desk { Desk(authors: authors, best: best) }
    let name = "weak KeeputilTests.AuthorSample #"
    try expect([], desk(authors[0]), desk(authors[0]))
    try expect(["~ root.best: \(name)2 -> \(name)4, another object"], desk(authors[0]), desk(authors[2]))
    try expect(["~ root.best: \(name)3 -> weak nil"], desk(authors[1]), desk(stranger))
    try expect(["~ root.best: weak nil -> \(name)3"], desk(stranger), desk(authors[1]))
    try expect([], desk(stranger), desk(another))
  }
}
