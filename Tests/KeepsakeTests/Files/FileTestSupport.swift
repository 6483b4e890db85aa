import Foundation
import Testing
import TestSupport

@testable import Keepsake

extension DurableFile {
  func append(_ text: String) throws {
    try append(Data(text.utf8).bytes)
  }
}

/// Replaces a file by a text.
func saveText(_ text: String, to path: String) throws {
  let file = try DurableFile(replacing: path)
  try file.append(text)
  try file.commit()
}

/// The error of a save to `path`.
func errorOfSave(to path: String, sourceLocation: SourceLocation = #_sourceLocation) -> ArchiveError? {
  #expect(throws: ArchiveError.self, sourceLocation: sourceLocation) { try saveText("new", to: path) }
}

/// Whether files of tests can have the extended attribute with that value.
private func canSet(_ attribute: String, _ value: [UInt8]) -> Bool {
  guard let folder = try? TemporaryFolder(), (try? writeText("", to: folder("a"))) != nil else {
    return false
  }
  return (try? OpenFile.open(folder("a"), O_RDWR).setAttribute(attribute, value)) != nil
}

let hasAttributes = canSet("user.keepsake.tag", [1])

#if os(Linux)
  /// The value of the attribute with the access list.
  func accessList(_ entries: [(tag: UInt16, bits: UInt16, id: UInt32)]) -> [UInt8] {
    func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return bytes(2 as UInt32) + entries.flatMap { bytes($0.tag) + bytes($0.bits) + bytes($0.id) }
  }

  let hasAccessLists: Bool = {
    let all = UInt32.max
    let list = accessList([(1, 6, all), (2, 6, 1234), (4, 0, all), (16, 6, all), (32, 0, all)])
    return canSet("system.posix_acl_access", list)
  }()
#endif

/// Makes this process fail to write larger files.
func limitFileSize(to count: rlim_t) throws {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: count, rlim_max: count)
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    let resource = RLIMIT_FSIZE
  #endif
  // Unsafe: the pointer to `limit` is only used during the call.
  let result = unsafe setrlimit(resource, &limit)
  try #require(result == 0)
}
