/// Mutants by their numbers, for the fuzzer, the tests and the benchmarks.
package struct MutantSource: Sendable {
  /// How bytes are changed.
  package enum Kind: String, CaseIterable, Sendable {
    /// Bytes are changed and left so, which tests the checks on opening.
    case raw
    /// Bytes are changed, and checksums repaired.
    case repaired
    /// The structure is changed.
    case structure
  }

  /// A mutant, and the models to read it as.
  package struct Mutant: Sendable {
    package let bytes: [UInt8]
    package let models: [HostileModel]
  }

  private let kind: Kind
  private let seed: UInt64
  private let seeds: [SeedArchive]
  private let models: [HostileModel]
  private let byBytes: ByteMutator
  private let byStructure: StructureMutator

  /// - Parameters:
  ///   - seeds: The archives to make mutants from; there must be one.
  ///   - models: The models that a mutant may be read as.
  package init(_ kind: Kind, seed: UInt64, seeds: [SeedArchive], models: [HostileModel] = HostileModel.all) {
    self.kind = kind
    self.seed = seed
    self.seeds = seeds
    self.models = models
    // No pieces of large archives, or mutants grow.
    let others = seeds.map(\.bytes).filter { $0.count < 4_000 }
    byBytes = ByteMutator(others: others)
    byStructure = StructureMutator(others: others)
  }

  /// The mutant with that number: the same in every process with the same seeds.
  ///
  /// It is read as the model of the archive that it comes from, and as a random one. Reading each mutant as all
  /// models would take ten times as long, and mostly find that the first key is missing.
  package subscript(number: Int) -> Mutant {
    var generator = HostileGenerator(seed: seed, mutant: number)
    let origin = seeds[generator.below(seeds.count)]
    var bytes = origin.bytes
    switch kind {
    case .raw: byBytes.mutate(&bytes, using: &generator)
    case .repaired:
      byBytes.mutate(&bytes, using: &generator)
      bytes = ChecksumRepair.repaired(bytes)
    case .structure: bytes = byStructure.mutant(of: bytes, using: &generator)
    }
    var chosen = models.filter { $0.name == origin.model?.name }
    if let other = generator.pick(models) { chosen.append(other) }
    return Mutant(bytes: bytes, models: chosen)
  }
}
