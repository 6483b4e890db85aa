package import Foundation
internal import Keepsake

/// A save that is put together from the specification (Format §13), without the code of the library that writes saves.
package struct HandmadeSave {
  /// The bodies and their numbers, in order.
  package var bodies: [(number: Int, bytes: [UInt8])] = []
  package var topLevel: [UInt8] = CraftedArchive.root([0x48, 1])
  /// The number of bodies of the file with this save; one by default.
  package var bodyCount = 1
  package var number = 2
  package var keys: [[UInt8]] = []
  package var shapes: [[UInt8]] = []
  package var classes: [[UInt8]] = []
  package var conditionals: [[UInt8]] = []
  /// Changes the list of bodies: the number of skipped ones before each, and its length.
  package var listing: (inout [(gap: Int, length: Int)]) -> Void = { _ in }
  /// Changes the numbers of the directory.
  package var directing: (inout [Int]) -> Void = { _ in }
  /// Changes the four words before the checksum of the trailer.
  package var ending: (inout [UInt64]) -> Void = { _ in }

  package init() {}

  /// `file` with the save behind it. All checksums are correct.
  package func added(to file: Data) -> Data {
    let start = file.count
    var bytes = Array(file)
    for body in bodies { bytes += body.bytes }
    bytes += topLevel
    let tables = [
      keys.flatMap { Bytes.varint($0.count) + $0 }, shapes.flatMap(\.self), classes.flatMap(\.self), [],
    ]
    let conditionalTable = conditionals.flatMap(\.self)
    var list: [(gap: Int, length: Int)] = []
    var last = 0
    for body in bodies {
      list.append((body.number - last - 1, body.bytes.count))
      last = body.number
    }
    listing(&list)
    let listTable = list.flatMap { Bytes.varint($0.gap) + Bytes.varint($0.length) }
    for table in tables + [conditionalTable, listTable] { bytes += table }
    var directory = [number, bodyCount, bodies.map(\.bytes.count).reduce(0, +), topLevel.count]
    for (count, table) in zip([keys.count, shapes.count, classes.count, 0], tables) {
      directory += [count, table.count]
    }
    directory += [conditionals.count, conditionalTable.count, list.count, listTable.count]
    directing(&directory)
    let directoryOffset = bytes.count
    for number in directory { bytes += Bytes.varint(number) }
    bytes.append(0)
    let checksumsOffset = bytes.count
    for block in stride(from: start, to: checksumsOffset, by: 1 << 16) {
      bytes += Bytes.word(ChecksumRepair.checksum(bytes, block..<min(block + 1 << 16, checksumsOffset)))
    }
    let before = Bytes.number(bytes, at: start - 16, byteCount: 8)
    var trailer = [UInt64(directoryOffset), UInt64(checksumsOffset), UInt64(start), before]
    ending(&trailer)
    for word in trailer { bytes += Bytes.word(word) }
    bytes += Bytes.word(ChecksumRepair.checksum(bytes, checksumsOffset..<bytes.count))
    return Data(bytes + SaveTrailer.signature)
  }
}
