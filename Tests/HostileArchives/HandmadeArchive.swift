package import Foundation
internal import Keepsake

/// An archive that is put together from the specification, so that tests can make any part of it wrong.
///
/// By default, its class table has one class, "Thing", with number 1, and there are no shapes.
package enum HandmadeArchive {
  /// - Parameters:
  ///   - bodies: The bodies from number 1 on, each with its class number.
  ///   - topLevel: The top-level body, including the class number 0.
  ///   - strings: The string table.
  ///   - classes: The entries of the class table.
  ///   - conditionals: The entries of the conditional table.
  ///   - keys: The key table.
  ///   - shapes: The entries of the shape table.
  ///   - bodyCount: The number of bodies in the directory; by default the true one.
  ///   - moving: Changes the ranges of the bodies in the offset table.
  ///   - directing: Changes the numbers of the directory, in their order.
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

  /// Groups of 64 bodies: the offset of the first, with 3 for lengths of eight bytes, and the offset of the lengths.
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
