package import Foundation

/// Archives of every version of the format, frozen in Fixtures, which every later version of the library must read.
package enum FrozenArchives {
  package static let folder = (Bundle.module.resourceURL ?? Bundle.module.bundleURL)
    .appendingPathComponent("Fixtures")

  /// All frozen archives, or those in another folder, with their relative paths.
  package static func all(in folder: URL = folder) throws -> [(name: String, data: Data)] {
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return try files.filter { $0.hasSuffix(".keepsake") }.sorted().map {
      ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
    }
  }
}
