import Keepsake

/// A part of the file (Format §1). All parts of an archive are all of its bytes, each once.
struct ArchivePart {
  enum Kind: String, CaseIterable {
    case header, bodies, topLevel, keys, shapes, classes, strings, conditionals, offsets, directory, checksums
    case trailer, save

    var title: String {
      switch self {
      case .header: "header"
      case .bodies: "bodies of objects and values"
      case .topLevel: "top level"
      case .keys: "key table"
      case .shapes: "shape table"
      case .classes: "class table"
      case .strings: "string table"
      case .conditionals: "table of weak references"
      case .offsets: "offset table"
      case .directory: "directory"
      case .checksums: "block checksums"
      case .trailer: "trailer"
      case .save: "save"
      }
    }
  }

  let kind: Kind
  let range: Range<Int>
  /// How many entries a table has, or bodies there are; `nil` for a part that has none to count.
  var entryCount: Int?
  /// The numbers of the saves that the part is, where the file has several.
  var saves: ClosedRange<Int>?

  /// What the part is, for people.
  var title: String {
    guard let saves else { return kind.title }
    return saves.count == 1 ? "save \(saves.lowerBound)" : "saves \(saves.lowerBound) to \(saves.upperBound)"
  }

  /// The parts of `image`, in the order in which they stand.
  static func all(of image: ArchiveImage) throws(ArchiveError) -> [ArchivePart] {
    if image.directory.isShort { return partsOfShort(image) }
    guard !image.saves.isEmpty else { return try partsOfFirst(image) }
    return try partsOfFirst(image.asOf(1, ArchiveLimits())) + saves(of: image)
  }

  /// The most saves that are parts of their own; older ones are one part together.
  private static let mostSaves = 20

  private static func saves(of image: ArchiveImage) -> [ArchivePart] {
    let old = image.saves.dropLast(mostSaves)
    let new = image.saves.suffix(mostSaves).map { save in
      ArchivePart(
        kind: .save,
        range: save.range,
        entryCount: save.bodyList.count,
        saves: save.number...save.number
      )
    }
    guard let first = old.first, let last = old.last else { return new }
    let together = ArchivePart(
      kind: .save,
      range: first.range.lowerBound..<last.range.upperBound,
      entryCount: old.reduce(0) { $0 + $1.bodyList.count },
      saves: first.number...last.number
    )
    return [together] + new
  }

  private static func partsOfFirst(_ image: ArchiveImage) throws(ArchiveError) -> [ArchivePart] {
    let reader = image.reader
    let directory = image.directory
    let trailer = try Trailer(reader, try Header.flags(reader))
    let trailerOffset = reader.count - Trailer.byteCount
    return [
      ArchivePart(kind: .header, range: 0..<Header.byteCount),
      ArchivePart(
        kind: .bodies,
        range: Header.byteCount..<directory.topLevel.lowerBound,
        entryCount: directory.bodyCount
      ),
      ArchivePart(kind: .topLevel, range: directory.topLevel),
      table(.keys, directory.keys),
      table(.shapes, directory.shapes),
      table(.classes, directory.classes),
      table(.strings, directory.strings),
      table(.conditionals, directory.conditionals),
      ArchivePart(kind: .offsets, range: directory.offsets.range, entryCount: directory.bodyCount),
      ArchivePart(kind: .directory, range: trailer.directoryOffset..<trailer.checksumsOffset),
      ArchivePart(
        kind: .checksums,
        range: trailer.checksumsOffset..<trailerOffset,
        entryCount: (trailerOffset - trailer.checksumsOffset) / 8
      ),
      ArchivePart(kind: .trailer, range: trailerOffset..<reader.count),
    ]
  }

  /// The parts of an archive of the short form (Format §7).
  private static func partsOfShort(_ image: ArchiveImage) -> [ArchivePart] {
    let directory = image.directory
    let checksum = (image.storedByteCount - 4)..<image.storedByteCount
    // A top level that is implied has no bytes in the file.
    let isStored = directory.topLevel.upperBound <= checksum.lowerBound
    let topLevel = isStored ? directory.topLevel : checksum.lowerBound..<checksum.lowerBound
    return [
      ArchivePart(kind: .header, range: 0..<Header.shortByteCount),
      ArchivePart(kind: .directory, range: Header.shortByteCount..<directory.offsets.range.lowerBound),
      ArchivePart(kind: .offsets, range: directory.offsets.range, entryCount: directory.bodyCount),
      table(.shapes, directory.shapes),
      table(.keys, directory.keys),
      table(.classes, directory.classes),
      table(.strings, directory.strings),
      table(.conditionals, directory.conditionals),
      ArchivePart(kind: .bodies, range: directory.bodies, entryCount: directory.bodyCount),
      ArchivePart(kind: .topLevel, range: topLevel),
      ArchivePart(kind: .checksums, range: checksum, entryCount: 1),
      ArchivePart(kind: .trailer, range: checksum.upperBound..<checksum.upperBound),
    ]
  }

  private static func table(_ kind: Kind, _ table: ArchiveDirectory.Table) -> ArchivePart {
    ArchivePart(kind: kind, range: table.range, entryCount: table.count)
  }
}
