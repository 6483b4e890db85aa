#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
internal import CKeepsake

// One wrapper for each system call that the file layer makes, so that the rest of it reads plainly.

/// The failure of a system call: the number, and the system's words for it.
struct SystemError: Error, Equatable {
  let number: CInt

  static let noFile = SystemError(number: ENOENT)
  static let noAccess = SystemError(number: EACCES)
  static let nameIsTaken = SystemError(number: EEXIST)
  static let lockIsTaken = SystemError(number: EWOULDBLOCK)
  static let endlessLink = SystemError(number: ELOOP)

  var isRefusal: Bool { [EACCES, EPERM].contains(number) }
  var isOfTooManyFiles: Bool { [EMFILE, ENFILE].contains(number) }
  /// Whether the file system does not support the operation.
  var isUnsupported: Bool { [ENOTSUP, ENOSYS, EINVAL].contains(number) }

  /// The system's own words, such as "No space left on device".
  var reason: String {
    // Unsafe: strerror returns a C string that lives for ever, or until this thread asks again.
    guard let words = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: words)
  }

  /// What the user can do about it, as a clause after the reason; empty if nothing is certain.
  var advice: String {
    switch number {
    case EACCES, EPERM: "; check the permissions of the file and its folder"
    case ENOSPC, EDQUOT: "; free some space on the disk and try again"
    case EFBIG: "; the file is larger than this process or file system allows"
    case EROFS: "; save to another disk, or mount this one for writing"
    case EMFILE, ENFILE: "; close some files and try again"
    default: ""
    }
  }
}

/// An open file or folder, closed when the last reference to it is released. The methods make system calls, repeat them
/// after an interruption (`EINTR`), and throw the error number.
///
/// Unsafe, unless a comment says otherwise: a `String` is passed as a C string that lives for the call.
final class OpenFile: Sendable {
  let number: CInt

  init(number: CInt) {
    self.number = number
  }

  deinit {
    // Never repeated: close frees the descriptor even when it is interrupted, and it may be another file by then.
    close(number)
  }

  /// Opens a path, by default for reading. Does not wait for a pipe. Child processes do not inherit the descriptor.
  static func open(_ path: String, _ flags: CInt = O_RDONLY) throws(SystemError) -> OpenFile {
    let flags = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    return OpenFile(number: try repeating { unsafe openat(AT_FDCWD, path, flags, 0) })
  }

  static func openFolder(_ path: String) throws(SystemError) -> OpenFile { try open(path, O_DIRECTORY) }

  /// Opens a name in this folder, unless it is a symbolic link. Does not wait for a pipe or device.
  func open(_ name: String, toWrite: Bool) throws(SystemError) -> OpenFile {
    let flags = (toWrite ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    return OpenFile(number: try repeating { unsafe openat(number, name, flags, 0) })
  }

  /// Creates a file with a new name in this folder, either private to this user or as the user's mask prescribes.
  func create(_ name: String, isPrivate: Bool) throws(SystemError) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let mode: mode_t = isPrivate ? 0o600 : 0o666
    return OpenFile(number: try repeating { unsafe openat(number, name, flags, mode) })
  }

  func status() throws(SystemError) -> stat {
    var status = stat()
    // Unsafe: the pointer to `status` is used during the call only.
    try repeating { unsafe fstat(number, &status) }
    return status
  }

  /// The status of a name in this folder; for a symbolic link, of the link itself.
  func status(of name: String) throws(SystemError) -> stat {
    try fileStatus(name, in: number, followingLinks: false)
  }

  /// Whether `name` in `folder` is still the name of this file. Another program may have given it to another file.
  func hasName(_ name: String, in folder: OpenFile) throws(SystemError) -> Bool {
    let own = try status().identity
    do {
      return try folder.status(of: name).identity == own
    } catch .noFile {
      return false
    }
  }

  /// Writes all of the bytes, at `offset` or after those written last, and reports each piece to `progress`.
  func writeAll(
    _ bytes: RawSpan,
    at offset: Int? = nil,
    progress: (_ byteCount: Int) -> Void = { _ in }
  ) throws(SystemError) {
    var count = 0
    while count < bytes.byteCount {
      // Unsafe: address and count are of one buffer, valid for the call. Darwin refuses counts above 2 GB.
      let written = try unsafe bytes.extracting(count...).withUnsafeBytes { (rest) throws(SystemError) in
        let most = min(rest.count, 1 << 30)
        return try repeating {
          if let offset { return unsafe pwrite(number, rest.baseAddress, most, off_t(offset + count)) }
          return unsafe write(number, rest.baseAddress, most)
        }
      }
      // A disk file always makes progress or reports an error. Otherwise, this loop would not end.
      guard written > 0 else { throw SystemError(number: EIO) }
      count += written
      progress(written)
    }
  }

  func truncate(to byteCount: Int) throws(SystemError) {
    try repeating { ftruncate(number, off_t(byteCount)) }
  }

