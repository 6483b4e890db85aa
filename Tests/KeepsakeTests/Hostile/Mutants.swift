import Foundation
import HostileArchives
import TestSupport
import Testing

/// Random changes to archives, with each kind of mutator. The fuzzer does the same with a million.
@Suite struct Mutants {
  /// The results of reading many mutants.
  private struct Tally {
    var opened = 0
    var accepted = 0
    var faults: [String] = []
  }

  private static let count = sized(3_000, inDebug: 800)

  private func read(_ kind: MutantSource.Kind) throws -> Tally {
    var generator = SeededGenerator("\(kind) mutants")
    let source = MutantSource(kind, seed: generator.next(), seeds: try SeedArchives.make())
    var tally = Tally()
    for number in 0..<Self.count {
      let mutant = source[number]
      let outcome = HostileReading.read(mutant.bytes, as: mutant.models)
      if outcome.wasOpened { tally.opened += 1 }
      tally.accepted += outcome.accepted
      tally.faults += outcome.faults.map { "mutant \(number): \($0)" }
    }
    return tally
  }

  @Test("archives with changed bytes cause no fault")
  func raw() throws {
    #expect(try read(.raw).faults == [])
  }

  @Test("archives with changed bytes and repaired checksums cause no fault")
  func repaired() throws {
    let tally = try read(.repaired)
    #expect(tally.faults == [])
    // Otherwise, only opening would have been tested.
    #expect(tally.opened > Self.count / 6 && tally.accepted > Self.count / 6)
  }

  @Test("archives with a changed structure cause no fault")
  func structure() throws {
    let tally = try read(.structure)
    #expect(tally.faults == [])
    // Faulty tables and directories are refused on opening, faulty bodies later.
    #expect(tally.opened > sized(1_800, inDebug: 400) && tally.accepted > Self.count / 6)
  }

  @Test("a seed and a number identify a mutant")
  func repeatable() throws {
    let seeds = try SeedArchives.make()
    for kind in MutantSource.Kind.allCases {
      let first = MutantSource(kind, seed: 5, seeds: seeds)
      let again = MutantSource(kind, seed: 5, seeds: seeds)
      let other = MutantSource(kind, seed: 6, seeds: seeds)
      _ = again[8]
      #expect(first[7].bytes == again[7].bytes)
      #expect((0..<20).contains { first[$0].bytes != other[$0].bytes })
    }
  }
}
