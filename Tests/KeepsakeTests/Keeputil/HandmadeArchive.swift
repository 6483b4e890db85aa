import Foundation
import Keepsake

/// An archive put together by hand from the specification, so that it can be wrong where a test wants it to be.
///
/// Its class table has one class, "Thing", number 1, unless told; it has no shapes.
enum HandmadeArchive {
  /// - Parameters:
  ///   - bodies: the numbered bodies, each with its class number, from number 1 on.
  ///   - topLevel: the top-level body, class number 0 included.
  ///   - strings: the string table.
  ///   - classes: the entries of the class table.
  ///   - conditionals: the entries of the conditional table.
  ///   - bodyCount: how many bodies the directory says that there are; by default as many as there are.
  static func data(
    bodies: [[UInt8]] = [],
    topLevel: [UInt8],
    strings: [[UInt8]] = [],
    classes: [[UInt8]] = [type("Thing")],
    conditionals: [[UInt8]] = [],
    bodyCount: Int? = nil
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
    let classTable = classes.flatMap(\.self)
    bytes += classTable
    let stringTable = strings.flatMap { varint($0.count) + $0 }
    bytes += stringTable
    let conditionalTable = conditionals.flatMap(\.self)
    bytes += conditionalTable
    let offsetsOffset = bytes.count
    bytes += offsetTable(places)
    let directoryOffset = bytes.count
    let noEntries = [0, 0]
    let directory =
      [topLevelOffset, tablesOffset, bodyCount ?? bodies.count] + noEntries + noEntries
      + [classes.count, classTable.count, strings.count, stringTable.count]
      + [conditionals.count, conditionalTable.count, directoryOffset - offsetsOffset]
    for number in directory { bytes += varint(number) }
    return Data(withChecksums(bytes, directoryOffset))
  }

  /// An entry of the class table.
  ///
  /// - Parameters:
  ///   - superclass: 1 more than the number of the superclass; 0 for none.
  ///   - flags: 1 for a polymorphic class, 2 for a type that is no class.
  static func type(_ name: String, version: UInt8 = 0, superclass: UInt8 = 0, flags: UInt8 = 0) -> [UInt8] {
    varint(name.utf8.count) + Array(name.utf8) + [version, superclass, flags]
  }

  /// Groups of 64 bodies: where the first begins, with 3 for lengths of eight bytes, and where the lengths are.
  private static func offsetTable(_ places: [Range<Int>]) -> [UInt8] {
    let heads = stride(from: 0, to: places.count, by: 64).flatMap { first in
      word(UInt64(places[first].lowerBound) << 2 | 3) + word(UInt64(first * 8)).prefix(4)
    }
    return heads + places.flatMap { word(UInt64($0.count)) }
  }

  private static func withChecksums(_ content: [UInt8], _ directoryOffset: Int) -> [UInt8] {
    var bytes = content
    for start in stride(from: 0, to: content.count, by: 1 << 16) {
      bytes += word(checksum(content[start..<min(start + 1 << 16, content.count)]))
    }
    bytes += word(UInt64(directoryOffset)) + word(UInt64(content.count))
    bytes += word(checksum(bytes[content.count...]))
    return bytes + [0x1A, 0x0A, 0x0D, 0x50, 0x45, 0x45, 0x4B, 0x89]
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe Checksum.of($0.bytes) }
  }

  private static func word(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func varint(_ value: Int) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }
}