  /// The bytes in `range`; fewer if the file ends before its end.
  func bytes(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var count = 0
    while count < range.count {
      // Unsafe: pread gets the array's own memory, and writes at most up to the end of the array.
      let read = try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: bytes[count...])
        return try repeating {
          unsafe pread(number, rest.baseAddress, rest.count, off_t(range.lowerBound + count))
        }
      }
      if read == 0 { break }
      count += read
    }
    bytes.removeLast(range.count - count)
    return bytes
  }

  /// Maps the first `count` bytes into memory, where changes do not affect the file. The mapping outlives this object.
  @unsafe
  func map(_ count: Int) throws(SystemError) -> UnsafeMutableRawPointer {
    // Private and writable: a Data is changed in place, which must neither crash nor change the file.
    let protection = PROT_READ | PROT_WRITE
    // Unsafe: a new mapping, wherever the system wants it.
    let address = unsafe mmap(nil, count, protection, MAP_PRIVATE | MAP_NORESERVE, number, 0)
    // Unsafe: only compared.
    guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError(number: errno) }
    return unsafe address
  }

  /// Makes the written bytes survive a power cut.
  func synchronize() throws(SystemError) {
    #if canImport(Darwin)
      // On Darwin, fsync leaves the bytes in the drive's cache. Not every file system supports F_FULLFSYNC.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    try repeating { fsync(number) }
  }

  /// Takes the lock of this file, or fails at once with `EWOULDBLOCK`. The system drops it when the file is closed.
  func lock() throws(SystemError) {
    try repeating { flock(number, LOCK_EX | LOCK_NB) }
  }

  /// The process that holds the lock of this file, as far as the system tells.
  var lockOwner: String {
    #if os(Linux) || os(Android)
      func text(ofFile path: String) -> String? {
        (try? OpenFile.open(path).bytes(0..<(1 << 20))).map { String(decoding: $0, as: UTF8.self) }
      }
      let inode = (try? status()).map { "\($0.st_ino)" } ?? ""
      for line in text(ofFile: "/proc/locks")?.split(separator: "\n") ?? [] {
        let words = line.split(separator: " ")
        guard words.count > 5, words[1] == "FLOCK", words[5].split(separator: ":").last == inode[...],
          let owner = pid_t(words[4]), owner > 0
        else { continue }
        if owner == getpid() { return "this process" }
        let name = text(ofFile: "/proc/\(owner)/comm").map { " (\($0.filter { !$0.isNewline }))" } ?? ""
        return "process \(owner)\(name)"
      }
    #endif
    return "another process, or a second time in this one"
  }

  /// Releases the lock. Mappings of the file would otherwise hold it longer than this object exists.
  func unlock() throws(SystemError) {
    try repeating { flock(number, LOCK_UN) }
  }

  /// Gives this file the owner and the group of another one, as far as this user may.
  ///
  /// - Returns: whether this file has the group.
  func takeOwner(of old: stat) -> Bool {
    (try? repeating { fchown(number, old.st_uid, old.st_gid) }) != nil
      || (try? repeating { fchown(number, .max, old.st_gid) }) != nil
      || (try? status())?.st_gid == old.st_gid
  }

  /// Gives this file the permissions of another one, as far as this user may.
  func takePermissions(of old: stat, hasItsGroup: Bool) throws(SystemError) {
    var mode = old.st_mode & 0o777
    if !hasItsGroup {
      // A group other than the old file's gets no more than everyone has.
      let everyones = mode & 0o007
      mode = (mode & ~0o070) | (mode & (everyones << 3))
    }
    do {
      try repeating { fchmod(number, mode) }
    } catch  where !error.isUnsupported && error.number != EPERM {
      throw error
    } catch {
      // No permissions on this file system, or no right to set them. The new file stays private to the user.
    }
  }

  /// Renames `name` in this folder to `newName` in one step. If something has that name, replaces
  /// it if `replacesOthers`, and throws otherwise.
  func rename(_ name: String, to newName: String, replacesOthers: Bool) throws(SystemError) {
    if !replacesOthers {
      do throws(SystemError) {
        try repeating { unsafe linkat(number, name, number, newName, 0) }
        // If this fails, the next save of the file removes the name.
        try? remove(name)
        return
      } catch  where error.isUnsupported || error.isRefusal {
        // A file system on which a file has only one name.
      }
    }
    try repeating { unsafe renameat(number, name, number, newName) }
  }

  func remove(_ name: String) throws(SystemError) {
    try repeating { unsafe unlinkat(number, name, 0) }
  }

  /// The names in this folder for which `isWanted` holds; empty if the folder cannot be listed.
  func names(where isWanted: (UnsafeBufferPointer<UInt8>) -> Bool) -> [String] {
    // A descriptor of its own, which closedir closes. Unsafe: the C string lives for the call.
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let listed = try? repeating({ unsafe openat(number, ".", flags, 0) }) else { return [] }
    // Unsafe: fdopendir takes the descriptor over unless it fails.
    guard let listing = unsafe fdopendir(listed) else {
      close(listed)
      return []
    }
    // Unsafe: the listing is open until here and not used after.
    defer { unsafe closedir(listing) }
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    var names: [String] = []
    // Unsafe: an entry is valid until the next readdir of this listing, which no other thread has.
    while let entry = unsafe readdir(listing) {
      // Unsafe: d_name is a NUL-terminated name within the entry, however long the entry is.
      let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: UInt8.self)
      if unsafe isWanted(UnsafeBufferPointer(start: name, count: strlen(name))) {
        unsafe names.append(String(cString: name))
      }
    }
    return names
  }
}

