internal import HostileArchives

#if LIBFUZZER
  // The functions that libFuzzer calls. It passes memory by address; the bytes are copied at once.

  /// Reads one input in every way.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func libFuzzerTest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let outcome = HostileReading.readEverything(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    // libFuzzer only keeps inputs that end the process.
    guard outcome.faults.isEmpty else { fatalError(outcome.faults.joined(separator: "; ")) }
    return 0
  }

  @_silgen_name("LLVMFuzzerMutate")
  private func libFuzzerMutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int

  /// Makes a mutant of an input in the same memory, by structure, by bytes, or with libFuzzer's mutator.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func libFuzzerMutator(
    _ start: UnsafeMutablePointer<UInt8>,
    _ count: Int,
    _ capacity: Int,
    _ seed: CUnsignedInt
  ) -> Int {
    var generator = HostileGenerator(seed: UInt64(seed))
    let original = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let mutant: [UInt8]
    switch generator.below(8) {
    case 0...3:
      mutant = LibFuzzerMutators.byStructure.mutant(of: original, using: &generator)
    case 4, 5:
      var bytes = original
      LibFuzzerMutators.byBytes.mutate(&bytes, using: &generator)
      mutant = ChecksumRepair.repaired(bytes)
    default:
      let changed = unsafe libFuzzerMutate(start, count, capacity)
      // A few stay unrepaired, for the code that compares checksums.
      if generator.oneIn(16) { return changed }
      mutant = unsafe ChecksumRepair.repaired(Array(UnsafeBufferPointer(start: start, count: changed)))
    }
    // A mutant that is too long is truncated, as libFuzzer does with its own.
    let length = min(mutant.count, capacity)
    _ = unsafe UnsafeMutableBufferPointer(start: start, count: length).update(
      fromContentsOf: mutant.prefix(length)
    )
    return length
  }

  private enum LibFuzzerMutators {
    private static let others = ((try? SeedArchives.make()) ?? []).map(\.bytes).filter { $0.count < 4_000 }
    static let byBytes = ByteMutator(others: others)
    static let byStructure = StructureMutator(others: others)
  }
#endif
