import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// The mutators work as described; otherwise, a million mutants would prove nothing.
@Suite struct Mutators {
  @Test("an archive that is parsed into pieces and not edited is written unchanged")
  func rewrite() throws {
    for seed in try SeedArchives.make() where !seed.name.hasSuffix(" short") {
      let pieces = try #require(ArchivePieces(seed.bytes), "\(seed.name)")
      #expect(pieces.bytes == seed.bytes, "\(seed.name)")
      let rest = (pieces.bodies + [pieces.topLevel] + pieces.tables.flatMap(\.self)).flatMap(\.self)
        .filter { $0.role == .rest }
      #expect(rest == [], "\(seed.name) was not understood")
    }
  }

  @Test("seeds are valid, and have every kind of piece")
  func seeds() throws {
    var roles: Set<ArchivePiece.Role> = [.rest]
    for seed in try SeedArchives.make() {
      let image = try ArchiveImage(data: Data(seed.bytes), verification: .everything)
      try image.verifyStructure()
      let models = seed.model.map { [$0] } ?? []
      #expect(HostileReading.read(seed.bytes, as: models).faults == [])
      guard let pieces = ArchivePieces(seed.bytes) else { continue }
      for body in pieces.bodies + [pieces.topLevel] + pieces.tables.flatMap(\.self) {
        for piece in body { roles.insert(piece.role) }
      }
    }
    let missing = ArchivePiece.Role.allCases.filter { !roles.contains($0) }
    #expect(missing == [])
  }

  @Test("a longer piece moves everything behind it, and nothing else changes")
  func longer() throws {
    let names = ["Zoë", String(repeating: "long ", count: 100)]
    let archive = try SeedArchives.longForm(Array(ArchiveEncoder().encode(["name": names[0], "other": "x"])))
    var pieces = try #require(ArchivePieces(archive))
    for body in pieces.bodies.indices {
      for index in pieces.bodies[body].indices where pieces.bodies[body][index].bytes == Array(names[0].utf8)
      {
        pieces.bodies[body][index - 1].bytes = [0x18] + Bytes.varint(names[1].utf8.count)
        pieces.bodies[body][index].bytes = Array(names[1].utf8)
      }
    }
    let edited = Data(pieces.bytes)
    try ArchiveImage(data: edited, verification: .everything).verifyStructure()
    #expect(
      try ArchiveDecoder().decode([String: String].self, from: edited) == ["name": names[1], "other": "x"]
    )
  }

  @Test("an archive with a changed value opens after its checksums are repaired")
  func repaired() throws {
    let archive = Array(try ArchiveEncoder().encode(["name": "Emma", "other": "x"]))
    let place = try #require(archive.firstRange(of: Array("Emma".utf8)))
    var damaged = archive
    damaged[place.lowerBound] = UInt8(ascii: "I")
    #expect(throws: DecodingError.self) {
      try ArchiveDecoder().decode([String: String].self, from: Data(damaged))
    }
    let repaired = Data(ChecksumRepair.repaired(damaged))
    #expect(try ArchiveDecoder().decode([String: String].self, from: repaired)["name"] == "Imma")
    #expect(ChecksumRepair.repaired(archive) == archive)
  }

  @Test("repairing finds the directory even if the trailer is lost")
  func ends() throws {
    for formatting in [ArchiveFormatting.sortedKeys, [.sortedKeys, .withoutChecksums]] {
      let value = ["name": "Emma", "other": "x"]
      let archive = Array(
        try KeyedArchiver.archivedData(withRootObject: value, outputFormatting: formatting.union(.longForm))
      )
      var damaged = archive
      for index in (archive.count - 32)..<archive.count { damaged[index] = 0xFF }
      #expect(ChecksumRepair.repaired(damaged) == archive)
    }
    for count in 0..<100 {
      let repaired = ChecksumRepair.repaired([UInt8](repeating: 0x81, count: count))
      #expect(repaired.count >= 48)
    }
  }

  @Test("most mutants differ from their original, and none becomes very long")
  func changes() throws {
    var seeded = SeededGenerator("mutators")
    var generator = HostileGenerator(seed: seeded.next())
    let archives = try SeedArchives.make().map(\.bytes).filter { $0.count < 2_000 }
    let byBytes = ByteMutator(others: archives)
    let byStructure = StructureMutator(others: archives)
    var unchanged = 0
    var longest = 0
    for round in 0..<2_000 {
      let original = archives[round % archives.count]
      var raw = original
      byBytes.mutate(&raw, using: &generator)
      let structured = byStructure.mutant(of: original, using: &generator)
      if raw == original { unchanged += 1 }
      if structured == original { unchanged += 1 }
      longest = max(longest, raw.count, structured.count)
    }
    #expect(unchanged < 1_200)
    // The longest nesting has 3,000 levels of a few bytes, and there are up to four edits.
    #expect(longest < 60_000)
  }
}
