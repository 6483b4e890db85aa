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

/// The error that a save to a path gives.
func errorOfSave(to path: String, sourceLocation: SourceLocation = #_sourceLocation) -> ArchiveError? {
  #expect(throws: ArchiveError.self, sourceLocation: sourceLocation) { try saveText("new", to: path) }
}

/// Makes larger files an error in this process.
func limitFileSize(to count: rlim_t) throws {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: count, rlim_max: count)
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    let resource = RLIMIT_FSIZE
  #endif
  // Unsafe: the pointer to `limit` is used during the call only.
  let result = unsafe setrlimit(resource, &limit)
  try #require(result == 0)
}
