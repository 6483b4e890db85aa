extension DecodingSession {
  /// Remembers `error`, which a call that cannot throw met, such as `contains(_:)` and `allKeys`.
  ///
  /// Their answer may be wrong then: a key that is there seems to be missing. So the first failure is remembered, and the
  /// call around them throws it: the outermost decode, or, where nothing is being decoded, the next call that can throw.
  /// Catching errors on the way does not help, since nobody has seen this one.
  @inline(never)
  func remember(_ error: any Error) {
    if checks.failure == nil { checks.failure = error }
  }

  /// Runs `body` for a call that cannot throw, which is about the value at `offset`.
  func rememberingFailure(of offset: Int, _ depth: Int, _ body: () throws -> Void) {
    do { try body() } catch { remember(publicError(error, path(to: offset, depth: depth))) }
  }

  /// Throws what a call that cannot throw met before, unless an outermost decode is running, which will throw it.
  func throwEarlierFailure() throws {
    if !later.isActive, let failure = checks.failure.take() { throw failure }
  }
}
