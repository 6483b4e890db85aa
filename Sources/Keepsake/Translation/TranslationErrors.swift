internal import FoundationArchives

extension ArchiveLimits {
  /// The limits as the reader of NSKeyedArchiver's files has them.
  var forReading: ReadingBudget.Limits {
    ReadingBudget.Limits(
      memory: maximumAllocation,
      objectCount: maximumObjectCount,
      elementCount: maximumElementCount,
      // A short one may always be read.
      stringByteCount: max(maximumStringByteCount, Tag.longestShortString),
      depth: min(maximumDepth, maximumValueDepth)
    )
  }
}

extension ArchiveError {
  /// The error of the library for one of the reader of NSKeyedArchiver's files, which was given `limits`.
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
    case .limitExceeded(let limit, let offset):
      self = ArchiveError.exceeding(limit, limits, offset)
    }
  }

  private static func exceeding(
    _ limit: ReadingError.Limit,
    _ limits: ArchiveLimits,
    _ offset: Int
  ) -> ArchiveError {
    switch limit {
    case .elementCount(let count): limits.tooManyElements(count, offset)
    case .objectCount: limits.tooManyObjects(offset)
    case .stringByteCount(let byteCount): limits.tooLong(byteCount, offset)
    case .depth:
      ArchiveError.limitExceeded(
        "Collections are nested more than \(limits.forReading.depth) deep in one object",
        at: offset
      )
    case .memory(let byteCount):
      ArchiveError.limitExceeded(
        "Opening the NSKeyedArchiver archive would take more than \(byteCount) bytes of memory, out of proportion to "
          + "its size; ArchiveLimits.maximumAllocation can allow more",
        at: offset
      )
    case .work:
      ArchiveError.limitExceeded(
        "The objects share so much that opening the archive would take time out of proportion to its size",
        at: offset
      )
    }
  }
}
