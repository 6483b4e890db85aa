/// The errors of encoding: standard ones, with the path and the value that they are about.
extension EncodingSession {
  /// The error for misuse, or for exceeding a limit, at the current path. If `value` is not known here, the container
  /// that was given it adds it.
  @inline(never)
  func misuse(_ message: String, code: ArchiveError.Code = .misuse, value: Any? = nil) -> EncodingError {
    EncodingError.invalid(value as Any, ArchiveError(code, message), currentPath)
  }

  func noLargerStack(_ error: ArchiveError) -> any Error { misuse(error.message, code: error.code) }

  /// The error that encoding `value` threw, with `value` added if it names none.
  @inline(never)
  func naming(_ value: Any, _ error: any Error) -> any Error {
    (error as? EncodingError)?.about(shown(value)) ?? error
  }
}

extension ValueEncoder {
  /// The error for a value that a container of this encoder refused because of `error`. Its path is that which the value
  /// would have had, whatever else is being encoded.
  @inline(never)
  func refusal(_ error: any Error, _ value: Any, key: (any CodingKey)? = nil) -> any Error {
    // An error that an earlier value caused names that value.
    guard session.outcome.lateWriteFailure == nil, let error = error as? EncodingError else { return error }
    // A container that never had a frame was requested at the current path.
    guard frame < EncodingSession.sealedFrame else { return error.about(shown(value)) }
    var path = codingPath
    if let key {
      path.append(key)
    } else if let frame = openFrame, frame.kind == .unkeyed {
      path.append(ArchiveCodingKey(index: frame.count))
    }
    return error.about(shown(value), at: path)
  }
}
