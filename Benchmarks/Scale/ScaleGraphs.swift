import Foundation
import Keepsake

/// An object that some small objects share.
final class ScaleTag: Codable {
  let name: String

  init(name: String) {
    self.name = name
  }
}

/// A small object, like most objects of an archive with many.
final class ScaleItem: Codable {
  let number: Int
  let tag: ScaleTag?

  init(number: Int, tag: ScaleTag?) {
    self.number = number
    self.tag = tag
  }
}

/// A node of a tree with two branches.
final class ScaleNode: Codable {
  let number: Int
  let left: ScaleNode?
  let right: ScaleNode?

  init(number: Int, left: ScaleNode?, right: ScaleNode?) {
    self.number = number
    self.left = left
    self.right = right
  }
}

/// The graphs whose cost for each object should not depend on their size.
enum ScaleShape: String, CaseIterable {
  /// An array of objects. Every eighth refers to one of a hundred shared objects.
  case list
  /// A balanced binary tree, made depth first as a program would.
  case tree
  /// The same tree, whose nodes refer to their parents.
  case parents
  /// Objects that refer to eight random objects each: plain classes, models, and classes with wrappers.
  case network, models, wrappers

  /// The same shape without the cycles. This shape may cost at most 1.3 times as much.
  var withoutCycles: ScaleShape? { self == .parents ? .tree : nil }

  /// The largest number of objects for which the shape is measured.
  var most: Int { self == .list || self == .tree ? .max : 1_000_000 }

  /// Calls `body` with a graph of `count` objects.
  func withGraph<Result>(
    count: Int,
    _ body: (_ graph: any ScaleGraph) throws -> Result
  ) rethrows -> Result {
    switch self {
    case .list: try body(ScaleRoot(Self.list(count)))
    case .tree: try body(ScaleRoot(Self.tree(1...count)))
    case .parents: try body(ScaleRoot(ScaleChild.tree(1...count)))
    case .network: try body(ScaleRoot(ScalePerson.network(count)))
    case .models: try body(ScaleRoot(ScaleModel.network(count)))
    case .wrappers: try body(ScaleRoot(ScaleWrapped.network(count)))
    }
  }

  private static func list(_ count: Int) -> [ScaleItem] {
    let tags = (0..<100).map { ScaleTag(name: "tag \($0)") }
    return (0..<count).map { ScaleItem(number: $0, tag: $0 % 8 == 0 ? tags[$0 / 8 % 100] : nil) }
  }

  private static func tree(_ numbers: ClosedRange<Int>) -> ScaleNode {
    let middle = (numbers.lowerBound + numbers.upperBound) / 2
    let left = middle > numbers.lowerBound ? tree(numbers.lowerBound...(middle - 1)) : nil
    let right = middle < numbers.upperBound ? tree((middle + 1)...numbers.upperBound) : nil
    return ScaleNode(number: middle, left: left, right: right)
  }
}

/// A graph of any type, for measuring its cost.
protocol ScaleGraph {
  func encode() throws -> Data
  func decode(_ archive: Data) throws -> Any
  func save(toFile path: String) throws
  func encode(to archiver: KeyedArchiver, forKey key: String) throws
}

private struct ScaleRoot<Root: Codable>: ScaleGraph {
  let root: Root

  init(_ root: Root) {
    self.root = root
  }

  func encode() throws -> Data { try KeyedArchiver.archivedData(withRootObject: root) }
  func decode(_ archive: Data) throws -> Any { try KeyedUnarchiver.unarchive(Root.self, from: archive) }
  func save(toFile path: String) throws { try KeyedArchiver.archive(rootObject: root, toFile: path) }

  func encode(to archiver: KeyedArchiver, forKey key: String) throws {
    try archiver.encode(root, forKey: key)
  }
}

/// The small value of a large archive.
struct ScaleNote: Codable {
  let title: String
  let sizes: [Int]
  let author: ScaleTag

  static func makeSample() -> ScaleNote {
    ScaleNote(title: "what is wanted", sizes: [1, 2, 300], author: ScaleTag(name: "author"))
  }
}
