#if canImport(Foundation)
  public import Foundation
  internal import Synchronization

  extension KeyedArchiver {
    /// Saves `rootObject` and all that it reaches, in its current state, while the program continues.
    ///
    /// ```swift
    /// try await KeyedArchiver.save(rootObject: library, to: libraryURL)
    /// ```
    ///
    /// The method makes the archive on the calling actor before it first suspends, so later changes are not in it.
    /// Then the actor is free, and another thread writes the archive, as durably as ``write(to:)`` does. Saves of one
    /// file take effect in the order of the calls; a synchronous save, such as ``write(to:)``, waits for earlier ones.
    ///
    /// The whole archive is in memory until it is written.
    ///
    /// - Parameters:
    ///   - rootObject: the value to save.
    ///   - url: the file.
    ///   - outputFormatting: how the archive is written.
    ///   - userInfo: the user info of the encoders that the values get.
    ///   - progress: counts the bytes that are written; it is complete when the file is in place. Cancelling it, or the
    ///     task, ends the save unless the file is already in place.
    /// - Throws: `CancellationError` if the save was canceled; the old file then stays. Otherwise as
    ///   ``archive(rootObject:to:outputFormatting:userInfo:)``.
    nonisolated(nonsending) public static func save<Root: Encodable>(
      rootObject: Root,
      to url: URL,
      outputFormatting: ArchiveFormatting = [],
      userInfo: [CodingUserInfoKey: Any] = [:],
      progress: Progress? = nil
    ) async throws {
      try await save(
        rootObject: rootObject,
        toFile: url.filePath(.unwritableFile),
        outputFormatting: outputFormatting,
        userInfo: userInfo,
        progress: progress
      )
    }

    /// Saves `rootObject` to the file at `path` while the program continues, as
    /// ``save(rootObject:to:outputFormatting:userInfo:progress:)`` does.
    nonisolated(nonsending) public static func save<Root: Encodable>(
      rootObject: Root,
      toFile path: String,
      outputFormatting: ArchiveFormatting = [],
      userInfo: [CodingUserInfoKey: Any] = [:],
      progress: Progress? = nil
    ) async throws {
      let save = BackgroundSave(progress)
      try save.checkCancellation()
      try Task.checkCancellation()
      let target = try SaveTarget(path)
      let data = try archivedData(
        withRootObject: rootObject,
        outputFormatting: outputFormatting,
        userInfo: userInfo
      )
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          SaveOrder.shared.enqueue(target) {
            continuation.resume(with: Result { try save.write(data, to: target) })
          }
        }
      } onCancel: {
        save.cancel()
      }
    }
  }

  /// A save on another thread than that of its caller.
  // Safe: `Progress` may be used from all threads, as its documentation says; the rest never changes.
  private final class BackgroundSave: @unchecked Sendable {
    private let progress: Progress?
    private let isCancelled = Atomic(false)

    /// The number of bytes that are written between two checks for cancellation.
    private static let pieceByteCount = 1 << 20

    init(_ progress: Progress?) {
      self.progress = progress
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func checkCancellation() throws {
      if isCancelled.load(ordering: .relaxed) || progress?.isCancelled == true { throw CancellationError() }
    }

    func write(_ data: Data, to target: SaveTarget) throws {
      try checkCancellation()
      progress?.totalUnitCount = Int64(data.count)
      let file = try DurableFile(replacing: target.asOfNow)
      var count = 0
      while count < data.count {
        let end = min(data.count, count + BackgroundSave.pieceByteCount)
        try file.append(data.bytes.extracting(count..<end))
        count = end
        // The last byte counts only when the file is in place.
        progress?.completedUnitCount = Int64(count - 1)
        try checkCancellation()
      }
      try file.commit()
      progress?.completedUnitCount = Int64(data.count)
    }
  }
#endif
