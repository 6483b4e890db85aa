import AllocationCounting

/// Counts the allocations of an operation.
enum Allocations {
  /// Whether allocations are counted: on Linux with glibc, where the executable can intercept calls to the C library.
  static var areCounted: Bool { keepsake_counts_allocations() }

  /// The number of allocations so far. The difference between two readings is the number between them.
  static var soFar: Int { Int(truncatingIfNeeded: keepsake_allocation_count()) }

  /// The number of allocations of one operation. nil if allocations are not counted.
  ///
  /// The first call also allocates what stays, such as metadata of generic types, so the second call is counted.
  static func made(by operation: () throws -> Any) throws -> Int? {
    guard areCounted else { return nil }
    _ = try operation()
    let before = soFar
    let result = try operation()
    return withExtendedLifetime(result) { soFar - before }
  }
}
