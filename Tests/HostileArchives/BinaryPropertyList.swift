package import Foundation

/// Handmade binary property lists, in which any node can have any number of references. References and offsets take as
/// few bytes as possible, so that the file is small.
package struct BinaryPropertyList {
  private enum Node {
    case bytes([UInt8])
    /// A list of nodes; the count of a dictionary is that of its pairs.
    case list(kind: UInt8, count: Int, [Int])
  }

  private var nodes: [Node] = []

  package init() {}

  private mutating func add(_ node: Node) -> Int {
    nodes.append(node)
    return nodes.count - 1
  }

  private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
  }

  /// The number of bytes of a number below `count`.
  private static func width(_ count: Int) -> Int {
    count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : count <= 1 << 24 ? 3 : 4
  }

  /// The marker of an object with a count.
  private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + number(count, 4)
  }

  package mutating func string(_ text: String) -> Int {
    add(.bytes(BinaryPropertyList.head(0x50, text.utf8.count) + Array(text.utf8)))
  }

  package mutating func data(_ bytes: [UInt8]) -> Int {
    add(.bytes(BinaryPropertyList.head(0x40, bytes.count) + bytes))
  }

  package mutating func integer(_ value: Int) -> Int {
    let isSmall = 0..<256 ~= value
    return add(.bytes([isSmall ? 0x10 : 0x13] + BinaryPropertyList.number(value, isSmall ? 1 : 8)))
  }

  package mutating func bool(_ value: Bool) -> Int { add(.bytes([value ? 0x09 : 0x08])) }

  package mutating func reference(_ number: Int) -> Int {
    let width = BinaryPropertyList.width(number + 1)
    return add(.bytes([0x80 | UInt8(width - 1)] + BinaryPropertyList.number(number, width)))
  }

  package mutating func array(_ elements: [Int]) -> Int {
    add(.list(kind: 0xA0, count: elements.count, elements))
  }

  package mutating func dictionary(_ members: [(Int, Int)]) -> Int {
    add(.list(kind: 0xD0, count: members.count, members.map(\.0) + members.map(\.1)))
  }

  /// The number of the next node.
  package var nextNode: Int { nodes.count }

  /// A class without superclasses.
  package mutating func type(_ name: String) -> Int {
    let name = self.string(name)
    let names = array([name])
    return dictionary([(string("$classname"), name), (string("$classes"), names)])
  }

  /// The archive of these objects, whose numbers begin with 1; `top` is the value of the root key, by default the first
  /// object.
  package mutating func archive(objects: [Int], top: Int? = nil) -> Data {
    let all = array([string("$null")] + objects)
    let first = top ?? reference(1)
    // A list at the top is an object there.
    let root = dictionary([
      (string("$archiver"), string("NSKeyedArchiver")), (string("$version"), integer(100_000)),
      (string("$objects"), all), (string("$top"), dictionary([(string("root"), first)])),
    ])
    return file(root: root)
  }

  /// The file of all nodes.
  package func file(root: Int) -> Data {
    let width = BinaryPropertyList.width(nodes.count)
    var bytes = [UInt8]("bplist00".utf8)
    var places: [Int] = []
    for node in nodes {
      places.append(bytes.count)
      switch node {
      case .bytes(let content): bytes += content
      case .list(let kind, let count, let elements):
        bytes += BinaryPropertyList.head(kind, count)
        for element in elements { bytes += BinaryPropertyList.number(element, width) }
      }
    }
    let table = bytes.count
    let placeWidth = BinaryPropertyList.width(table)
    for place in places { bytes += BinaryPropertyList.number(place, placeWidth) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(placeWidth), UInt8(width)]
    for value in [nodes.count, root, table] { bytes += BinaryPropertyList.number(value, 8) }
    return Data(bytes)
  }
}
