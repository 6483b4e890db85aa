import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// A real program: the object model of a tool that reads Swift source. Its 22 classes refer to each other in every direction,
/// and have nothing of the library: no wrapper, no conformance, no base class.
@Suite struct SourceAnalyser {
  @Test(
    "it comes back as it was, with all identities, by data and by file, and once more from what came back"
  )
  func roundTrip() throws {
    let program = SourceProgram.make(typeCount: 100, seed: 14)
    #expect(program.objectCount > 2_500)
    let data = try KeyedArchiver.archivedData(withRootObject: program)
    let back = try KeyedUnarchiver.unarchive(SourceProgram.self, from: data)
    #expect(back == program)
    #expect(try KeyedArchiver.copy(of: back) == program)

    let path = FileManager.default.temporaryDirectory.appending(path: "source-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try KeyedArchiver.archive(rootObject: back, toFile: path)
    #expect(try KeyedUnarchiver.unarchive(SourceProgram.self, fromFile: path) == program)
  }

  @Test("programs of every size", arguments: [1, 2, 3, 5, 10, 20, 40])
  func sizes(seed: Int) throws {
    let program = SourceProgram.make(typeCount: seed, seed: UInt64(seed))
    #expect(try KeyedArchiver.copy(of: program) == program)
  }

  @Test("the same program, made twice, gives one archive, and what differs is found")
  func fingerprints() throws {
    let archives = try (0..<2).map { _ in
      try KeyedArchiver.archivedData(
        withRootObject: SourceProgram.make(typeCount: 30, seed: 5),
        outputFormatting: .sortedKeys
      )
    }
    #expect(archives[0] == archives[1])
    #expect(SourceProgram.make(typeCount: 30, seed: 5) == SourceProgram.make(typeCount: 30, seed: 5))
    #expect(SourceProgram.make(typeCount: 30, seed: 5) != SourceProgram.make(typeCount: 30, seed: 6))
  }
}
