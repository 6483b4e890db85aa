/// Mutants by their numbers: the one thing that the fuzzer, the tests and the benchmarks draw from.
package struct MutantSource: Sendable {
  /// How bytes are changed.
  package enum Kind: String, CaseIterable, Sendable {
    /// As bytes, and left so: what is met is the checks at the opening.
    case raw
    /// As bytes, and then given right checksums.
    case repaired
    /// By what they mean.
    case structure
  }

  /// A mutant, and the models that it is to be read as.
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
  ///   - seeds: what mutants are made from; there must be one.
  ///   - models: those that a mutant may be read as.
  package init(_ kind: Kind, seed: UInt64, seeds: [SeedArchive], models: [HostileModel] = HostileModel.all) {
    self.kind = kind
    self.seed = seed
    self.seeds = seeds
    self.models = models
    // Of the large ones pieces are not taken, or mutants grow.
    let others = seeds.map(\.bytes).filter { $0.count < 4_000 }
    byBytes = ByteMutator(others: others)
    byStructure = StructureMutator(others: others)
  }

  /// The mutant of that number: the same in every process that has the same seeds.
  ///
  /// It is to be read as the model of the archive that it comes from and as another one, which takes turns. All models
  /// for each mutant would take ten times as long, and mostly find that the first key is missing.
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
