#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file of a document: open and locked, so that no other document writes to it.
///
/// A save is appended in two steps, each of which is on the disk before the next: all but the trailer, and the trailer. So a
/// crash or a power cut leaves the save before or this one. What an interrupted save left behind is cut off before anything
/// else is written. Readers have mapped what ends with a trailer, which neither changes nor goes away.
final class DocumentFile {
  private let target: SaveTarget
  private var file: OpenFile
  /// Whether the last save failed in a way that may have left something behind the newest trailer.
  private var hasLeftover = false

  /// Opens and locks the file at `path`.
  init(_ path: String) throws(ArchiveError) {
    let target = try SaveTarget(path)
    guard target.existing != nil else {
      throw ArchiveError(.unreadableFile, "cannot open the file: \(SystemError.noFile.reason)", path: path)
    }
    self.target = target
    file = try DocumentFile.openLocked(target)
  }

  /// Takes over a file that was put in place and is locked.
  init(_ target: SaveTarget, _ file: OpenFile) {
    self.target = target
    self.file = file
  }

  deinit {
    try? file.unlock()
  }

  private static func openLocked(_ target: SaveTarget) throws(ArchiveError) -> OpenFile {
    let (folder, name) = (target.folder, target.name)
    // Another process may have replaced the file just before it was locked.
    for _ in 0..<100 {
      let file = try target.attempt(folder.open(name, toWrite: true), "cannot open the file for writing")
      do {
        try file.lock()
      } catch .lockIsTaken {
        throw ArchiveError(
          .fileInUse,
          "the document is open in \(file.lockOwner). Close it there first, or open it with KeyedUnarchiver to read it",
          path: target.path
        )
      } catch let error where error.isUnsupported {
        // A file system without locks.
      } catch {
        throw target.failure("cannot lock the file", error)
      }
      if (try? file.hasName(name, in: folder)) == true { return file }
    }
    throw target.failure("other programs keep replacing the file")
  }

  var path: String { target.path }

  /// The bytes of the file up to the end of its newest save.
  func map() throws(ArchiveError) -> Data { try mapArchive(file, target.path) }

  /// Appends a save, which ends with a trailer, behind the `end` of the newest one; if it throws, the file is as before.
  func append(_ save: ByteBuffer, at end: Int) throws(ArchiveError) {
    try checkIsInPlace()
    do throws(SystemError) {
      let byteCount = try file.status().byteCount
      if hasLeftover || byteCount != end { try file.truncate(to: end) }
      hasLeftover = true
      let trailer = save.count - SaveTrailer.byteCount
      for part in [0..<trailer, trailer..<save.count] {
        try save.withBytes(part) { (bytes) throws(SystemError) in
          try file.writeAll(bytes, at: end + part.lowerBound)
        }
        try file.synchronize()
      }
      hasLeftover = false
    } catch {
      // If that fails, too, it is done before the next save; no reader takes it for one meanwhile.
      if (try? file.truncate(to: end)) != nil, (try? file.synchronize()) != nil { hasLeftover = false }
      throw target.failure("cannot append the save", error)
    }
  }

  /// Puts another file in place of this one, which `write` writes.
  func replace(_ write: (DurableFile) throws(ArchiveError) -> Void) throws(ArchiveError) {
    let replacement = try DurableFile(replacing: target.asOfNow)
    try write(replacement)
    try checkIsInPlace()
    file = try replacement.commitAndKeep()
    hasLeftover = false
  }

  /// Throws if the path leads to another file by now: a program that writes a whole archive to it does not take the lock.
  func checkIsInPlace() throws(ArchiveError) {
    guard (try? file.hasName(target.name, in: target.folder)) != false else {
      throw target.failure("another program has replaced or removed the file since it was opened")
    }
  }

  static func create(
    _ path: String,
    _ write: (DurableFile) throws(ArchiveError) -> Void
  ) throws(ArchiveError) -> DocumentFile {
    let target = try SaveTarget(path)
    guard target.existing == nil else {
      throw target.failure("the file already exists. Open it, or remove it first")
    }
    let file = try DurableFile(replacing: target)
    try write(file)
    return DocumentFile(target, try file.commitAndKeep(replacesOthers: false))
  }
}