// MARK: Extended attributes

extension OpenFile {
  /// Gives this file the extended attributes of another one, as far as the file system has them and this user may: on
  /// Linux those of users and, if this file has its group, the access list. Leaves out what cannot be read or set,
  /// which is no reason not to save.
  func takeAttributes(of name: String, in folder: OpenFile, hasItsGroup: Bool) {
    let old = try? folder.open(name, toWrite: false)
    guard let old, let names = try? old.attributeNames() else { return }
    // The access list. Without it, the group bits of the mode are the permissions of the group; with it, the most that
    // anybody on the list may do.
    let list = "system.posix_acl_access"
    #if canImport(Darwin)
      let prefix = ""
    #else
      let prefix = "user."
      // The folder may have given this file its own access list.
      if !hasItsGroup || !names.contains(list) { unsafe fremovexattr(number, list) }
    #endif
    for name in names where name.hasPrefix(prefix) || name == list && hasItsGroup {
      if let value = try? old.attribute(name) { try? setAttribute(name, value) }
    }
  }

  func attribute(_ name: String) throws(SystemError) -> [UInt8] {
    // Unsafe, here and below: address and count are of one array; a name is a C string for the call.
    try unsafe filled { (bytes, count) in
      #if canImport(Darwin)
        unsafe fgetxattr(number, name, bytes, count, 0, 0)
      #else
        unsafe fgetxattr(number, name, bytes, count)
      #endif
    }
  }

  func setAttribute(_ name: String, _ value: [UInt8]) throws(SystemError) {
    try unsafe value.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      _ = try repeating {
        #if canImport(Darwin)
          unsafe fsetxattr(number, name, bytes.baseAddress, bytes.count, 0, 0)
        #else
          unsafe fsetxattr(number, name, bytes.baseAddress, bytes.count, 0)
        #endif
      }
    }
  }

  /// The names of all attributes that can be read as text.
  private func attributeNames() throws(SystemError) -> [String] {
    let list = try unsafe filled { (bytes, count) in
      let names = unsafe UnsafeMutableRawPointer(bytes)?.assumingMemoryBound(to: CChar.self)
      #if canImport(Darwin)
        return unsafe flistxattr(number, names, count, 0)
      #else
        return unsafe flistxattr(number, names, count)
      #endif
    }
    return list.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns what `fill` writes. The first call gives the size; if that grows before the second, both are repeated.
  private func filled(_ fill: (UnsafeMutablePointer<UInt8>?, Int) -> Int) throws(SystemError) -> [UInt8] {
    for _ in 0..<3 {
      let count = try repeating { fill(nil, 0) }
      guard count > 0 else { return [] }
      var bytes = [UInt8](repeating: 0, count: count)
      do throws(SystemError) {
        let filled = try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
          try repeating { unsafe fill(bytes.baseAddress, bytes.count) }
        }
        return Array(bytes.prefix(filled))
      } catch {
        guard error.number == ERANGE else { throw error }
      }
    }
    throw SystemError(number: ERANGE)
  }
}

/// The status of the file at a path, or of the symbolic link itself if links are not followed.
func fileStatus(
  _ path: String,
  in folder: CInt = AT_FDCWD,
  followingLinks: Bool = true
) throws(SystemError) -> stat {
  var status = stat()
  // Unsafe: the pointer to `status` is used during the call only.
  try repeating { unsafe fstatat(folder, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
  return status
}

/// The destination of a symbolic link, as the link spells it; `nil` if that is not UTF-8.
func linkDestination(_ path: String) throws(SystemError) -> String? {
  var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
  // Unsafe: readlink gets the array's own address and size, and writes no more than that.
  let count = try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
    guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return 0 }
    let characters = unsafe start.assumingMemoryBound(to: CChar.self)
    return try repeating { unsafe readlink(path, characters, buffer.count) }
  }
  return String(validating: bytes[..<count], as: UTF8.self)
}

/// Makes a system call, repeats it after each interruption, and throws its error number.
@discardableResult
func repeating<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let number = errno
    if number != EINTR { throw SystemError(number: number) }
  }
}
