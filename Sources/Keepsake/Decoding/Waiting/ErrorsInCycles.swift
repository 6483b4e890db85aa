/// The errors that initializers may have caught, although values would be lost.
struct CaughtErrors {
  /// Those that were thrown, by the offsets of the lost values.
  private var thrown: [Int: any Error] = [:]
  /// Those that were caught before they were thrown again, so that values are lost whatever becomes of the last error.
  private var caught: [Int: any Error] = [:]

  /// The one that is first in the archive.
  // Inlined, since a call would get a copy of all of this.
  @inline(__always)
  var first: (any Error)? {
    if thrown.isEmpty, caught.isEmpty { return nil }
    return thrown.merging(caught) { $1 }.min { $0.key < $1.key }?.value
  }

  /// Notes that an error for the value at `offset` is about to be thrown. If one was thrown before, an initializer has
  /// caught it.
  mutating func willThrow(at offset: Int) {
    if let earlier = thrown[offset] { caught[offset] = earlier }
  }

  /// Notes that `error` loses the value at `offset`, unless the outermost decode throws it.
  mutating func note(_ error: any Error, at offset: Int) { thrown[offset] = error }

  /// Forgets the error for the value at `offset`, as its property waits for it.
  mutating func forget(at offset: Int) { thrown[offset] = nil }

  mutating func forgetAll() {
    if !thrown.isEmpty || !caught.isEmpty { self = Self() }
  }
}

/// The errors of values that could not be read last. In the next attempt, initializers get them where they request the
/// values, and may catch them.
struct FailedValues {
  /// The errors, by the offsets of the values.
  private var errors: [Int: any Error] = [:]
  /// About as many bytes as the errors take.
  private(set) var byteCount = 0
  /// How many errors there were when the last attempt for them began, and how many such attempts there were.
  private var given = (errorCount: 0, attemptCount: 0)
  /// If each initializer throws the error it gets, the next attempt gives it to the one that requested its object.
  private static let mostAttempts = 4

  subscript(offset: Int) -> (any Error)? { errors[offset] }

  /// Adds `error`, which takes about `byteCount` bytes.
  mutating func add(_ error: any Error, at offset: Int, _ byteCount: Int) {
    errors[offset] = error
    self.byteCount &+= byteCount
  }

  /// Whether another attempt is to give initializers the errors that were added since the last one.
  mutating func give() -> Bool {
    guard errors.count > given.errorCount, given.attemptCount < Self.mostAttempts else { return false }
    given = (errors.count, given.attemptCount + 1)
    return true
  }

  /// Forgets the errors, which may hold values of the program.
  mutating func forgetAll() {
    if !errors.isEmpty { self = Self() }
  }
}
