/// When a session accepts values: not while it encodes one, although it then calls code of the program that knows the
/// archiver (an `encode(to:)`, a delegate, an initializer in a rehearsal). What that code added or completed would come
/// between the parts of the value.
extension EncodingSession {
  /// Runs `ask`, which calls the program while the written bytes are incomplete. No container can be used then.
  ///
  /// If the program is called in a frame of its own, as in `encode(to:)`, the frames determine what may be used.
  func whileClosed<Answer, Failure>(_ ask: () throws(Failure) -> Answer) throws(Failure) -> Answer {
    let wasClosed = outcome.isClosed
    outcome.isClosed = true
    defer { outcome.isClosed = wasClosed }
    return try ask()
  }

  /// Throws while a value is being encoded, and when the archive is finished.
  func checkIdle() throws {
    if outcome.isClosed { throw unusableNow }
    if !context.isTopLevel || isWithinValue { throw archiverUsedMeanwhile }
  }

  /// Whether a value is being encoded in the active context. The objects that it reaches wait until it is complete,
  /// since all of it may have to be taken back.
  var isWithinValue: Bool {
    !(context.lower.isEmpty || context.top.isNested && context.lower.dropFirst().allSatisfy(\.isNested))
  }

  // MARK: Errors

  /// Why a closed session cannot be used.
  var unusableNow: any Error {
    if let failure = outcome.lateWriteFailure ?? outcome.failure { return failure }
    return outcome.isFinished
      ? misuse("The archive is finished. Encode before finishEncoding()") : archiverUsedMeanwhile
  }

  private var archiverUsedMeanwhile: EncodingError {
    misuse(
      "Code that the archiver called to encode a value used the archiver. Encode other values, and finish the archive, "
        + "after encode(_:forKey:) returns"
    )
  }

  var usedMeanwhile: EncodingError {
    misuse("A container was used while one of its values was encoded. Use it after that")
  }
}
