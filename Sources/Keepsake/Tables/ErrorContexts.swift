/// The errors of Swift's coders, made of one of ours. The context has the whole sentence; what is underneath tells
/// programs what it was, and does not say it a second time.
extension ArchiveError {
  func encodingContext(_ path: [any CodingKey]) -> EncodingError.Context {
    .init(codingPath: path, debugDescription: explanation, underlyingError: asReason)
  }

  func decodingContext(_ path: [any CodingKey]) -> DecodingError.Context {
    .init(codingPath: path, debugDescription: explanation, underlyingError: asReason)
  }
}

/// What `body` returns. What is wrong with the archive is thrown as decoders throw it; a misuse is thrown as it is.
@inline(__always)
func decodingErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws -> Result {
  do { return try body() } catch  where error.code != .misuse {
    throw DecodingError.dataCorrupted(error.decodingContext([]))
  }
}

extension EncodingError {
  /// `value` cannot be encoded for the reason that `error` gives.
  static func invalid(_ value: Any, _ error: ArchiveError, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue(value, error.encodingContext(path))
  }

  /// The same error about `value`, if it is one of ours that was made where the value was not at hand.
  ///
  /// An error about limits goes without: releasing a value that is nested too deep recurses, and an error may be released
  /// last, on a small stack.
  ///
  /// - Parameter path: the path of the value, unless the error has it.
  func about(_ value: Any, at path: [any CodingKey]? = nil) -> EncodingError {
    guard case .invalidValue(let known, let context) = self,
      let error = context.underlyingError as? ArchiveError, error.isReason, error.code != .limitExceeded,
      isNoValue(known)
    else { return self }
    return .invalid(value, error, path ?? context.codingPath)
  }
}

private func isNoValue(_ value: Any) -> Bool { (value as? any NilHolding)?.holdsNil == true }
