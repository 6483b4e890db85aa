import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// A real program: the object model of a tool that reads Swift source. Its 22 classes refer to each other in all
/// directions, and use no wrapper, conformance or base class of the library.
@Suite struct SourceAnalyser {
  @Test(
    "a program comes back with all identities, from data, a file and a copy of the result"
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

  @Test("programs of several sizes come back", arguments: [1, 2, 3, 5, 10, 20, 40])
  func sizes(seed: Int) throws {
    let program = SourceProgram.make(typeCount: seed, seed: UInt64(seed))
    #expect(try KeyedArchiver.copy(of: program) == program)
  }

  @Test("equal programs give one archive, and other programs are unequal")
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
