/// The errors for what is beyond ``ArchiveLimits``: a decoder and the translation of NSKeyedArchiver archives find the same.
extension ArchiveLimits {
  @inline(never)
  func tooManyElements(_ count: Int, _ offset: Int?) -> ArchiveError {
    ArchiveError.limitExceeded(
      "A collection has \(count) elements, more than the \(maximumElementCount) that "
        + "ArchiveLimits.maximumElementCount allows",
      at: offset
    )
  }

  @inline(never)
  func tooManyObjects(_ offset: Int?) -> ArchiveError {
    ArchiveError.limitExceeded(
      "There are more objects than the \(maximumObjectCount) that ArchiveLimits.maximumObjectCount allows",
      at: offset
    )
  }

  @inline(never)
  func tooLong(_ byteCount: Int, _ offset: Int?) -> ArchiveError {
    ArchiveError.limitExceeded(
      "A string has \(byteCount) bytes, more than the \(maximumStringByteCount) that "
        + "ArchiveLimits.maximumStringByteCount allows",
      at: offset
    )
  }
}
