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
  /// The identity of the file, if it is a regular one.
  let file: FileIdentity?
  /// The number of bytes that were given, including those after the newest save.
  private let givenByteCount: Int
  /// The number of the save at which the data ends, if the user asked for one.
  private let save: Int?

  init(name: String, data: Data) {
    self.name = name
    self.data = data
    (file, save, givenByteCount) = (nil, nil, data.count)
  }

  /// - Parameters:
  ///   - path: the file, or with `@3` behind it, the file as of its third save, unless there is a file of that name.
  ///   - save: the number of the save, if an option gives it.
  ///   - mayBeJSON: whether the command accepts JSON besides archives and property lists.
  init(_ path: String, at save: Int? = nil, mayBeJSON: Bool = false) throws(CommandFailure) {
    var (file, number) = (path, save)
    if save == nil, let (name, wanted) = Input.split(path) { (file, number) = (name, wanted) }
    name = path == "-" ? "standard input" : path
    let read = try InputReading.read(file, name: name, mayBeJSON: mayBeJSON)
    (self.file, self.save, givenByteCount) = (read.file, number, read.byteCount)
    data = if let number { try Input.data(read.data, asOf: number, name) } else { read.data }
    // After a version comes a text of 11 bytes. The order of its words is that of the bytes of numbers.
    if ["\u{B}streamtyped", "\u{B}typedstream"].contains(where: { data.dropFirst().starts(with: $0.utf8) }) {
      throw .badData("\(name): this is an archive of NSArchiver, which only NSUnarchiver reads")
    }
  }

  /// The number of bytes after the newest save of the file, which an interrupted save has left.
  var leftoverByteCount: Int { save == nil ? max(0, givenByteCount - data.count) : 0 }

  /// The name of a file and the number of a save, from `FILE@3`.
  private static func split(_ path: String) -> (name: String, save: Int)? {
    guard let sign = path.lastIndex(of: "@"), sign > path.startIndex,
      let number = Int(path[path.index(after: sign)...]), !FileManager.default.fileExists(atPath: path)
    else { return nil }
    return (String(path[..<sign]), number)
  }

  private static func data(_ data: Data, asOf number: Int, _ name: String) throws(CommandFailure) -> Data {
    do {
      let image = try ArchiveImage(data: data, verification: .onDemand)
      let end = try image.asOf(number).extent.storedByteCount
      // The image of an archive of NSKeyedArchiver is its translation, which has one save.
      return image.source == nil ? data.prefix(end) : data
    } catch  where error.code == .misuse {
      throw CommandFailure(.usage, "\(name): \(error.message)")
    } catch {
      throw Input(name: name, data: data).failure(error)
    }
  }

  var kind: Kind { Input.kind(of: data) }

  /// The kind of the bytes according to their beginning. JSON if they are of no other kind.
  static func kind(of data: Data) -> Kind {
    // Ignore the last bytes of the signature, which a transfer as text changes.
    if data.starts(with: Header.signature.prefix(5)) { return .archive }
    if data.starts(with: "bplist".utf8) { return .propertyList }
    // The byte order marks of UTF-16, which only a property list can have.
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) { return .propertyList }
    return firstCharacter(of: data) == UInt8(ascii: "<") ? .propertyList : .json
  }

  /// The first byte of a UTF-8 text that is not white space.
  static func firstCharacter(of data: Data) -> UInt8? {
    let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// The translation of an archive of NSKeyedArchiver, or `nil` if the file is something else.
  func translatedArchive() throws(CommandFailure) -> TranslatedArchive? {
    guard kind == .propertyList else { return nil }
    do {
      return try translateFoundationArchive(data)
    } catch {
      // The property list is of another kind.
      if error.code == .notAnArchive { return nil }
      throw CommandFailure(error, in: name)
    }
  }

  func openArchive() throws(CommandFailure) -> ArchiveImage {
    try reading { try ArchiveImage(data: data, verification: .onDemand) }
  }

  /// Calls `body`, which uses the content of the file, and adds the name of the file to its errors.
  func reading<Result>(_ body: () throws -> Result) throws(CommandFailure) -> Result {
    do {
      return try body()
    } catch let error as ArchiveError {
      throw failure(error)
    } catch let failure as CommandFailure where [.badData, .usage].contains(failure.status) {
      throw failure.about(name)
    } catch {
      throw CommandFailure(any: error, in: name)
    }
  }

  /// Throws if the output of a command would replace its input.
  func refuseAsOutput(_ path: String, for command: String, _ advice: String) throws(CommandFailure) {
    guard path != "-", let file, file == FileIdentity(ofFileAt: path) else { return }
    throw .usage("\(command): \(path) is the input, which would be lost; \(advice)")
  }

  /// Throws if the user asked for an earlier save, which a command cannot replace.
  func refuseEarlierSave(for command: String) throws(CommandFailure) {
    guard let save else { return }
    throw .usage("\(command): save \(save) of a file stays as it is; give the file without '@\(save)'")
  }

  func progress(_ work: String, _ showing: Progress.Showing = .whenUseful) -> Progress {
    Progress("\(work) \(abridged(displayed(name), 48))", showing)
  }

  /// The failure for an error while opening or reading the archive, with its location if that is known.
  func failure(_ error: ArchiveError, _ location: String? = nil) -> CommandFailure {
    var failure = CommandFailure(error, in: name)
    if data.isEmpty {
      failure = .badData("\(name): the file is empty")
    } else if kind == .archive, error.code == .notAnArchive {
      // The data begins as an archive, but is too short for one, or was transferred as text.
      let isShort = data.count < Header.byteCount
      let problem = isShort ? "is truncated after \(data.count) bytes" : "was changed by a transfer as text"
      failure = .badData("\(name): the archive \(problem)")
    }
    guard let location else { return failure }
    return CommandFailure(failure.status, failure.message.map { "\($0), \(location)" })
  }
}

/// Reports on standard error what the translation of an archive of NSKeyedArchiver has lost or changed.
func tellLosses(_ losses: [(what: String, count: Int)]) {
  for (what, count) in losses {
    Tool.note("\(escaped(what))\(count > 1 ? " (\(grouped(count)) times)" : "")")
  }
}

/// The identity of a regular file, whatever path, symbolic or hard link leads to it.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// `nil` for anything but a regular file.
  init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = status.st_dev
    number = status.st_ino
  }

  init?(ofFileAt path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
