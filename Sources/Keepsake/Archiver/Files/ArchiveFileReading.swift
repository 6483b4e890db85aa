#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The bytes of a file, mapped into memory: none is read before it is accessed. A save replaces the file as a whole
/// (see ``DurableFile``), so it does not disturb those who have mapped it.
///
/// Does not use `Data(contentsOf:)`: a URL takes "~" for the home folder and resolves ".." by spelling, and would open
/// another file than a save to the same path writes.
package func mapArchiveFile(_ path: String) throws(ArchiveError) -> Data {
  try checkIsFile(path)
  let file = try opening(path, OpenFile.open(path))
  return try mapArchive(file, path)
}

/// Throws unless a regular file is at the path. Call it before opening, because opening a device may have effects.
func checkIsFile(_ path: String) throws(ArchiveError) {
  if let problem = pathProblem(path) { throw unreadable(problem, path) }
  try checkKind(opening(path, fileStatus(path)), path)
}

/// The bytes up to the end of the newest save, mapped into memory. The next save cuts off what follows.
func mapArchive(_ file: OpenFile, _ path: String) throws(ArchiveError) -> Data {
  let status = try opening(path, file.status())
  try checkKind(status, path)
  guard status.byteCount > 0 else { return Data() }
  let end: Int
  do { end = try file.savedEnd(status.byteCount) ?? status.byteCount } catch {
    throw unreadable("cannot read the file: \(error.reason)", path)
  }
  do {
    // Unsafe: the Data owns the mapping, which nobody else knows, and unmaps it with its last copy.
    return unsafe Data(bytesNoCopy: try file.map(end), count: end, deallocator: .unmap)
  } catch {
    throw unreadable("cannot map the file into memory: \(error.reason)", path)
  }
}

/// The bytes of a file that was read, up to the end of the newest save, as ``mapArchiveFile(_:)`` maps them.
package func withoutLeftover(_ data: Data) -> Data {
  let reader = ByteReader(data)
  guard let flags = try? Header.flags(reader), !flags.contains(.short) else { return data }
  return data.prefix((try? SaveSearch.end(reader, flags)) ?? data.count)
}

private func opening<Result>(
  _ path: String,
  _ step: @autoclosure () throws(SystemError) -> Result
) throws(ArchiveError) -> Result {
  do { return try step() } catch {
    let permissions = "; check the permissions of the file and of the folders above it"
    let advice = error.isRefusal ? permissions : error.isOfTooManyFiles ? error.advice : ""
    throw unreadable("cannot open the file: \(error.reason)\(advice)", path)
  }
}

private func checkKind(_ status: FileStatus, _ path: String) throws(ArchiveError) {
  guard let kind = status.specialKind else { return }
  throw unreadable("cannot be read as an archive: it is \(kind), not a regular file", path)
}

/// The reason why no file can have the path, if there is one.
func pathProblem(_ path: String) -> String? {
  if path.isEmpty { return "the path is empty" }
  return path.utf8.contains(0) ? "the path contains a NUL character" : nil
}

private func unreadable(_ message: String, _ path: String) -> ArchiveError {
  ArchiveError(.unreadableFile, message, path: path)
}
