#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file of a document: open and locked, so that no other document writes to it.
///
/// The document appends a save in two steps: all but the trailer, then the trailer, each synchronized before the next.
/// So a crash or a power cut leaves the previous save or this one. The next write first cuts off the rest of an
/// interrupted save. Readers map only what ends with a trailer, which neither changes nor goes away.
final class DocumentFile {
  private let target: SaveTarget
  private var file: OpenFile
  /// Whether a power cut may bring back the file that this one has replaced.
  private var mayComeBack = false

  /// Opens and locks the file at `path`.
  init(_ path: String) throws(ArchiveError) {
    try checkIsFile(path)
    target = try SaveTarget.afterEarlierSaves(path)
    file = try DocumentFile.openLocked(target)
  }

  /// Creates the file at `path`, which `write` writes.
  init(creating path: String, _ write: (DurableFile) throws(ArchiveError) -> Void) throws(ArchiveError) {
    target = try SaveTarget.afterEarlierSaves(path)
    guard target.existing == nil else {
      throw target.failure("the file already exists. Open it, or remove it first")
    }
    let new = try DurableFile(replacing: target)
    try write(new)
    file = try new.putInPlace(replacesOthers: false)
    try target.synchronizeFolder()
  }

  deinit {
    try? file.unlock()
  }

  private static func openLocked(_ target: SaveTarget) throws(ArchiveError) -> OpenFile {
    let (folder, name) = (target.folder, target.name)
    // Another process may replace the file just before this one locks it.
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

  /// The bytes of the file up to the end of its newest save.
  func map() throws(ArchiveError) -> Data { try mapArchive(file, target.path) }

  /// Appends a save, which ends with a trailer, at the `end` of the newest one, and opens the file. If this throws, the
  /// file is as before.
  func append<Opened>(_ save: ByteBuffer, at end: Int, _ open: (Data) throws -> Opened) throws -> Opened {
    try checkIsInPlace()
    // Zeros would fill the gap, and no reader could read the file.
    if let status = try? file.status(), status.byteCount < end {
      throw target.failure("another program has shortened the file since it was opened")
    }
    do {
      try target.attempt(write(save, at: end), "cannot append the save")
      return try open(map())
    } catch {
      // If that fails, too, the next save does it. Until then, no reader takes the bytes of an incomplete one for a save.
      if (try? file.truncate(to: end)) != nil { try? file.synchronize() }
      throw error
    }
  }

  private func write(_ save: ByteBuffer, at end: Int) throws(SystemError) {
    if try file.status().byteCount != end { try file.truncate(to: end) }
    let trailer = save.count - SaveTrailer.byteCount
    for part in [0..<trailer, trailer..<save.count] {
      try save.withBytes(part) { (bytes) throws(SystemError) in
        try file.writeAll(bytes, at: end + part.lowerBound)
      }
      try file.synchronize()
    }
  }

  /// Replaces this file by another, which consists of `parts`. If this throws, the file is as before. Call
  /// ``synchronizeFolder()`` when the caller is ready to continue with the new file.
  ///
  /// - Parameter open: opens the new file before it replaces this one, as it could not be taken back afterwards.
  func replace<Opened>(with parts: ByteBuffer..., open: (Data) throws -> Opened) throws -> Opened {
    let replacement = try DurableFile(replacing: target.asOfNow)
    for part in parts { try replacement.append(part) }
    let opened = try open(replacement.map())
    try checkIsInPlace()
    file = try replacement.putInPlace()
    mayComeBack = true
    return opened
  }

  /// Makes the last replacement survive a power cut. If this throws, the next save tries again.
  func synchronizeFolder() throws(ArchiveError) {
    guard mayComeBack else { return }
    try target.synchronizeFolder()
    mayComeBack = false
  }

  /// Throws if the path leads to another file now: a program that writes a whole archive there does not take the lock.
  func checkIsInPlace() throws(ArchiveError) {
    guard (try? file.hasName(target.name, in: target.folder)) != false else {
      throw target.failure("another program has replaced or removed the file since it was opened")
    }
  }
}
