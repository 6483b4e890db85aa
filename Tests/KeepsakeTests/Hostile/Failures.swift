import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Faults that the fuzzer found. The inputs are in `Tests/Fuzzing/Failures`.
@Suite struct Failures {
  private final class Held: Codable {
    var name = "held"
  }

  @Test("an unarchiver releases the objects that it has read, with and without finishDecoding")
  func finishing() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["a": Held(), "b": Held()])
    for finishes in [false, true] {
      weak var held: Held?
      do {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
        let objects = try unarchiver.decode([String: Held].self, forKey: KeyedArchiver.rootKey)
        held = objects["a"]
        #expect(held != nil)
        if finishes { unarchiver.finishDecoding() }
      }
      // The session, which kept the objects, was retained by containers that it kept itself.
      #expect(held == nil)
    }
  }

  @Test("a decimal number in place of the top-level keys is a DecodingError")
  func decimalAtTop() throws {
    let decimal: [UInt8] = [0, 0x15, 0x90, 0x95]
    let data = HandmadeArchive.data(bodies: [], topLevel: decimal)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(!unarchiver.containsValue(forKey: "a"))
    #expect(throws: DecodingError.self) { try unarchiver.decode(Int.self, forKey: "a") }
    #expect(throws: DecodingError.self) { try KeyedUnarchiver.unarchive(Int.self, from: data) }
  }

  private final class Circle: Codable {
    var next: Circle?
  }

  private struct Spiral: Codable {
    @Lazy var next: Spiral?
  }

  @Test("a lazy value that leads to itself through an object read as a value cannot be archived")
  func lazyLoop() throws {
    let circle = Circle()
    circle.next = circle
    defer { circle.next = nil }
    let data = try KeyedArchiver.archivedData(withRootObject: circle)
    let spiral = try KeyedUnarchiver.unarchive(Spiral.self, from: data)
    #expect(spiral.next?.next?.next?.$next.isLoaded == false)
    let error = #expect(throws: DecodingError.self) {
      try KeyedArchiver.archivedData(withRootObject: spiral)
    }
    let message = "\(try #require(error))"
    #expect(message.contains("If structures read objects that form a cycle, make them classes"))
  }
}
