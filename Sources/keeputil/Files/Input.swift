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
  /// Which regular file this is, if it is one.
  let file: FileIdentity?

  init(name: String, data: Data) {
    self.name = name
    self.data = data
    file = nil
  }

  /// - Parameter mayBeJSON: whether JSON is of use, too, and not only an archive or a property list.
  init(_ path: String, mayBeJSON: Bool = false) throws(CommandFailure) {
    name = path == "-" ? "standard input" : path
    (data, file) = try InputReading.read(path, name: name, mayBeJSON: mayBeJSON)
  }

  var kind: Kind { Input.kind(of: data) }

  /// What the bytes look like by how they begin: JSON if like nothing else.
  static func kind(of data: Data) -> Kind {
    // Without its last bytes, which a transfer as text changes.
    if data.starts(with: Header.signature.prefix(5)) { return .archive }
    if data.starts(with: "bplist".utf8) { return .propertyList }
    // The byte order marks of UTF-16, in which only a property list can be.
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) { return .propertyList }
    return firstCharacter(of: data) == UInt8(ascii: "<") ? .propertyList : .json
  }

  /// The first byte of a text in UTF-8 that is no space.
  static func firstCharacter(of data: Data) -> UInt8? {
    let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
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
      return try ArchiveImage(data: data, verification: .onDemand)
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
        "\(name): the archive is truncated after \(data.count) bytes"
      )
    }
    return CommandFailure(error, in: name)
  }
}

/// Tells on standard error what of an archive of NSKeyedArchiver could not be carried over, or became something else.
func tellLosses(_ losses: [(what: String, count: Int)]) {
  for (what, count) in losses {
    Tool.complain(
      "note: \(escaped(what))\(count > 1 ? " (\(grouped(count)) times)" : "")"
    )
  }
}
