/// The errors of Swift's coders, made of one of ours. The context has the whole sentence; what is underneath tells
/// programs what it was, and does not say it a second time.
extension ArchiveError {
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
    .invalidValue(
      value,
      .init(codingPath: path, debugDescription: error.explanation, underlyingError: error.asReason)
    )
  }

  /// The same error about `value`, if it is one of ours that was made where the value was not at hand; about `path`, unless
  /// the error has it. One about limits goes without the value: to release one that is nested too deep recurses.
  func about(_ value: Any, at path: [any CodingKey]? = nil) -> EncodingError {
    guard case .invalidValue(let known, let context) = self,
      let error = context.underlyingError as? ArchiveError, error.isReason, error.code != .limitExceeded,
      (known as? any NilHolding)?.holdsNil == true
    else { return self }
    return .invalid(value, error, path ?? context.codingPath)
  }

  /// The same error, if it is one of ours, about what was encoded by itself, for a value somewhere in that of `path`.
  func below(_ path: [any CodingKey]) -> EncodingError {
    guard case .invalidValue(let value, let context) = self,
      let error = context.underlyingError as? ArchiveError, error.isReason
    else { return self }
    return .invalid(value, error, path + [ArchiveCodingKey.ellipsis] + context.codingPath)
  }
}

/// A value of the library's own that stands for one of the program.
protocol ValueStandIn {
  var original: Any { get }
}

/// What a program knows of `value`.
func shown(_ value: Any) -> Any { (value as? any ValueStandIn)?.original ?? value }
