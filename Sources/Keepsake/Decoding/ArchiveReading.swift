/// A decoder of this library: that of a value, or an unarchiver, which is the decoder of the top level.
protocol ArchiveReading: Decoder {
  var valueDecoder: ValueDecoder { get throws }
}

extension ValueDecoder: ArchiveReading {
  var valueDecoder: ValueDecoder { self }
}

extension Decoder {
  /// This decoder, if it reads an archive; `nil` for that of any other coder.
  var archiveDecoder: ValueDecoder? {
    // Nearly always it is the first; the second is asked of the runtime.
    exactly(self, as: ValueDecoder.self) ?? (self as? any ArchiveReading).flatMap { try? $0.valueDecoder }
  }
}
