import Foundation
import Keepsake

/// Reads the bytes of an input into memory.
///
/// A regular file is mapped. Anything else, such as a pipe or a device, may have no end. So it is read up to a limit,
/// and if the command cannot use it, only its beginning is read.
enum InputReading {
  /// The most bytes that are read from anything but a regular file, as ``ExitStatus/meaning`` says.
  static let mostByteCount = 1 << 30
  /// The number of bytes from which to decide whether to continue.
  static let beginningByteCount = 1 << 12

  /// The bytes of the file at `path`, or of standard input for `-`, up to the end of the newest save; how many there are
  /// in all; and the identity of the file.
  static func read(
    _ path: String,
    name: String,
    mayBeJSON: Bool
  ) throws(CommandFailure) -> (data: Data, byteCount: Int, file: FileIdentity?) {
    var status = stat()
    guard unsafe (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 else {
      throw unreadable(name, systemReason(errno))
    }
    let file = FileIdentity(status)
    do {
      if file != nil, path != "-" { return (try mapArchiveFile(path), Int(status.st_size), file) }
      let data =
        file == nil
        ? try readStream(handle(path), name: name, mayBeJSON: mayBeJSON)
        : try FileHandle.standardInput.readToEnd() ?? Data()
      return (withoutLeftover(data), data.count, file)
    } catch  where error is CommandFailure || error is ArchiveError {
      throw CommandFailure(any: error, in: name)
    } catch {
      throw unreadable(name, systemReason(error).text)
    }
  }

  static func readStream(
    _ handle: FileHandle,
    name: String,
    mayBeJSON: Bool,
    atMost mostByteCount: Int = mostByteCount
  ) throws -> Data {
    var data = try handle.read(upToCount: beginningByteCount) ?? Data()
    guard data.count == beginningByteCount, mayBeOfUse(data, mayBeJSON: mayBeJSON) else { return data }
    data.append(try handle.read(upToCount: mostByteCount + 1 - data.count) ?? Data())
    guard data.count <= mostByteCount else {
      let most = grouped(mostByteCount)
      throw unreadable(name, "it gives more than \(most) bytes, and only a regular file may have more")
    }
    return data
  }

  /// Whether bytes that begin like this may be an archive, a property list or, if the command accepts it, JSON.
  private static func mayBeOfUse(_ beginning: Data, mayBeJSON: Bool) -> Bool {
    guard Input.kind(of: beginning) == .json, let first = Input.firstCharacter(of: beginning) else {
      return true
    }
    // JSON has no control characters except white space, not even in texts.
    return mayBeJSON && "{[\"-0123456789tfn".utf8.contains(first)
      && beginning.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
  }

  private static func handle(_ path: String) throws(CommandFailure) -> FileHandle {
    if path == "-" { return .standardInput }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, systemReason(errno)) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static func unreadable(_ name: String, _ reason: String) -> CommandFailure {
    CommandFailure(.noInput, "\(name): cannot be read: \(reason)")
  }
}
