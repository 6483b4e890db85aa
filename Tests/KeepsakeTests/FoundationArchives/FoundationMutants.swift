import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Random changes to NSKeyedArchiver archives give an error or a value, and their translation is always valid.
@Suite struct FoundationMutants {
  private static func seeds(_ format: PropertyListSerialization.PropertyListFormat) -> [[UInt8]] {
    let (ada, ben) = (OldPerson("Ada", age: 36), OldPerson("Ben", age: 3))
    ada.friends = [ben, ada, ben]
    ada.best = ben
    ben.employer = ada
    let circle = OldCircle()
    circle.title = "größer"
    let shared = NSMutableArray(array: [1, 2.5, "x"])
    let mixed: [Any] = [
      shared, shared, ["k": shared, "l": NSNull()], [7: "seven"], Data([1, 2, 3]) as NSData,
      Date(timeIntervalSince1970: 0),
      UUID() as NSUUID, NSSet(array: [1]), NSOrderedSet(array: ["a", "b"]),
      NSMutableString(string: "mutable"),
      NSURL(string: "a", relativeTo: URL(string: "http://x.y/")) ?? NSNull(),
      NSValue(rect: NSRect(x: 1, y: 2, width: 3, height: 4)),
      NSMeasurement(doubleValue: 1, unit: UnitLength.meters), IndexSet([1, 5]) as NSIndexSet,
      IndexPath(indexes: [1, 300]) as NSIndexPath, NSTimeZone(name: "UTC") ?? NSNull(),
      DateComponents(calendar: Calendar(identifier: .gregorian), day: 5) as NSDateComponents,
      PersonNameComponents(givenName: "Ada") as NSPersonNameComponents,
    ]
    let roots: [Any] = [ada, [circle, circle] as NSArray, mixed as NSArray]
    return roots.map { Array(foundationArchive($0, format: format)) }
  }

  @Test(arguments: foundationFormats)
  func changedBytes(_ format: PropertyListSerialization.PropertyListFormat) throws {
    var generator = SeededGenerator("old mutants, \(format.rawValue)")
    let seeds = FoundationMutants.seeds(format)
    let mutator = ByteMutator(others: seeds)
    let seed = generator.next()
    for seed in seeds { #expect(HostileReading.readEverything(seed).wasOpened) }
    var opened = 0
    for number in 0..<sized(1_000, inDebug: 15) {
      var mutant = try #require(seeds.randomElement(using: &generator))
      var choices = HostileGenerator(seed: seed, mutant: number)
      mutator.mutate(&mutant, using: &choices)
      let outcome = HostileReading.readEverything(mutant)
      #expect(outcome.faults == [], "mutant \(number)")
      _ = try? KeyedUnarchiver.unarchive(NewPerson.self, from: Data(mutant))
      _ = try? KeyedUnarchiver.unarchive([NewShape].self, from: Data(mutant))
      guard outcome.wasOpened else { continue }
      opened += 1
      // The translation is valid, with and without checksums, and can be rewritten.
      let image = try ArchiveImage(data: Data(mutant), verification: .everything)
      #expect(throws: Never.self, "mutant \(number)") { try image.verifyStructure() }
      if let data = try translateFoundationArchive(Data(mutant))?.buffer.takeData() {
        #expect(throws: Never.self, "mutant \(number)") {
          try ArchiveImage(data: data, verification: .everything).verifyStructure()
          _ = try ArchiveEditor(forReadingFrom: data).encodedData
        }
      }
    }
    // By chance, none of the few mutants of a debug build may open.
    if sized(1, inDebug: 0) == 1 { #expect(opened > 25) }
  }
}
