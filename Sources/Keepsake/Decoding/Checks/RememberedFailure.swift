extension DecodingSession {
  /// Remembers `error`, which occurred in a call that cannot throw, such as `contains(_:)` and `allKeys`.
  ///
  /// The answer of that call may be wrong: an existing key seems to be missing. So the session remembers the first
  /// failure, and a call around it throws the failure: the outermost decode, or outside of a decode the next call that
  /// can throw. Catching errors in between does not help, since nobody has seen this one.
  @inline(never)
  func remember(_ error: any Error) {
    if checks.failure == nil { checks.failure = error }
  }

  /// Runs `body` for a call that cannot throw, about the value at `offset`.
  func rememberingFailure(of offset: Int, _ depth: Int, _ body: () throws -> Void) {
    do { try body() } catch { remember(publicError(error, path(to: offset, depth: depth))) }
  }

  /// Throws the failure of an earlier call that could not throw, unless a running outermost decode will throw it.
  func throwEarlierFailure() throws {
    if !later.isActive, let failure = checks.failure.take() { throw failure }
  }
}
