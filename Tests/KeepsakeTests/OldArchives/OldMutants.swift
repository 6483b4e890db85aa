import Foundation
import HostileArchives
import Keepsake
import Testing

/// Old archives that were changed at random: an error or a value, and what is made of them is always sound.
@Suite struct OldMutants {
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
    ]
    let roots: [Any] = [ada, [circle, circle] as NSArray, mixed as NSArray]
    return roots.map { Array(oldArchive($0, format: format)) }
  }

  private static func mutate(_ seed: [UInt8], _ others: [[UInt8]], _ generator: inout SeededGenerator)
    -> [UInt8]
  {
    var bytes = seed
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: 0..<max(1, bytes.count), using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 4: bytes.removeLast(min(bytes.count - 1, Int.random(in: 1...64, using: &generator)))
      case 5:
        let other = others.randomElement(using: &generator) ?? seed
        let start = Int.random(in: 0..<other.count, using: &generator)
        bytes.insert(contentsOf: other[start..<min(other.count, start + 24)], at: place)
      case 6:
        // Another number where there is one, a byte or a digit.
        bytes[place] = bytes.randomElement(using: &generator) ?? 0
      default:
        // In the last bytes of a binary one is what says where everything is.
        let end = max(0, bytes.count - 1 - Int.random(in: 0..<40, using: &generator))
        bytes[end] = UInt8.random(in: 0...255, using: &generator)
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }

  @Test(arguments: oldFormats)
  func changedBytes(_ format: PropertyListSerialization.PropertyListFormat) throws {
    var generator = SeededGenerator("old mutants, \(format.rawValue)")
    let seeds = OldMutants.seeds(format)
    var opened = 0
    for number in 0..<800 {
      let seed = try #require(seeds.randomElement(using: &generator))
      let mutant = OldMutants.mutate(seed, seeds, &generator)
      let outcome = HostileReading.readEverything(mutant)
      #expect(outcome.faults == [], "mutant \(number)")
      _ = try? KeyedUnarchiver.unarchive(NewPerson.self, from: Data(mutant))
      _ = try? KeyedUnarchiver.unarchive([NewShape].self, from: Data(mutant))
      guard outcome.wasOpened else { continue }
      opened += 1
      // What is made of it is sound, with checksums and without, and can be written anew.
      let image = try ArchiveImage(data: Data(mutant), verification: .everything)
      #expect(throws: Never.self, "mutant \(number)") { try image.verifyStructure() }
      if let (data, _) = try translateOldArchive(Data(mutant)) {
        #expect(throws: Never.self, "mutant \(number)") {
          try ArchiveImage(data: data, verification: .everything).verifyStructure()
          _ = try ArchiveEditor(forReadingFrom: data).encodedData()
        }
      }
    }
    #expect(opened > 25, "\(opened) were opened")
  }
}
