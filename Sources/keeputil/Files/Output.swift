import Foundation
import Keepsake
import Synchronization

/// The destination of a command's output, which is written in pieces.
protocol Output: AnyObject {
  func write(_ text: String) throws(CommandFailure)
  func write(_ data: Data) throws(CommandFailure)
}

/// Standard output. Output is buffered until `flush`.
let standardOutput = GatheringOutput(FileHandle.standardOutput, name: "standard output")

/// Opens each standard stream that the parent process has closed, in a mode in which using it fails. Otherwise the next
/// opened file would become that stream, and notes for standard error would be written into the file.
func replaceClosedStreams() {
  for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
    _ = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}

protocol Destination {
  func append(_ data: Data) throws
}

extension FileHandle: Destination {
  func append(_ data: Data) throws { try write(contentsOf: data) }
}

extension DurableFile: Destination {
  func append(_ data: Data) throws { try append(data.bytes) }
}

final class GatheringOutput<Target: Destination>: Output {
  private let target: Target
  private let name: String
  private let pending = Mutex(Data())

  init(_ target: Target, name: String) {
    self.target = target
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
    try flush()
    try put(data)
  }

  func flush() throws(CommandFailure) {
    let data = pending.withLock { pending in
      defer { pending = Data() }
      return pending
    }
    try put(data)
  }

  /// Calls `body`. If it fails, what it wrote before is still output.
  func keeping(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as CommandFailure where failure.status != .inputOutput {
      try flush()
      throw failure
    }
  }

  private func put(_ data: Data) throws(CommandFailure) {
    guard !data.isEmpty else { return }
    do {
      try target.append(data)
    } catch let error as ArchiveError {
      throw CommandFailure(error, in: name)
    } catch {
      let reason = systemReason(error)
      // The reader has closed the pipe, as after `| head`.
      if reason.number == EPIPE { throw CommandFailure(.inputOutput, nil) }
      throw CommandFailure(.inputOutput, "\(name): cannot be written: \(reason.text)")
    }
  }
}

extension GatheringOutput: Sendable where Target: Sendable {}

private let standardOutputNames = ["-", "/dev/stdout", "/dev/fd/1"]

/// Throws if a command would write an archive to standard output and that is a terminal.
func refuseTerminal(_ path: String, for command: String) throws(CommandFailure) {
  guard !standardOutputNames.contains(path) || isatty(STDOUT_FILENO) == 0 else {
    throw .usage("\(command): an archive is not for the terminal; give a file or a pipe")
  }
}

/// Calls `body` with an output to the file at `path`, or to standard output for `-` and its own names.
///
/// A regular file replaces the existing one durably, and only when it is complete, as in every save of the library.
/// Anything else, such as a pipe or a device, is written directly.
func withOutput(_ path: String, _ body: (any Output) throws -> Void) throws {
  // A regular file that is standard output may have other output in it, which replacing the file would lose.
  if standardOutputNames.contains(path) { return try body(standardOutput) }
  if let handle = try openSpecialFile(path) {
    let output = GatheringOutput(handle, name: path)
    try body(output)
    return try output.flush()
  }
  do {
    let interruption = Interruption()
    let file = try DurableFile(replacing: path)
    interruption.clearUp(file.removal)
    let output = GatheringOutput(file, name: path)
    try body(output)
    try output.flush()
    try file.commit()
  } catch let error as ArchiveError {
    throw CommandFailure(error, in: path)
  }
}

/// Opens an existing pipe or device, which has no content to replace. Returns `nil` for anything else.
private func openSpecialFile(_ path: String) throws(CommandFailure) -> FileHandle? {
  var status = stat()
  guard unsafe stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
    return nil
  }
  let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    throw CommandFailure(.inputOutput, "\(path): cannot be written: \(systemReason(errno))")
  }
  return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
}
