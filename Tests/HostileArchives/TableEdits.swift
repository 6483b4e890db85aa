/// Edits of tables, bodies, offsets and the directory.
enum TableEdits {
  /// Exchanges, doubles, replaces, adds or removes entries of a table, or gives a class another name or keys read last.
  static func edit(
    _ archive: inout ArchivePieces,
    _ others: [ArchivePieces],
    using generator: inout HostileGenerator
  ) {
    guard let table = generator.pick(ArchivePieces.Table.allCases) else { return }
    if table == .classes, generator.oneIn(2) {
      if generator.oneIn(2) { return readLast(&archive, using: &generator) }
      return rename(&archive, others, using: &generator)
    }
    rearrange(&archive[table], others.map { $0[table] }, using: &generator)
  }

  /// The same with whole bodies.
  static func editBodies(
    _ archive: inout ArchivePieces,
    _ others: [ArchivePieces],
    using generator: inout HostileGenerator
  ) {
    if generator.oneIn(4), let body = generator.pick(archive.bodies) {
      archive.topLevel = body
    } else {
      rearrange(&archive.bodies, others.map(\.bodies), using: &generator)
    }
  }

  private static func rearrange(
    _ entries: inout [[ArchivePiece]],
    _ others: [[[ArchivePiece]]],
    using generator: inout HostileGenerator
  ) {
    let place = generator.below(entries.count)
    switch generator.below(5) {
    case 0 where entries.count > 1: entries.swapAt(place, generator.below(entries.count))
    case 1 where !entries.isEmpty: entries.insert(entries[place], at: generator.below(entries.count))
    case 2 where !entries.isEmpty: entries.remove(at: place)
    case 3 where !entries.isEmpty: entries[place] = entries[generator.below(entries.count)]
    default:
      guard let entry = generator.pick(generator.pick(others) ?? []) else { return }
      if generator.oneIn(2) || entries.isEmpty { entries.append(entry) } else { entries[place] = entry }
    }
  }

  /// Names of classes and values of the models, of the runtime, and of nothing.
  private static let names = HostileNames.all

  private static func rename(
    _ archive: inout ArchivePieces,
    _ others: [ArchivePieces],
    using generator: inout HostileGenerator
  ) {
    let classes = archive[.classes].indices.filter { archive[.classes][$0].count >= 5 }
    guard let index = generator.pick(classes), let name = generator.pick(names) else { return }
    archive[.classes][index][0].bytes = Bytes.varint(name.utf8.count)
    archive[.classes][index][1].bytes = Array(name.utf8)
    if generator.oneIn(2), archive[.classes][index].count == 5 {
      archive[.classes][index][4].bytes = [UInt8(generator.below(4))]
    }
  }

  /// Gives a class up to three keys that are read last: any keys of the archive.
  private static func readLast(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    let classes = archive[.classes].indices.filter { archive[.classes][$0].count >= 5 }
    guard let index = generator.pick(classes) else { return }
    var keys: [[ArchivePiece]] = []
    for _ in 0..<(1 + generator.below(3)) {
      if let key = generator.pick(archive[.keys]), key.count == 2 { keys.append(key) }
    }
    var entry = Array(archive[.classes][index].prefix(5))
    entry[4].bytes = [entry[4].bytes[0] & 1 | 4]
    entry.append(ArchivePiece(.count, Bytes.varint(keys.count)))
    archive[.classes][index] = entry + keys.flatMap(\.self)
  }

  /// The offsets of bodies, their lengths, and the width of the lengths.
  static func editOffsets(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    guard !archive.bodies.isEmpty else { return }
    let groups = (archive.bodies.count + 63) / 64
    let telling = generator.pick(TellingNumbers.all) ?? 0
    let near = UInt64(generator.below(400))
    let change: ArchivePieces.Override
    switch generator.below(4) {
    case 0:
      let word = (generator.oneIn(2) ? telling : near) << 2 | UInt64(generator.below(4))
      change = .init(place: 12 * generator.below(groups), bytes: Bytes.word(word))
    case 1:
      let number = generator.oneIn(2) ? telling : near
      change = .init(place: 12 * generator.below(groups) + 8, bytes: Bytes.number(number, byteCount: 4))
    default:
      let place = 12 * groups + generator.below(archive.bodies.count)
      change = .init(place: place, bytes: [UInt8(truncatingIfNeeded: generator.oneIn(4) ? telling : near)])
    }
    archive.offsetOverrides.append(change)
  }

  /// A number of the directory, or an offset of the trailer.
  static func editDirectory(_ archive: inout ArchivePieces, using generator: inout HostileGenerator) {
    let shift = generator.pick([-16, -8, -2, -1, 1, 2, 8, 16, 1 << 31, 1 << 62, .max, .min]) ?? 0
    switch generator.below(12) {
    case 0: archive.trailerShifts.directory = shift
    case 1: archive.trailerShifts.checksums = shift
    default:
      let telling = Int(truncatingIfNeeded: generator.pick(TellingNumbers.all) ?? 0) & .max
      let number = generator.oneIn(2) ? telling : generator.below(200)
      archive.directoryOverrides.append(.init(place: generator.below(14), bytes: Bytes.varint(number)))
    }
  }
}
