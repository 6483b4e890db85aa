/// An encoder of this library: that of a value, or an archiver, which is the encoder of the top level.
protocol ArchiveWriting: Encoder {}

extension ValueEncoder: ArchiveWriting {}

extension Encoder {
  /// Whether this encoder writes an archive, and not that of any other coder.
  var writesArchive: Bool { self is ValueEncoder || self is any ArchiveWriting }
}
