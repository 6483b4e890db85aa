/// A decoder of this library: a `ValueDecoder`, or an unarchiver, which decodes the top level.
protocol ArchiveReading: Decoder {
  var valueDecoder: ValueDecoder { get throws }
}

extension ValueDecoder: ArchiveReading {
  var valueDecoder: ValueDecoder { self }
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

  @inline(never)
  private var otherPlace: ArchivePlace? {
    guard let decoder = (self as? any ArchiveReading).flatMap({ try? $0.valueDecoder }) else { return nil }
    return ArchivePlace(session: Unretained(decoder.session), offset: decoder.offset, depth: decoder.depth)
  }
}
