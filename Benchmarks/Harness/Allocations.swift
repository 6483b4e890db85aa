import AllocationCounting

/// Counts what an operation allocates.
enum Allocations {
  /// Whether they are counted here: on Linux with glibc, where the executable can stand before the C library.
  static var areCounted: Bool { keepsake_counts_allocations() }

  /// The number of allocations made so far; what two of these differ by was made between them.
  static var soFar: Int { Int(truncatingIfNeeded: keepsake_allocation_count()) }

  /// How many allocations one operation makes; nil where they are not counted.
  ///
  /// The first call of anything also makes what lives on, such as metadata of generic types, so the second is counted.
  static func made(by operation: () throws -> Any) throws -> Int? {
    guard areCounted else { return nil }
    _ = try operation()
    let before = soFar
    let result = try operation()
    return withExtendedLifetime(result) { soFar - before }
  }
}
