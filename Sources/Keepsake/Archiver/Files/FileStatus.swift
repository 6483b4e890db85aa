#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Distinguishes a file or folder from all others, whatever names it has.
struct FileIdentity: Hashable {
  let device: UInt64
  let inode: UInt64
}

typealias FileStatus = stat

extension FileStatus {
  var identity: FileIdentity {
    FileIdentity(device: UInt64(truncatingIfNeeded: st_dev), inode: UInt64(truncatingIfNeeded: st_ino))
  }

  var hasName: Bool { st_nlink > 0 }
  var byteCount: Int { Int(clamping: st_size) }
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// A description for messages, if this is not a regular file.
  var specialKind: String? {
    switch st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a folder"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a pipe (FIFO)"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "of a special kind"
    }
  }
}
