import Keepsake

/// A part of the file (Format §1). The parts of an archive cover each of its bytes once.
struct ArchivePart {
  /// The raw value is the title that people see.
  enum Kind: String {
    case header, directory, trailer, save
    case bodies = "bodies of objects and values"
    case topLevel = "top level"
    case keys = "key table"
    case shapes = "shape table"
    case classes = "class table"
    case strings = "string table"
    case conditionals = "table of weak references"
    case offsets = "offset table"
    case checksums = "block checksums"
  }

  let kind: Kind
  let range: Range<Int>
  /// The number of entries of a table, or of bodies. `nil` for a part with neither.
  let entryCount: Int?
  /// The numbers of the saves that are in the part, if the file has several.
  let saves: ClosedRange<Int>?

  var title: String {
    guard let saves else { return kind.rawValue }
    return saves.count == 1 ? "save \(saves.lowerBound)" : "saves \(saves.lowerBound) to \(saves.upperBound)"
  }

  init(_ kind: Kind, _ range: Range<Int>, _ entryCount: Int? = nil, saves: ClosedRange<Int>? = nil) {
    self.kind = kind
    self.range = range
    self.entryCount = entryCount
    self.saves = saves
  }

  /// The parts of `image`, in the order of their bytes.
  static func all(of image: ArchiveImage) throws(ArchiveError) -> [ArchivePart] {
    if image.directory.isShort { return partsOfShort(image) }
    guard !image.saves.isEmpty else { return try partsOfFirst(image) }
    return try partsOfFirst(image.asOf(1)) + saves(of: image)
  }

  /// The most saves that are separate parts. Older ones are combined into one part.
  private static let mostSaves = 20

  private static func saves(of image: ArchiveImage) -> [ArchivePart] {
    let old = image.saves.dropLast(mostSaves)
    let new = image.saves.suffix(mostSaves).map { save in
      ArchivePart(.save, save.range, save.bodyList.count, saves: save.number...save.number)
    }
    guard let first = old.first, let last = old.last else { return new }
    let range = first.range.lowerBound..<last.range.upperBound
    let count = old.reduce(0) { $0 + $1.bodyList.count }
    return [ArchivePart(.save, range, count, saves: first.number...last.number)] + new
  }

  private static func partsOfFirst(_ image: ArchiveImage) throws(ArchiveError) -> [ArchivePart] {
    let directory = image.directory
    let trailer = try Trailer(image.reader, try Header.flags(image.reader))
    let checksums = trailer.checksumsOffset..<(image.reader.count - Trailer.byteCount)
    let start = Header.byteCount
    return [
      ArchivePart(.header, 0..<start),
      ArchivePart(.bodies, start..<directory.topLevel.lowerBound, directory.bodyCount),
      ArchivePart(.topLevel, directory.topLevel),
      table(.keys, directory.keys),
      table(.shapes, directory.shapes),
      table(.classes, directory.classes),
      table(.strings, directory.strings),
      table(.conditionals, directory.conditionals),
      ArchivePart(.offsets, directory.offsets.range, directory.bodyCount),
      ArchivePart(.directory, trailer.directoryOffset..<checksums.lowerBound),
      ArchivePart(.checksums, checksums, checksums.count / 8),
      ArchivePart(.trailer, checksums.upperBound..<image.reader.count),
    ]
  }

  /// The parts of an archive of the short form (Format §7).
  private static func partsOfShort(_ image: ArchiveImage) -> [ArchivePart] {
    let directory = image.directory
    let checksum = (image.extent.storedByteCount - 4)..<image.extent.storedByteCount
    // An implied top level has no bytes in the file.
    let isStored = directory.topLevel.upperBound <= checksum.lowerBound
    let topLevel = isStored ? directory.topLevel : checksum.lowerBound..<checksum.lowerBound
    return [
      ArchivePart(.header, 0..<Header.shortByteCount),
      ArchivePart(.directory, Header.shortByteCount..<directory.offsets.range.lowerBound),
      ArchivePart(.offsets, directory.offsets.range, directory.bodyCount),
      table(.shapes, directory.shapes),
      table(.keys, directory.keys),
      table(.classes, directory.classes),
      table(.strings, directory.strings),
      table(.conditionals, directory.conditionals),
      ArchivePart(.bodies, directory.bodies, directory.bodyCount),
      ArchivePart(.topLevel, topLevel),
      ArchivePart(.checksums, checksum, 1),
      ArchivePart(.trailer, checksum.upperBound..<checksum.upperBound),
    ]
  }

  private static func table(_ kind: Kind, _ table: ArchiveDirectory.Table) -> ArchivePart {
    ArchivePart(kind, table.range, table.count)
  }
}
