#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The bytes of a file, mapped into memory: none is read before it is looked at. A save replaces the file as a whole (see
/// ``DurableFile``), and so does not disturb who has it mapped.
///
/// Not through `Data(contentsOf:)`: a URL takes "~" for the home folder and resolves ".." by spelling, and would open
/// another file than a save to the same path writes.
package func mapArchiveFile(_ path: String) throws(ArchiveError) -> Data {
  if let problem = pathProblem(path) { throw unreadable(problem, path) }
  // Asked before it is opened, because opening a device may already do something.
  try checkKind(opening(path) { () throws(SystemError) in try fileStatus(path) }, path)
  // Without O_NONBLOCK, a pipe that came there since would be waited for.
  let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
  let file = try opening(path) { () throws(SystemError) in try OpenFile.open(path, flags) }
  return try mapArchive(file, path)
}

/// The bytes up to the end of the newest save, mapped into memory. What stands behind, the next save takes away.
func mapArchive(_ file: OpenFile, _ path: String) throws(ArchiveError) -> Data {
  let status = try opening(path) { () throws(SystemError) in try file.status() }
  try checkKind(status, path)
  guard let count = Int(exactly: status.st_size), count > 0 else { return Data() }
  let end: Int
  do { end = try file.savedEnd(count) ?? count } catch {
    throw unreadable("cannot read the file: \(error.reason)", path)
  }
  do {
    return try mapBytes(of: file, count: end)
  } catch {
    throw unreadable("cannot map the file into memory: \(error.reason)", path)
  }
}

private func opening<Result>(
  _ path: String,
  _ step: () throws(SystemError) -> Result
) throws(ArchiveError) -> Result {
  do {
    return try step()
  } catch {
    let advice =
      switch error.number {
      case EACCES, EPERM: "; check the permissions of the file and of the folders above it"
      case EMFILE, ENFILE: error.advice
      default: ""
      }
    throw unreadable("cannot open the file: \(error.reason)\(advice)", path)
  }
}

private func mapBytes(of file: OpenFile, count: Int) throws(SystemError) -> Data {
  // Private and writable: a Data is changed in place, and must not crash, nor change the file.
  let protection = PROT_READ | PROT_WRITE
  // Unsafe: a new mapping, wherever the system wants it. It outlives the descriptor.
  let address = unsafe mmap(nil, count, protection, MAP_PRIVATE | MAP_NORESERVE, file.number, 0)
  // Unsafe: only compared.
  guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError(number: errno) }
  // Unsafe: the Data owns the mapping, which nobody else knows, and unmaps it with its last copy.
  return unsafe Data(bytesNoCopy: address, count: count, deallocator: .unmap)
}

private func checkKind(_ status: stat, _ path: String) throws(ArchiveError) {
  guard let kind = status.specialKind else { return }
  throw unreadable("cannot be read as an archive: it is \(kind), not a regular file", path)
}

/// Why no file can have the path.
func pathProblem(_ path: String) -> String? {
  if path.isEmpty { return "the path is empty" }
  return path.utf8.contains(0) ? "the path contains a NUL character" : nil
}

private func unreadable(_ message: String, _ path: String) -> ArchiveError {
  ArchiveError(.unreadableFile, message, path: path)
}
