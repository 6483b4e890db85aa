internal import FoundationArchives

extension ArchiveLimits {
  var forReading: ReadingBudget.Limits {
    var limits = ReadingBudget.Limits()
    limits.memory = maximumAllocation
    (limits.objectCount, limits.elementCount) = (maximumObjectCount, maximumElementCount)
    // Short strings can always be read.
    limits.stringByteCount = max(maximumStringByteCount, Tag.longestShortString)
    limits.depth = min(maximumDepth, maximumValueDepth)
    return limits
  }
}

extension ArchiveError {
  /// The library's error for one of the reader of NSKeyedArchiver archives, which had the limits `limits`.
  init(_ error: ReadingError, _ limits: ArchiveLimits) {
    switch error {
    case .fault(let fault, let message, let offset):
      let code: Code =
        switch fault {
        case .notAnArchive: .notAnArchive
        case .unsupportedVersion: .unsupportedVersion
        case .damaged: .damaged
        }
      self.init(code, message, byteOffset: offset)
    case .limitExceeded(.elementCount(let count), let offset):
      self = limits.tooManyElements(count, offset)
    case .limitExceeded(.objectCount, let offset):
      self = limits.tooManyObjects(offset)
    case .limitExceeded(.stringByteCount(let byteCount), let offset):
      self = limits.tooLong(byteCount, offset)
    case .limitExceeded(.depth, let offset):
      let depth = limits.forReading.depth
      self = .limitExceeded("Collections are nested more than \(depth) deep in one object", at: offset)
    case .limitExceeded(.memory(let byteCount), let offset):
      self = .limitExceeded(
        "Opening the NSKeyedArchiver archive would take more than \(byteCount) bytes of memory, out of proportion to "
          + "its size; ArchiveLimits.maximumAllocation can allow more",
        at: offset
      )
    case .limitExceeded(.work, let offset):
      self = .limitExceeded(
        "The objects share so much that opening the archive would take time out of proportion to its size",
        at: offset
      )
    }
  }
}
