#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The replacement of one file, written piece by piece and put in place in one step.
///
/// At every moment, even after a crash or a power cut, the path names the old file or the new one, whole. When
/// ``commit()`` has returned, it is the new one, which survives a power cut: it was written to a temporary file in the
/// same folder, synchronized, and renamed over the old file, and then the folder was synchronized.
///
/// Use it from one thread at a time, except for ``removal``. Of two replacements of one path, the later commit wins.
package final class DurableFile: ArchiveSink {
  private let target: SaveTarget
  /// The new file, until it is in place or discarded.
  private var temporary: TemporaryFile?
  private(set) var count = 0

  /// Begins to replace the file at a path. It need not exist, but the folder must. Symbolic links are followed.
  package convenience init(replacing path: String) throws(ArchiveError) {
    try self.init(replacing: .afterEarlierSaves(path))
  }

  init(replacing target: SaveTarget) throws(ArchiveError) {
    self.target = target
    TemporaryFile.removeLeftovers(of: target)
    temporary = try target.attempt(TemporaryFile(for: target), "cannot create a file in the folder")
  }

  deinit {
    cancel()
  }

  /// Appends all of the bytes. If that fails, the replacement is canceled.
  package func append(_ bytes: RawSpan) throws(ArchiveError) {
    let file = try openTemporary().file
    do {
      try file.writeAll(bytes) { count += $0 }
    } catch {
      cancel()
      throw target.failure("cannot write the new file beyond byte \(count)", error)
    }
  }

  func append(_ buffer: ByteBuffer) throws(ArchiveError) {
    try buffer.withBytes(0..<buffer.count, append)
  }

  /// The bytes that were written to `range`; `nil` if the file is in place or canceled, or cannot be read.
  func bytes(_ range: Range<Int>) -> ByteBuffer? {
    try? openTemporary().file.buffer(range)
  }

  /// The bytes that were written so far, mapped into memory. They stay there when the file gets its name.
  func map() throws(ArchiveError) -> Data { try mapArchive(openTemporary().file, target.path) }

  /// Puts the new file in place. If it fails, the old one stays and the new one goes, unless the error says otherwise.
  package func commit() throws(ArchiveError) {
    _ = try putInPlace()
    try target.synchronizeFolder()
  }

  /// Puts the new file in place, and returns it, open and locked. It survives a power cut once its folder is
  /// synchronized (``SaveTarget/synchronizeFolder()``).
  ///
  /// - Parameter replacesOthers: whether the new file may replace one that was created in the meantime.
  func putInPlace(replacesOthers: Bool = true) throws(ArchiveError) -> OpenFile {
    let temporary = try openTemporary()
    let (file, folder) = (temporary.file, target.folder)
    do throws(ArchiveError) {
      if let old = target.existing {
        // In this order, nobody has access in between who has none in the end. An attribute may change the permissions.
        let hasItsGroup = file.takeOwner(of: old)
        file.takeAttributes(of: target.name, in: folder, hasItsGroup: hasItsGroup)
        try target.attempt(
          file.takePermissions(of: old, hasItsGroup: hasItsGroup),
          "cannot copy the permissions of the old file"
        )
      }
      try target.attempt(file.synchronize(), "cannot write the new file to the disk")
      guard try target.attempt(file.hasName(temporary.name, in: folder), "cannot look at the new file") else {
        throw target.failure("another program removed or replaced the new file while it was written")
      }
      if let status = try? folder.status(of: target.name), let kind = status.specialKind {
        throw target.failure("cannot be replaced: it is \(kind) by now, not a regular file")
      }
      // Still open and locked, so no concurrent save takes it for a leftover before it has its name.
      try target.attempt(
        folder.rename(temporary.name, to: target.name, replacesOthers: replacesOthers),
        "cannot put the new file in place"
      )
    } catch {
      cancel()
      throw error
    }
    self.temporary = nil
    // A later save of the same target may already have replaced the file, which then has no name.
    if (try? file.hasName(target.name, in: folder)) == false, let status = try? file.status(),
      status.hasName
    {
      throw target.failure("another program replaced the new file before it was renamed")
    }
    return file
  }

  /// Cancels the replacement: the old file stays, and the new one is removed. Does nothing after a commit or a cancel.
  func cancel() {
    temporary.take()?.remove(from: target.folder)
  }

  /// Removes the temporary file, from any thread, for a process about to end. Does nothing once the file is in place.
  package var removal: @Sendable () -> Void {
    { [temporary, folder = target.folder] in temporary?.remove(from: folder) }
  }

  private func openTemporary() throws(ArchiveError) -> TemporaryFile {
    if let temporary { return temporary }
    throw .misuse("the new file is already in place or discarded", path: target.path)
  }
}
