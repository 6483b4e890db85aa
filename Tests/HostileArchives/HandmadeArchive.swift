package import Foundation
internal import Keepsake

/// An archive put together by hand from the specification, so that it can be wrong where a test wants it to be.
///
/// Its class table has one class, "Thing", number 1, unless told; it has no shapes.
package enum HandmadeArchive {
  /// - Parameters:
  ///   - bodies: the numbered bodies, each with its class number, from number 1 on.
  ///   - topLevel: the top-level body, class number 0 included.
  ///   - strings: the string table.
  ///   - classes: the entries of the class table.
  ///   - conditionals: the entries of the conditional table.
  ///   - keys: the key table.
  ///   - shapes: the entries of the shape table.
  ///   - bodyCount: how many bodies the directory says that there are; by default as many as there are.
  ///   - moving: changes where the offset table says that the bodies are.
  ///   - directing: changes the numbers of the directory, in their order.
  package static func data(
    bodies: [[UInt8]] = [],
    topLevel: [UInt8],
    strings: [[UInt8]] = [],
    classes: [[UInt8]] = [type("Thing")],
    conditionals: [[UInt8]] = [],
    keys: [[UInt8]] = [],
    shapes: [[UInt8]] = [],
    bodyCount: Int? = nil,
    moving: (inout [Range<Int>]) -> Void = { _ in },
    directing: (inout [Int]) -> Void = { _ in }
  ) -> Data {
    var bytes: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A, 1, 0, 0, 0, 0, 0, 0, 0]
    var places: [Range<Int>] = []
    for body in bodies {
      places.append(bytes.count..<(bytes.count + body.count))
      bytes += body
    }
    let topLevelOffset = bytes.count
    bytes += topLevel
    let tablesOffset = bytes.count
    let keyTable = keys.flatMap { Bytes.varint($0.count) + $0 }
    bytes += keyTable
    let shapeTable = shapes.flatMap(\.self)
    bytes += shapeTable
    let classTable = classes.flatMap(\.self)
    bytes += classTable
    let stringTable = strings.flatMap { Bytes.varint($0.count) + $0 }
    bytes += stringTable
    let conditionalTable = conditionals.flatMap(\.self)
    bytes += conditionalTable
    let offsetsOffset = bytes.count
    moving(&places)
    bytes += offsetTable(places)
    let directoryOffset = bytes.count
    var directory = [topLevelOffset, tablesOffset, bodyCount ?? bodies.count]
    let tables = [
      (keys.count, keyTable), (shapes.count, shapeTable), (classes.count, classTable),
      (strings.count, stringTable), (conditionals.count, conditionalTable),
    ]
    for (count, table) in tables { directory += [count, table.count] }
    directory.append(directoryOffset - offsetsOffset)
    directing(&directory)
    for number in directory { bytes += Bytes.varint(number) }
    return Data(withChecksums(bytes, directoryOffset))
  }

  /// An entry of the class table.
  ///
  /// - Parameters:
  ///   - superclass: 1 more than the number of the superclass; 0 for none.
  ///   - flags: 1 for a polymorphic class, 2 for a type that is no class.
  package static func type(_ name: String, version: UInt8 = 0, superclass: UInt8 = 0, flags: UInt8 = 0)
    -> [UInt8]
  {
    Bytes.varint(name.utf8.count) + Array(name.utf8) + [version, superclass, flags]
  }

  /// Groups of 64 bodies: where the first begins, with 3 for lengths of eight bytes, and where the lengths are.
  private static func offsetTable(_ places: [Range<Int>]) -> [UInt8] {
    var table: [UInt8] = []
    for first in stride(from: 0, to: places.count, by: 64) {
      let start = UInt64(places[first].lowerBound)
      table += Bytes.word(start << 2 | 3)
      table += Bytes.word(UInt64(first * 8)).prefix(4)
    }
    for place in places { table += Bytes.word(UInt64(place.count)) }
    return table
  }

  private static func withChecksums(_ content: [UInt8], _ directoryOffset: Int) -> [UInt8] {
    var bytes = content
    bytes += ChecksumRepair.blockChecksums(content)
    bytes += Bytes.word(UInt64(directoryOffset)) + Bytes.word(UInt64(content.count))
    bytes += Bytes.word(ChecksumRepair.checksum(bytes, content.count..<bytes.count))
    return bytes + Trailer.signature
  }
}
