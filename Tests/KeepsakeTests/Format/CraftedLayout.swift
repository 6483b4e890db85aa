import Foundation
import HostileArchives
import Keepsake

/// The parts of an archive, each of which can be made faulty; checksums and trailer are computed.
///
/// ``HandmadeArchive`` is for the contents of bodies, this is for tables, directory and trailer.
struct CraftedLayout {
  static let header: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A, 1, 0, 0, 0, 0, 0, 0, 0]

  var header = CraftedLayout.header
  var bodies: [[UInt8]] = []
  /// Bytes between the bodies and the top level, where there should be none.
  var gap: [UInt8] = []
  var topLevel: [UInt8] = [0, 0x1C, 0]
  /// The entries of the tables, each as its bytes.
  var keys: [[UInt8]] = []
  var shapes: [[UInt8]] = []
  var classes: [[UInt8]] = []
  var strings: [[UInt8]] = []
  var conditionals: [[UInt8]] = []
  /// The offset table, if it is not to be that of the bodies.
  var offsets: [UInt8]?
  /// Bytes between the directory and the block checksums, where there should be none.
  var behindDirectory: [UInt8] = []
  /// Changes the fourteen numbers of the directory.
  var changeDirectory: (inout [Int]) -> Void = { _ in }
  /// Changes the offsets in the trailer: that of the directory and that of the block checksums.
  var changeTrailer: (inout [UInt64]) -> Void = { _ in }

  /// The offset of each part that is not at a fixed offset.
  struct Places {
    var topLevel = 0, keys = 0, shapes = 0, classes = 0, strings = 0, conditionals = 0, offsets = 0
    var directory = 0, checksums = 0, trailer = 0
  }

  var data: Data { made().data }
  var places: Places { made().places }

  func made() -> (data: Data, places: Places) {
    var places = Places()
    var bytes = header
    var extents: [Range<Int>] = []
    for body in bodies {
      extents.append(bytes.count..<(bytes.count + body.count))
      bytes += body
    }
    bytes += gap
    func add(_ part: [UInt8]) -> Int {
      defer { bytes += part }
      return bytes.count
    }
    places.topLevel = add(topLevel)
    places.keys = add(keys.flatMap(\.self))
    places.shapes = add(shapes.flatMap(\.self))
    places.classes = add(classes.flatMap(\.self))
    places.strings = add(strings.flatMap(\.self))
    places.conditionals = add(conditionals.flatMap(\.self))
    places.offsets = add(offsets ?? Self.offsetTable(extents))
    places.directory = bytes.count
    var directory = [places.topLevel, places.keys, bodies.count]
    directory += [keys.count, places.shapes - places.keys, shapes.count, places.classes - places.shapes]
    directory += [classes.count, places.strings - places.classes]
    directory += [strings.count, places.conditionals - places.strings]
    directory += [conditionals.count, places.offsets - places.conditionals]
    directory.append(places.directory - places.offsets)
    changeDirectory(&directory)
    bytes += directory.flatMap { Bytes.varint($0) } + behindDirectory
    places.checksums = bytes.count
    let hasChecksums = header.count > 10 && header[10] & 1 == 0
    if hasChecksums { bytes += ChecksumRepair.blockChecksums(bytes) }
    places.trailer = bytes.count
    var trailer = [UInt64(places.directory), UInt64(places.checksums)]
    changeTrailer(&trailer)
    bytes += trailer.flatMap(Bytes.word)
    let covered = (hasChecksums ? places.checksums : places.directory)..<bytes.count
    bytes += Bytes.word(ChecksumRepair.checksum(bytes, covered))
    return (Data(bytes + Self.header.prefix(8).reversed()), places)
  }

  /// A text of a table: its length and its bytes.
  static func text(_ text: String) -> [UInt8] { Bytes.varint(text.utf8.count) + Array(text.utf8) }

  /// The head of a group of the offset table.
  static func groupHead(start: UInt64, widthCode: UInt64 = 0, lengths: UInt64 = 0) -> [UInt8] {
    Bytes.word(start << 2 | widthCode) + Bytes.word(lengths).prefix(4)
  }

  /// One group, with lengths of one byte.
  private static func offsetTable(_ extents: [Range<Int>]) -> [UInt8] {
    guard let first = extents.first else { return [] }
    return groupHead(start: UInt64(first.lowerBound)) + extents.map { UInt8($0.count) }
  }
}
