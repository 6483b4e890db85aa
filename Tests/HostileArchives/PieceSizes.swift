internal import Keepsake

/// The number of things that each number in an archive can name, and edits of such numbers.
struct PieceSizes {
  private let bodies: Int
  private let tables: [Int]

  init(_ archive: ArchivePieces) {
    bodies = archive.bodies.count
    tables = archive.tables.map(\.count)
  }

  private func count(_ table: ArchivePieces.Table) -> Int { tables[table.rawValue] }

  /// The number of choices for a number of that role; numbers of bodies begin with 1, which makes one more.
  private func choices(_ role: ArchivePiece.Role) -> Int {
    switch role {
    case .classNumber, .superclass: count(.classes) + 1
    case .typeNumber: count(.classes)
    case .shape: count(.shapes)
    case .keyNumber: count(.keys)
    case .stringReference: count(.strings)
    case .conditionalReference: count(.conditionals)
    case .objectReference, .valueReference, .conditionalTarget: bodies + 1
    default: 0
    }
  }

  /// Changes a piece into a plausible one, or nearly.
  ///
  /// - Parameter number: The number of the body that it is in, so that a reference can lead there.
  func edit(
    _ piece: inout ArchivePiece,
    inBody number: Int,
    _ bytes: ByteMutator,
    using generator: inout HostileGenerator
  ) {
    switch piece.role {
    case .tag:
      piece.bytes = [tag(piece.bytes.first ?? 0, using: &generator)]
    case .elementType, .classFlags, .blockWidth:
      piece.bytes = [generator.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 0x7F, 0x80, 0xFF]) ?? 0]
    case .payload, .text, .rest:
      if generator.oneIn(4) {
        // As many bytes as before, with another value.
        let run = Bytes.word(generator.pick(TellingNumbers.all) ?? 0)
        piece.bytes = piece.bytes.indices.map { run[$0 % 8] }
      } else {
        let count = piece.bytes.count
        bytes.mutate(&piece.bytes, using: &generator)
        // Mostly of the same length; otherwise, everything behind it would be read differently.
        if !generator.oneIn(4) {
          piece.bytes = Array((piece.bytes + [UInt8](repeating: 0, count: count)).prefix(count))
        }
      }
    default:
      if piece.isReference { return editReference(&piece, inBody: number, using: &generator) }
      piece.bytes = varint(piece, inBody: number, using: &generator)
    }
  }

  private func tag(_ tag: UInt8, using generator: inout HostileGenerator) -> UInt8 {
    switch generator.below(5) {
    case 0: tag &+ (generator.oneIn(2) ? 1 : .max)
    case 1: UInt8(truncatingIfNeeded: generator.next())
    case 2: tag & 0xF0 | UInt8(generator.below(16))
    default:
      generator.pick([
        Tag.none, Tag.empty, Tag.some, Tag.float64, Tag.integer, Tag.integer + 7, Tag.uint64, Tag.int128,
        Tag.date,
        Tag.uuid, Tag.decimal, Tag.negativeDecimal, Tag.url, Tag.string, Tag.bytes, Tag.array,
        Tag.packedArray,
        Tag.map, Tag.record, Tag.typed, Tag.shortString, Tag.shortString + 3, Tag.objectReference,
        Tag.stringReference, Tag.valueReference, Tag.conditionalReference, Tag.shortArray, Tag.shortArray + 2,
        Tag.shortRecord, Tag.shortRecord + 1, Tag.smallInteger,
      ]) ?? 0
    }
  }

  private func editReference(
    _ piece: inout ArchivePiece,
    inBody number: Int,
    using generator: inout HostileGenerator
  ) {
    let chosen = generator.oneIn(4) ? Int.max : choice(piece.role, number, using: &generator)
    // The tag states the number of bytes.
    piece.bytes = Bytes.number(UInt64(clamping: chosen), byteCount: max(1, piece.bytes.count))
  }

  /// A number that names something: mostly another existing one, the body that it is in, one before, 0, the last, or
  /// one more.
  private func choice(
    _ role: ArchivePiece.Role,
    _ number: Int,
    using generator: inout HostileGenerator
  ) -> Int {
    let end = choices(role)
    switch generator.below(8) {
    case 0: return 0
    case 1: return end
    case 2: return max(0, end - 1)
    case 3: return number
    case 4: return max(0, number - 1)
    default: return generator.below(end)
    }
  }

  private func varint(
    _ piece: ArchivePiece,
    inBody number: Int,
    using generator: inout HostileGenerator
  ) -> [UInt8] {
    switch generator.below(12) {
    case 0: return Bytes.varint(max(0, piece.number - 1))
    case 1: return Bytes.varint(piece.number &+ 1)
    case 2: return [0]
    case 3: return Bytes.varint(Int(truncatingIfNeeded: generator.pick(TellingNumbers.all) ?? 0) & .max)
    case 4: return Bytes.varint(.max)
    // Longer than necessary, and longer than allowed.
    case 5:
      return Bytes.varint(piece.number).dropLast() + [
        UInt8(piece.number >> 7 == 0 ? piece.number | 0x80 : 0x80), 0,
      ]
    case 6: return [UInt8](repeating: 0xFF, count: 8 + generator.below(3))
    default:
      let end = choices(piece.role)
      return Bytes.varint(end > 0 ? choice(piece.role, number, using: &generator) : generator.below(40))
    }
  }
}
