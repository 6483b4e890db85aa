import Foundation

/// Binary property lists made by hand, in which any node may stand in any number of places.
struct BinaryPropertyList {
  private var nodes: [[UInt8]] = []

  private mutating func add(_ bytes: [UInt8]) -> Int {
    nodes.append(bytes)
    return nodes.count - 1
  }

  private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
  }

  /// The marker of an object with a count.
  private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    [kind | 0x0F, 0x12] + number(count, 4)
  }

  mutating func string(_ text: String) -> Int {
    add(BinaryPropertyList.head(0x50, text.utf8.count) + Array(text.utf8))
  }

  mutating func integer(_ value: Int) -> Int { add([0x13] + BinaryPropertyList.number(value, 8)) }

  mutating func reference(_ number: Int) -> Int { add([0x83] + BinaryPropertyList.number(number, 4)) }

  mutating func array(_ elements: [Int]) -> Int {
    add(BinaryPropertyList.head(0xA0, elements.count) + elements.flatMap { BinaryPropertyList.number($0, 4) })
  }

  mutating func dictionary(_ members: [(Int, Int)]) -> Int {
    let numbers = members.map(\.0) + members.map(\.1)
    return add(
      BinaryPropertyList.head(0xD0, members.count) + numbers.flatMap { BinaryPropertyList.number($0, 4) }
    )
  }

  /// A class without superclasses.
  mutating func type(_ name: String) -> Int {
    let name = self.string(name)
    let names = array([name])
    return dictionary([(string("$classname"), name), (string("$classes"), names)])
  }

  /// The archive of these objects, which have the numbers from 1 on; `top` is what stands under the root key, the first
  /// object if nothing else is said.
  mutating func archive(objects: [Int], top: Int? = nil) -> Data {
    let all = array([string("$null")] + objects)
    let first = top ?? reference(1)
    // A list at the top is an object there.
    let root = dictionary([
      (string("$archiver"), string("NSKeyedArchiver")), (string("$version"), integer(100_000)),
      (string("$objects"), all), (string("$top"), dictionary([(string("root"), first)])),
    ])
    var bytes = [UInt8]("bplist00".utf8)
    var offsets: [UInt8] = []
    for node in nodes {
      offsets += BinaryPropertyList.number(bytes.count, 4)
      bytes += node
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 4]
    for value in [nodes.count, root, table] { bytes += BinaryPropertyList.number(value, 8) }
    return Data(bytes)
  }
}
