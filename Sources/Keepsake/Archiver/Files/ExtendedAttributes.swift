#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
internal import KeepsakeStack

// What programs and people attach to a file beside its bytes: tags, comments, where it came from.

extension OpenFile {
  /// Gives this file the extended attributes of `old`, as far as the file system has them and this user may. What cannot
  /// be read or set is left out: it is no reason not to save.
  ///
  /// On Linux these are the attributes of users; the others belong to the system, which sets them itself.
  func copyAttributes(from old: OpenFile) {
    for name in (try? old.attributeNames()) ?? [] where OpenFile.isCopied(name) {
      guard let value = try? old.attribute(name) else { continue }
      try? setAttribute(name, value)
    }
  }

  private static func isCopied(_ name: String) -> Bool {
    #if canImport(Darwin)
      true
    #else
      name.hasPrefix("user.")
    #endif
  }

  /// The value of the attribute `name`.
  func attribute(_ name: String) throws(SystemError) -> [UInt8] {
    // Unsafe, here and below: the bytes are of one array, and so many; a name is a C string for the call.
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

  /// What `fill` writes: it is asked first how much that is, and again if it has become more in between.
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
