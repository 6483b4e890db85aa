import Foundation
import Synchronization

/// Where a command writes its result, piece by piece.
protocol Output: AnyObject {
  func write(_ text: String) throws(CommandFailure)
  func write(_ data: Data) throws(CommandFailure)
}

/// Standard output. What is written is gathered first, and goes out with `flush`.
enum StandardOutput {
  static func write(_ text: String) throws(CommandFailure) {
    try gathered.write(text)
  }

  static func flush() throws(CommandFailure) {
    try gathered.flush()
  }

  static let gathered = GatheringOutput(FileHandle.standardOutput, name: "standard output")
}

/// Gathers text into larger pieces.
final class GatheringOutput: Output, Sendable {
  private let handle: FileHandle
  private let name: String
  private let pending = Mutex(Data())

  init(_ handle: FileHandle, name: String) {
    self.handle = handle
    self.name = name
  }

  func write(_ text: String) throws(CommandFailure) {
    let count = pending.withLock { pending in
      pending.append(contentsOf: text.utf8)
      return pending.count
    }
    if count >= 1 << 16 { try flush() }
  }

  func write(_ data: Data) throws(CommandFailure) {
    pending.withLock { $0.append(data) }
    try flush()
  }

  func flush() throws(CommandFailure) {
    let data = pending.withLock { pending in
      defer { pending = Data() }
      return pending
    }
    guard !data.isEmpty else { return }
    do {
      try handle.write(contentsOf: data)
    } catch {
      let reason = systemReason(error)
      // Nobody reads any more: the end of a pipe, as after `| head`.
      if reason.number == EPIPE { throw CommandFailure(.inputOutput, nil) }
      throw CommandFailure(.inputOutput, "\(name): cannot be written: \(reason.text)")
    }
  }
}

/// Throws when an archive is to go to standard output, and that is a terminal, which could show nothing of it.
func refuseTerminal(_ path: String, for command: String) throws(CommandFailure) {
  guard path != "-" || isatty(STDOUT_FILENO) == 0 else {
    throw .usage("\(command): an archive is not for the terminal; give a file or a pipe")
  }
}

/// Lets `body` write to the file at `path`, or to standard output for `-`.
///
/// A file takes the place of the old one only when it is complete.
func withOutput(_ path: String, _ body: (any Output) throws -> Void) throws {
  if path == "-" { return try body(StandardOutput.gathered) }
  let target = URL(
    fileURLWithPath: path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  )
  .resolvingSymlinksInPath().path
  func failure(_ number: Int32) -> CommandFailure {
    CommandFailure(.inputOutput, "\(path): cannot be written: \(systemReason(number))")
  }
  var status = stat()
  let exists = unsafe stat(target, &status) == 0
  let isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
  let temporary = isSpecial ? target : target + ".keeputil-\(getpid())"
  let mode = exists ? status.st_mode & 0o777 : 0o666
  let flags = isSpecial ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL
  let descriptor = unsafe open(temporary, flags | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw failure(errno) }
  // The mask of the process is for new files only.
  if exists, !isSpecial { fchmod(descriptor, mode) }
  do {
    let output = GatheringOutput(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), name: path)
    try body(output)
    try output.flush()
    if !isSpecial, unsafe rename(temporary, target) != 0 { throw failure(errno) }
  } catch {
    if !isSpecial { unsafe unlink(temporary) }
    throw error
  }
}
