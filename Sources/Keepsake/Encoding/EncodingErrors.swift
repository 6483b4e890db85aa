/// The errors of encoding: standard ones, with the path and the value that they are about.
extension EncodingSession {
  /// The error for what a caller must not do, or asks too much with, at the present place. The container that was given
  /// the value adds it where it is not known here.
  func misuse(_ message: String, code: ArchiveError.Code = .misuse, value: Any? = nil) -> EncodingError {
    EncodingError.invalid(value as Any, ArchiveError(code, message), currentPath)
  }

  func noLargerStack(_ error: ArchiveError) -> any Error { misuse(error.message, code: error.code) }

  /// The error for a value that the container of `frame` did not take, for the reason `error`: its path is that which the
  /// value would have had, whatever else is being encoded.
  @inline(never)
  func refusal(
    _ error: any Error,
    _ value: Any,
    _ frame: FrameID,
    _ nested: NestedContainer?,
    key: (any CodingKey)? = nil
  ) -> any Error {
    // What an earlier value did is about that one.
    guard outcome.lateWriteFailure == nil, let error = error as? EncodingError else { return error }
    // A container that never had a frame was requested here.
    guard frame < EncodingSession.sealedFrame else { return error.about(shown(value)) }
    var path = path(of: frame, nested)
    if let key {
      path.append(key)
    } else if let frame = self.frame(frame, nested), frame.kind == .unkeyed {
      path.append(ArchiveCodingKey(index: frame.count))
    }
    return error.about(shown(value), at: path)
  }

  /// The error that encoding `value` threw, with the value if it has none.
  @inline(never)
  func naming(_ value: Any, _ error: any Error) -> any Error {
    (error as? EncodingError)?.about(shown(value)) ?? error
  }
}
