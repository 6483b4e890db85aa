import Foundation
import Keepsake

/// A file that was given as an argument, or standard input for `-`.
struct Input {
  enum Kind {
    case archive, json, propertyList
  }

  /// The name for messages.
  let name: String
  let data: Data

  init(name: String, data: Data) {
    self.name = name
    self.data = data
  }

  init(_ path: String) throws(CommandFailure) {
    name = path == "-" ? "standard input" : path
    do {
      data = path == "-" ? try FileHandle.standardInput.readToEnd() ?? Data() : try Input.read(path)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.noInput, "\(name): cannot be read: \(systemReason(error).text)")
    }
  }

  /// A regular file is mapped, anything else (a pipe) read to its end.
  private static func read(_ path: String) throws -> Data {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure(.noInput, "\(path): cannot be read: \(systemReason(errno))")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return try handle.readToEnd() ?? Data()
    }
    guard status.st_size > 0 else { return Data() }
    // A relative path is made absolute here: Foundation takes "~" at its beginning for the home folder.
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return try Data(contentsOf: URL(fileURLWithPath: absolute), options: .alwaysMapped)
  }

  /// What the bytes look like by how they begin.
  var kind: Kind {
    let signature: [UInt8] = [0x89, 0x4B, 0x45, 0x45, 0x50]
    if data.starts(with: signature) { return .archive }
    if data.starts(with: "bplist".utf8) { return .propertyList }
    // The byte order marks of UTF-16, in which only a property list can be.
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) { return .propertyList }
    let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "<") ? .propertyList : .json
  }

  /// Whether this is an archive of NSKeyedArchiver.
  var isOldArchive: Bool {
    get throws(CommandFailure) { try translatedArchive() != nil }
  }

  /// The archive that is made of one of NSKeyedArchiver; `nil` when this is none.
  func translatedArchive() throws(CommandFailure) -> (data: Data, losses: [(what: String, count: Int)])? {
    guard kind == .propertyList else { return nil }
    do {
      return try translateOldArchive(data)
    } catch {
      // A property list of another kind.
      if error.code == .notAnArchive { return nil }
      throw CommandFailure(error, in: name)
    }
  }

  /// Opens the archive; what is read of it later is compared with its checksums then.
  func openArchiveToRead() throws(CommandFailure) -> ArchiveImage {
    do {
      return try ArchiveImage(data: data, verification: .onlyWhatIsRead)
    } catch {
      throw failure(error)
    }
  }

  /// Why the archive could not be opened, or what is wrong in it.
  func failure(_ error: ArchiveError) -> CommandFailure {
    if data.isEmpty { return CommandFailure(.badData, "\(name): the file is empty") }
    // Too short to be one, but it begins as one does.
    if kind == .archive, error.code == .notAnArchive {
      return CommandFailure(
        .badData,
        "\(name): the archive was cut off after \(data.count) bytes"
      )
    }
    return CommandFailure(error, in: name)
  }
}

/// Tells on standard error what of an archive of NSKeyedArchiver could not be carried over.
func tellLosses(_ losses: [(what: String, count: Int)]) {
  for (what, count) in losses {
    Tool.complain(
      "note: not carried over: \(escaped(what))\(count > 1 ? " (\(grouped(count)) times)" : "")"
    )
  }
}
