import Foundation

/// Which regular file something is, by whatever path, symbolic or hard link it was reached.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t
  /// How many bytes the file has.
  let byteCount: Int

  /// `nil` for what is no regular file.
  init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = status.st_dev
    number = status.st_ino
    byteCount = Int(status.st_size)
  }

  static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.number == right.number
  }

  /// The regular file at `path`; `nil` where there is none.
  init?(ofFileAt path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

extension Input {
  /// Throws when the result of a command would take the place of what it is made from.
  ///
  /// - Parameter advice: how another file is given.
  func refuseAsOutput(_ path: String, for command: String, _ advice: String) throws(CommandFailure) {
    guard path != "-", let file, file == FileIdentity(ofFileAt: path) else { return }
    throw .usage("\(command): \(path) is the file that is read, and would be lost; \(advice)")
  }
}
