/// The new file while it is being written: a name of its own beside the target, and a lock that says it lives.
///
/// A process that is killed leaves its temporary file behind, and the next save of the same target removes it. The name has
/// a checksum of itself, so no other program's file has such a name. The lock is held from before the first byte until after
/// the rename, so a temporary file whose lock can be taken belongs to nobody, except between its creation and its locking: a
/// process that finds its file removed in that moment makes another.
struct TemporaryFile {
  let name: String
  let file: OpenFile
}

extension TemporaryFile {
  /// Creates the temporary file of a target. Where a file is replaced, nobody else may read the new one until
  /// it has that file's permissions; a new file gets what the user's mask and the folder prescribe.
  init(for target: SaveTarget) throws(ArchiveError) {
    self = try target.attempt(Self.make(for: target), "cannot create a file in the folder")
  }

  private static func make(for target: SaveTarget) throws(SystemError) -> TemporaryFile {
    for _ in 0..<100 {
      let name = TemporaryName.random(for: target.name)
      do throws(SystemError) {
        let file = try target.folder.create(name, isPrivate: target.existing != nil)
        if isOurs(file) { return TemporaryFile(name: name, file: file) }
        try? target.folder.remove(name)
      } catch .nameIsTaken {
        // Another name is free.
      }
    }
    throw .nameIsTaken
  }

  /// Locks a file that was just created, unless another process, which took it for a leftover, was quicker.
  private static func isOurs(_ file: OpenFile) -> Bool {
    do {
      try file.lock()
    } catch {
      // A file system without locks, where no other process gets this one and takes the file for dead either.
      return error != .lockIsTaken
    }
    return (try? file.status().hasName) ?? true
  }

  /// Takes the file away, unless its name is another file's by now. If this fails, the next save of the target tries again.
  func remove(from folder: OpenFile) {
    if (try? file.hasName(name, in: folder)) == true { try? folder.remove(name) }
  }

  // MARK: Leftovers

  /// Removes the temporary files of a target that killed processes left behind, as far as it can.
  static func removeLeftovers(of target: SaveTarget) {
    let form = TemporaryName(of: target.name)
    // Most entries of a folder are other files: no String is made of them.
    for name in unsafe target.folder.names(where: { unsafe form.matches($0) }) {
      guard let status = try? target.folder.status(of: name), status.specialKind == nil,
        // Some network file systems lock only what is open for writing; what is read-only can be locked elsewhere.
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
  /// As many as 64 bits take.
  private static let checkCount = 13

  private let prefix: [UInt8]

  /// A very long name is cut; that two targets then share leftovers does no harm.
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
    // Unsafe: bytes have no padding.
    var rest = name.withSpan { unsafe Checksum.of($0.bytes) }
    return (0..<checkCount).map { _ in
      defer { rest /= UInt64(alphabet.count) }
      return alphabet[Int(rest % UInt64(alphabet.count))]
    }
  }

  /// Lower case only, for file systems that do not tell the cases apart.
  private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
}
