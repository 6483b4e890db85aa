import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Each save is checked as if it were the newest one, although most of it was checked before.
@Suite struct VerifiedSaves {
  /// The first fault of the earlier saves of `data`, each checked as a whole.
  private func fault(in data: Data) throws -> String? {
    let newest = try ArchiveImage(data: data, verification: .disabled)
    for number in 1..<(newest.saves.count + 1) {
      do { try newest.asOf(number, .disabled).verifyStructure() } catch {
        return "\(number): \(error)"
      }
    }
    return nil
  }

  private func expectSame(_ data: Data, sourceLocation: SourceLocation = #_sourceLocation) throws -> String? {
    let found = try ArchiveImage(data: data, verification: .disabled).faultInEarlierSaves()
      .map { "\($0.number): \($0.error)" }
    #expect(try found == fault(in: data), sourceLocation: sourceLocation)
    return found
  }

  /// An archive with two objects and a value; the first object refers to the second, weakly and strongly.
  private let first = HandmadeArchive.data(
    bodies: [[1, 0x52, 0x40, 2, 0x4C, 0], [1, 0x90], [0, 0x91]],
    topLevel: VerifiedSaves.topLevel,
    conditionals: [[2]]
  )

  private static let topLevel = [0] + CraftedArchive.map(("object", [0x40, 1]), ("value", [0x48, 3]))

  private func adding(_ changes: [(inout HandmadeSave) -> Void]) -> Data {
    var data = first
    for (index, change) in changes.enumerated() {
      var save = HandmadeSave()
      (save.number, save.bodyCount) = (index + 2, 3)
      save.topLevel = VerifiedSaves.topLevel
      change(&save)
      data = save.added(to: data)
    }
    return data
  }

  @Test("faults that only an earlier save has are found")
  func faults() throws {
    let whole: (inout HandmadeSave) -> Void = { _ in }
    #expect(try expectSame(adding([whole, whole, whole])) == nil)
    let repaired: (inout HandmadeSave) -> Void = {
      $0.bodies = [(1, [1, 0x52, 0x40, 2, 0x4C, 0]), (2, [1, 0x92]), (3, [0, 0x93])]
    }
    let faults: [(String, (inout HandmadeSave) -> Void)] = [
      ("Unknown tag", { $0.bodies = [(2, [1, 0x70])] }),
      ("out of range", { $0.bodies = [(1, [1, 0x40, 4])] }),
      ("refers to a value", { $0.bodies = [(2, [0, 0x90])] }),
      ("leads to an object", { $0.bodies = [(3, [1, 0x91])] }),
      ("unused bytes", { $0.bodies = [(2, [1, 0x90, 0x90])] }),
      ("class", { $0.bodies = [(2, [2, 0x90])] }),
      ("structure", { $0.classes = [HandmadeArchive.type("Thing", flags: 2)] }),
      ("conditional", { $0.conditionals = [[0, 3]] }),
      ("out of range", { $0.topLevel = [0] + CraftedArchive.map(("object", [0x40, 4])) }),
    ]
    for (words, fault) in faults {
      let found = try expectSame(adding([whole, fault, repaired]))
      #expect(found?.hasPrefix("3: ") == true && found?.contains(words) == true, "\(found ?? words)")
    }
  }

  @Test("faults in damaged saves of a document are found")
  func mutants() throws {
    let folder = try TemporaryFolder()
    let document = try ArchiveDocument(creating: folder("crew"), root: [Crew(), Crew()])
    document.compactsAutomatically = false
    for number in 1...6 {
      document.root.insert(Crew(), at: number % document.root.count)
      try document.save()
    }
    let data = try folder.read("crew")
    #expect(try expectSame(data) == nil)
    let image = try ArchiveImage(data: data, verification: .disabled)
    let bodies = [image.directory.bodies] + image.saves.map(\.bodies)
    var random = SeededGenerator("damaged saves")
    var found: Set<String> = []
    for _ in 0..<300 {
      var mutant = data
      let part = bodies.filter { !$0.isEmpty }.randomElement(using: &random) ?? 0..<1
      mutant[Int.random(in: part, using: &random)] = UInt8.random(in: 0...255, using: &random)
      if let fault = try expectSame(mutant) { found.insert(String(fault.prefix(2))) }
    }
    #expect(found.count > 1)
  }
}
