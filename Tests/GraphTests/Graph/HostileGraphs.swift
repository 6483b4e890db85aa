import Foundation
import Keepsake
import TestSupport
import Testing

/// Damaged and forged archives of graphs, with checksums ignored: an error or a value, never a crash,
/// and no initializer of a type that does not match the declared one.
@Suite struct HostileGraphs {
  @Test("the samples are valid and read as their types", arguments: HostileSample.allCases)
  func sound(sample: HostileSample) throws {
    let data = try sample.archive()
    let outcome = sample.outcome(reading: data)
    #expect(outcome.faults == [] && outcome.valueCount > 0)
    #expect(data.count > 100 && data.count < 1_000)
  }

  @Test("every changed bit gives an error or a valid value", arguments: HostileSample.allCases)
  func flipped(sample: HostileSample) throws {
    var data = try sample.archive()
    var valueCount = 0
    for index in data.indices {
      for bit in stride(from: 0, to: 8, by: sized(1, inDebug: 2)) {
        data[index] ^= 1 << UInt8(bit)
        let outcome = sample.outcome(reading: data)
        if !outcome.faults.isEmpty { Issue.record("bit \(bit) of byte \(index): \(outcome.faults)") }
        valueCount += outcome.valueCount
        data[index] ^= 1 << UInt8(bit)
      }
    }
    // Otherwise nothing was tested.
    #expect(valueCount > 0)
  }

  @Test("every truncation is an error", arguments: HostileSample.allCases)
  func truncated(sample: HostileSample) throws {
    let data = try sample.archive()
    for count in 0..<data.count {
      for part in [data.prefix(count), data.suffix(count)] {
        let outcome = sample.outcome(reading: part)
        #expect(outcome.faults == [] && outcome.valueCount == 0)
      }
    }
  }

  @Test("changed, exchanged and foreign bytes give an error or a valid value")
  func mutated() throws {
    var generator = SeededGenerator("hostile graphs")
    let samples = try HostileSample.allCases.map { (sample: $0, bytes: Array(try $0.archive())) }
    for round in 0..<sized(4_000, inDebug: 1_000) {
      let (sample, original) = samples[round % samples.count]
      let other = samples[Int.random(in: 0..<samples.count, using: &generator)].bytes
      var bytes = original
      for _ in 0..<Int.random(in: 1...5, using: &generator) { mutate(&bytes, other, using: &generator) }
      let outcome = sample.outcome(reading: Data(bytes))
      if !outcome.faults.isEmpty { Issue.record("\(sample), round \(round): \(outcome.faults)") }
    }
  }

  /// Changes some bytes after the header, mostly into other valid ones.
  private func mutate(_ bytes: inout [UInt8], _ other: [UInt8], using generator: inout SeededGenerator) {
    let tags: [UInt8] = [
      0x01, 0x04, 0x05, 0x1A, 0x1C, 0x1D, 0x1E, 0x40, 0x44, 0x48, 0x4C, 0x51, 0x60, 0x61, 0x90,
    ]
    let place = Int.random(in: 16..<(bytes.count - 40), using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
    case 1: bytes[place] = tags.randomElement(using: &generator) ?? 0
    case 2: bytes[place] &+= Bool.random(using: &generator) ? 1 : .max
    case 3: bytes.swapAt(place, Int.random(in: 16..<(bytes.count - 40), using: &generator))
    case 4:
      bytes[place] = [0x40, 0x4C, 0x1E].randomElement(using: &generator) ?? 0
      bytes[place + 1] = UInt8.random(in: 0...12, using: &generator)
    default:
      let count = Int.random(in: 1...12, using: &generator)
      let source = Int.random(in: 16..<(other.count - 40), using: &generator)
      bytes.replaceSubrange(place..<(place + count), with: other[source..<(source + count)])
    }
  }
}
