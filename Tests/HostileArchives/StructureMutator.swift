internal import Keepsake

/// Changes the structure of an archive: a tag, a count, the body that a reference leads to, an entry of a table.
///
/// The other bytes are adjusted and all checksums are correct, so that most mutants can be opened, and are refused, or
/// not, where the changed part is used.
package struct StructureMutator {
  /// Parsed archives from which bodies, values and entries are copied.
  private let others: [ArchivePieces]
  private let bytes: ByteMutator

  /// - Parameter others: whole archives.
  package init(others: [[UInt8]] = []) {
    self.others = others.compactMap { ArchivePieces($0) }
    bytes = ByteMutator(others: others)
  }

  /// A mutant of the archive; bytes that are no archive are changed as bytes, and then repaired.
  package func mutant(of archive: [UInt8], using generator: inout HostileGenerator) -> [UInt8] {
    guard var pieces = ArchivePieces(archive) else {
      var damaged = archive
      bytes.mutate(&damaged, using: &generator)
      return ChecksumRepair.repaired(damaged)
    }
    mutate(&pieces, using: &generator)
    return pieces.bytes
  }

  /// Makes one to four edits.
  package func mutate(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    for _ in 0...generator.below(generator.oneIn(3) ? 4 : 2) { edit(&archive, using: &generator) }
  }

  private func edit(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    switch generator.below(16) {
    case 0...6: editPiece(&archive, using: &generator)
    case 7...9: editValue(&archive, using: &generator)
    case 10, 11, 12: TableEdits.edit(&archive, others, using: &generator)
    case 13: TableEdits.editBodies(&archive, others, using: &generator)
    case 14: TableEdits.editOffsets(&archive, using: &generator)
    default: TableEdits.editDirectory(&archive, using: &generator)
    }
  }

  // MARK: Pieces

  /// Edits a piece of a body (0 is the top level) or of an entry of a table.
  private func editPiece(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    let sizes = PieceSizes(archive)
    if generator.oneIn(4), let table = generator.pick(ArchivePieces.Table.allCases),
      !archive[table].isEmpty
    {
      let entry = generator.below(archive[table].count)
      guard !archive[table][entry].isEmpty else { return }
      let index = generator.below(archive[table][entry].count)
      sizes.edit(&archive[table][entry][index], inBody: 0, bytes, using: &generator)
      return
    }
    withBody(&archive, using: &generator) { body, number, generator in
      let index = generator.below(body.count)
      sizes.edit(&body[index], inBody: number, bytes, using: &generator)
    }
  }

  private func withBody(
    _ archive: inout ArchivePieces,
    using generator: inout HostileGenerator,
    _ change: (inout [ArchivePiece], Int, inout HostileGenerator) -> Void
  ) {
    let number = generator.below(archive.bodies.count + 1)
    if number == 0 {
      if !archive.topLevel.isEmpty { change(&archive.topLevel, 0, &generator) }
    } else if !archive.bodies[number - 1].isEmpty {
      change(&archive.bodies[number - 1], number, &generator)
    }
  }

  // MARK: Values

  /// Removes or doubles a value, puts another in its place or before it, or wraps it in more values.
  private func editValue(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    let source = (generator.oneIn(3) ? generator.pick(others) : nil) ?? archive
    let donor = generator.pick(source.bodies + [source.topLevel]) ?? []
    let piece = Array(donor[StructureMutator.value(in: donor, using: &generator)])
    let typeCount = archive[.classes].count
    withBody(&archive, using: &generator) { body, _, generator in
      let range = StructureMutator.value(in: body, using: &generator)
      let value = Array(body[range])
      switch generator.below(6) {
      case 0: body.removeSubrange(range)
      case 1: body.insert(contentsOf: value, at: range.lowerBound)
      case 2: body.insert(contentsOf: piece, at: range.lowerBound)
      case 3: body.insert(contentsOf: wrapping(typeCount, using: &generator), at: range.lowerBound)
      default: body.replaceSubrange(range, with: piece)
      }
    }
  }

  /// The pieces of a random value in a body.
  private static func value(in body: [ArchivePiece], using generator: inout HostileGenerator) -> Range<Int> {
    let tags = body.indices.filter { body[$0].role == .tag }
    guard let start = generator.pick(tags) else { return 0..<0 }
    return start..<min(body.count, start + body[start].span)
  }

  /// The pieces before a value that is wrapped once or very often.
  private func wrapping(_ typeCount: Int, using generator: inout HostileGenerator) -> [ArchivePiece] {
    let count = generator.pick([1, 1, 1, 2, 3, 30, 300, 3_000]) ?? 1
    let level: [UInt8] =
      switch generator.below(6) {
      case 0: [Tag.some]
      case 1: [Tag.shortArray + 1]
      case 2: [Tag.array, 1]
      case 3: [Tag.url]
      case 4: [Tag.map, 1, Tag.shortString]
      default: [Tag.typed] + Bytes.varint(generator.below(typeCount))
      }
    return [ArchivePiece(.rest, Bytes.repeating(level, count: count))]
  }
}
