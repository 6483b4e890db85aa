/// The errors of decoding: those of the standard library, with the path and, as the underlying error, the offset.
extension DecodingSession {
  func corrupted(_ error: ArchiveError, _ path: [any CodingKey]) -> DecodingError {
    let corrupted = DecodingError.dataCorrupted(image.located(error).decodingContext(path))
    if error.code == .cycle, let loss = loss(corrupted) { later.caught.willThrow(at: loss.offset) }
    noteLoss(corrupted)
    return corrupted
  }

  /// The error for misuse that concerns the value at `offset`.
  func misuse(_ message: String, at offset: Int) -> DecodingError {
    corrupted(.misuse(message, at: offset), searchedPath(to: offset))
  }

  /// The error for a value at `offset` that is not of the requested type; `path` leads to it.
  func mismatch(_ type: Any.Type, _ offset: Int, _ path: [any CodingKey]) -> DecodingError {
    let found = (try? reader.byte(at: offset)).map { TagKind($0) } ?? .reserved
    if (try? isNil(at: offset)) == true || isMarkedNil(at: offset) {
      return DecodingError.valueNotFound(type, context(path, "Expected \(type) but found nil", offset))
    }
    return mismatch(type, found, offset, path)
  }

  @inline(never)
  func mismatch(_ type: Any.Type, _ found: TagKind, _ offset: Int?, _ path: [any CodingKey]) -> DecodingError
  {
    // Readers that try one type after the other need the same text for each value.
    let key = Int(bitPattern: ObjectIdentifier(type)) &<< 5 | Int(found.rawValue)
    if let known = types.mismatchTexts[key] { return otherType(type, known, offset, path) }
    let text = "Expected \(type) but found \(found.noun)"
    types.mismatchTexts[key] = text
    return otherType(type, text, offset, path)
  }

  /// The error for a number at `offset` that the requested type cannot hold.
  func doesNotFit(_ type: Any.Type, _ offset: Int?, _ path: [any CodingKey]) -> DecodingError {
    corrupted(
      ArchiveError(.typeMismatch, "The number does not fit into \(type)", byteOffset: offset),
      path
    )
  }

  /// The error for a value at `offset` of another type, as `message` says.
  func otherType(
    _ type: Any.Type,
    _ message: String,
    _ offset: Int?,
    _ path: [any CodingKey]
  ) -> DecodingError {
    DecodingError.typeMismatch(type, context(path, message, offset))
  }

  /// The context of an error about the value at `offset`, which is not of the requested type.
  func context(_ path: [any CodingKey], _ message: String, _ offset: Int?) -> DecodingError.Context {
    image.located(ArchiveError(.typeMismatch, message, byteOffset: offset, isReason: true))
      .decodingContext(path)
  }

  /// The error for `fault`; `path` leads to the value.
  // Not inlined into each method of the containers.
  @inline(never)
  func error(_ fault: ReadingFault, _ type: Any.Type, _ path: [any CodingKey]) -> DecodingError {
    switch fault {
    case .mismatch(let offset): mismatch(type, offset, path)
    case .doesNotFit(let offset): doesNotFit(type, offset, path)
    case .damage(let error): corrupted(error, path)
    case .replacedByNil(let offset):
      .valueNotFound(
        type,
        context(path, "Expected \(type) but the delegate replaced the object by nil", offset)
      )
    }
  }

  /// The error for the caller if reading a value as `type` threw `error`; `path` leads to the value.
  // Not inlined, so that nested values take less of the stack.
  @inline(never)
  func publicError(
    _ error: any Error,
    as type: Any.Type = Any.self,
    _ path: @autoclosure () -> [any CodingKey]
  ) -> any Error {
    switch error {
    case let fault as ReadingFault: return self.error(fault, type, path())
    case let damage as ArchiveError: return corrupted(damage, path())
    default:
      noteLoss(error)
      return error
    }
  }

  /// Remembers `error` if an initializer that catches it, to skip what it cannot read, would lose a value that is there.
  private func noteLoss(_ error: any Error) {
    if later.isActive, let loss = loss(error) { later.caught.note(error, at: loss.offset) }
  }

  /// The offset of the value that would be lost if an initializer caught `error`, and why.
  func loss(_ error: any Error) -> (offset: Int, code: ArchiveError.Code)? {
    guard let error = underlyingError(of: error), [.cycle, .damaged, .limitExceeded].contains(error.code)
    else { return nil }
    return (error.byteOffset ?? 0, error.code)
  }

  /// Whether an initializer may do without the value for which `error` was thrown, as the program has refused it.
  func mayBeCaught(_ error: any Error) -> Bool {
    loss(error) == nil && underlyingError(of: error)?.code != .misuse
  }

  private func underlyingError(of error: any Error) -> ArchiveError? {
    guard case DecodingError.dataCorrupted(let context) = error else { return nil }
    return context.underlyingError as? ArchiveError
  }

  /// Runs `body`. What it throws becomes the error for the caller; `path` leads to the value that `body` reads.
  ///
  /// For what is rare: a closure retains its captures.
  func reporting<Result>(
    _ path: @autoclosure () -> [any CodingKey],
    _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch { throw publicError(error, path()) }
  }
}

extension TagKind {
  /// The noun for such a value in messages.
  package var noun: String {
    switch self {
    case .none: "nil"
    case .bool: "a Boolean"
    case .empty: "an empty value"
    case .some: "an optional"
    case .float32, .float64: "a floating-point number"
    case .integer, .smallInteger, .uint64, .int128, .uint128: "an integer"
    case .date: "a date"
    case .uuid: "a UUID"
    case .decimal: "a decimal number"
    case .url: "a URL"
    case .string, .shortString, .stringReference: "a string"
    case .bytes: "bytes"
    case .array, .shortArray: "an array"
    case .packedArray: "an array of numbers"
    case .map, .record, .shortRecord: "a keyed container"
    case .objectReference, .conditionalReference: "an object"
    case .valueReference: "a value of the top level"
    case .typed: "a value with its type"
    case .reserved: "a byte that begins no value"
    }
  }
}

/// Whether `error` reports a value of another type.
func isMismatch(_ error: any Error) -> Bool {
  switch error {
  case is ReadingFault, DecodingError.valueNotFound, DecodingError.typeMismatch: true
  default: false
  }
}

/// Why a value could not be read as the requested type, before the path is known.
enum ReadingFault: Error {
  case mismatch(Int)
  case doesNotFit(Int)
  case damage(ArchiveError)
  /// The observer gave nil for an object.
  case replacedByNil(Int)
}
