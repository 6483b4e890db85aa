/// A decoder of this library that is no `ValueDecoder`: an unarchiver, which decodes the top level.
protocol ArchiveReading: Decoder {
  var valueDecoder: ValueDecoder { get throws }
}

/// The position of a decoder in its archive. Valid only while the decoder exists, because the decoder retains the
/// session. It has the memory layout of ``ValueDecoder``.
struct ArchivePlace: BitwiseCopyable {
  let session: Unretained<DecodingSession>
  let offset: Int
  let depth: Int
}

extension Decoder {
  /// The position of this decoder; `nil` if it belongs to another coder.
  @inline(__always)
  var placeInArchive: ArchivePlace? {
    // Nearly every decoder is a `ValueDecoder`. Only for others the runtime looks up a conformance.
    bits(of: self, as: ValueDecoder.self, ArchivePlace.self) ?? otherPlace
  }

  /// Throws if this is a decoder of another copy of this library.
  func refuseCopy() throws(ArchiveError) {
    if !(self is ValueDecoder) { try RuntimeTypes.refuseCopy(Self.self) }
  }

  /// This decoder, for a type that only archives have.
  func inArchive() throws -> ValueDecoder {
    if let decoder = self as? ValueDecoder { return decoder }
    throw namesNoType
  }

  /// The error for a placeholder where no type is named.
  var namesNoType: DecodingError {
    let misuse = ArchiveError.misuse("A placeholder can be decoded only where an archive names a type")
    return DecodingError.dataCorrupted(misuse.decodingContext(codingPath))
  }

  @inline(never)
  private var otherPlace: ArchivePlace? {
    guard let decoder = (self as? any ArchiveReading).flatMap({ try? $0.valueDecoder }) else { return nil }
    return ArchivePlace(session: Unretained(decoder.session), offset: decoder.offset, depth: decoder.depth)
  }
}
