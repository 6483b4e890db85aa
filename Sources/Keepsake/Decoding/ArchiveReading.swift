/// A decoder of this library: that of a value, or an unarchiver, which is the decoder of the top level.
protocol ArchiveReading: Decoder {
  var valueDecoder: ValueDecoder { get throws }
}

extension ValueDecoder: ArchiveReading {
  var valueDecoder: ValueDecoder { self }
}

/// Where a decoder is in its archive, to be used as long as there is the decoder, which keeps the session. It is laid out
/// as ``ValueDecoder`` is.
struct ArchivePlace: BitwiseCopyable {
  let session: Unretained<DecodingSession>
  let offset: Int
  let depth: Int
}

extension Decoder {
  /// Where this decoder is, if it reads an archive; `nil` for that of any other coder.
  @inline(__always)
  var placeInArchive: ArchivePlace? {
    // Nearly always it is the first; the second is asked of the runtime.
    bits(of: self, as: ValueDecoder.self, ArchivePlace.self) ?? otherPlace
  }

  @inline(never)
  private var otherPlace: ArchivePlace? {
    guard let decoder = (self as? any ArchiveReading).flatMap({ try? $0.valueDecoder }) else { return nil }
    return ArchivePlace(session: Unretained(decoder.session), offset: decoder.offset, depth: decoder.depth)
  }
}
