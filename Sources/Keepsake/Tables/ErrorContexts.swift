/// Errors of Swift's coders, made from those of the library. The context has the whole message. The underlying error
/// tells programs what happened, without repeating the message.
extension ArchiveError {
  func decodingContext(_ path: [any CodingKey]) -> DecodingError.Context {
    .init(codingPath: path, debugDescription: explanation, underlyingError: asReason)
  }
}

/// Returns the result of `step`. Throws faults of the archive as decoders do, and misuse as it is.
@inline(__always)
func decodingErrors<Result>(_ step: @autoclosure () throws(ArchiveError) -> Result) throws -> Result {
  do { return try step() } catch {
    // Not a `where` of the clause: Swift 6.2 compiles that wrongly for typed errors.
    guard error.code != .misuse else { throw error }
    throw DecodingError.dataCorrupted(error.decodingContext([]))
  }
}

extension EncodingError {
  /// An error that says why `value` cannot be encoded, for the reason in `error`.
  @inline(never)
  static func invalid(_ value: Any, _ error: ArchiveError, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue(
      value,
      .init(codingPath: path, debugDescription: error.explanation, underlyingError: error.asReason)
    )
  }

  /// The same error about `value`, if the library made it without the value. `path` is `nil` if the error has it.
  /// Errors about limits do not get the value: releasing a value that is nested too deep recurses.
  func about(_ value: Any, at path: [any CodingKey]? = nil) -> EncodingError {
    guard case .invalidValue(let known, let context) = self,
      let error = context.underlyingError as? ArchiveError, error.isReason, error.code != .limitExceeded,
      (known as? any NilHolding)?.holdsNil == true
    else { return self }
    return .invalid(value, error, path ?? context.codingPath)
  }

  /// The same error, if the library made it, for a part that was encoded by itself. The part is somewhere below `path`.
  func below(_ path: [any CodingKey]) -> EncodingError {
    guard case .invalidValue(let value, let context) = self,
      let error = context.underlyingError as? ArchiveError, error.isReason
    else { return self }
    return .invalid(value, error, path + [ArchiveCodingKey.ellipsis] + context.codingPath)
  }
}

/// A value of the library that stands for one of the program.
protocol ValueStandIn {
  var original: Any { get }
}

/// `value` as the program knows it.
func shown(_ value: Any) -> Any { (value as? any ValueStandIn)?.original ?? value }
