/// Where the finished part of an archive goes while the rest is being made.
protocol ArchiveSink: AnyObject {
  /// Takes the bytes behind those that it was given before.
  func append(_ bytes: RawSpan) throws(ArchiveError)

  /// Bytes that it was given, for the rare case that the path of a value in them is needed; `nil` when they
  /// cannot be had any more.
  func bytes(_ range: Range<Int>) -> ByteBuffer?
}
