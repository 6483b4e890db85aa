/// A new file in progress. It has a name of its own beside the target, and a lock shows that it is in use.
///
/// A process that is killed leaves its temporary file behind, and the next save of the same target removes it. The name
/// has a checksum of itself, so no other program's file has such a name. A process holds the lock from before the first
/// byte until after the rename. So a temporary file whose lock is free belongs to nobody, except between creation and
/// locking: a process whose file is removed in that moment makes another.
struct TemporaryFile {
  let name: String
  let file: OpenFile
}

extension TemporaryFile {
  /// Creates the temporary file of a target. If it replaces a file, nobody else may read it until it has that file's
  /// permissions; otherwise it gets what the user's mask and the folder prescribe.
  init(for target: SaveTarget) throws(SystemError) {
    for _ in 0..<100 {
      let name = TemporaryName.random(for: target.name)
      do throws(SystemError) {
        let file = try target.folder.create(name, isPrivate: target.existing != nil)
        if TemporaryFile.isOurs(file) {
          self.init(name: name, file: file)
          return
        }
        try? target.folder.remove(name)
      } catch .nameIsTaken {
        // Another name is free.
      }
    }
    throw .nameIsTaken
  }

  /// Locks a file that was just created; returns false if another process has taken it for a leftover.
  private static func isOurs(_ file: OpenFile) -> Bool {
    do {
      try file.lock()
    } catch {
      // A file system without locks: other processes get none either, and so do not take the file for a leftover.
      return error != .lockIsTaken
    }
    return (try? file.status().hasName) ?? true
  }

  /// Removes the file, unless its name is another file's now. If this fails, the next save of the target tries again.
  func remove(from folder: OpenFile) {
    if (try? file.hasName(name, in: folder)) == true { try? folder.remove(name) }
  }

  // MARK: Leftovers

  /// Removes the temporary files of a target that killed processes left behind, as far as it can.
  static func removeLeftovers(of target: SaveTarget) {
    let form = TemporaryName(of: target.name)
    // Most entries of a folder are other files, for which no String is made.
    for name in unsafe target.folder.names(where: { unsafe form.matches($0) }) {
      guard let status = try? target.folder.status(of: name), status.specialKind == nil,
        // Some network file systems lock only files open for writing; others also lock read-only files.
        let file = (try? target.folder.open(name, toWrite: true))
          ?? (try? target.folder.open(name, toWrite: false)),
        (try? file.lock()) != nil,
        // The name may have gone to another file since the directory was read.
        (try? file.hasName(name, in: target.folder)) == true
      else { continue }
      // The lock is held until the name is gone.
      withExtendedLifetime(file) { try? target.folder.remove(name) }
    }
  }
}

/// The form of the temporary names of one target: ".NAME.keepsake-" and 21 letters and digits. The first eight are
/// random, the others are a checksum of all before them: a user's file can have such a name only on purpose.
struct TemporaryName {
  private static let randomCount = 8
  /// The number of digits for 64 bits.
  private static let checkCount = 13

  private let prefix: [UInt8]

  /// Cuts a very long name. Two targets may then share leftovers, which does no harm.
  init(of name: String) {
    var kept = name[...]
    while kept.utf8.count > 200 { kept.unicodeScalars.removeLast() }
    prefix = Array(".\(kept).keepsake-".utf8)
  }

  static func random(for name: String) -> String {
    let random = (0..<randomCount).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }
    let name = TemporaryName(of: name).prefix + random
    return String(decoding: name + check(of: name), as: UTF8.self)
  }

  func matches(_ name: some Collection<UInt8>) -> Bool {
    guard name.count == prefix.count + Self.randomCount + Self.checkCount, name.starts(with: prefix) else {
      return false
    }
    return name.suffix(Self.checkCount).elementsEqual(Self.check(of: Array(name.dropLast(Self.checkCount))))
  }

  private static func check(of name: [UInt8]) -> [UInt8] {
    let buffer = ByteBuffer()
    buffer.append(memoryOf: name)
    var rest = buffer.checksum(0..<buffer.count)
    return (0..<checkCount).map { _ in
      defer { rest /= UInt64(alphabet.count) }
      return alphabet[Int(rest % UInt64(alphabet.count))]
    }
  }

  /// Lowercase only, for file systems that do not distinguish case.
  private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
}
