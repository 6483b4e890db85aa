import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of Performance.md.
@Suite("Documentation: performance") struct PerformanceExamples {
  struct Sample: ArchivedFields {
    var time = 0.0
    var value = 0.0
    var station = ""
  }

  struct Recording: Codable {
    var times: [Double] = []
    var values: [Float] = []
    var stations: [Int] = []
  }

  @Test("declared fields and arrays of numbers are compact")
  func fieldsAndColumns() throws {
    let samples = (0..<100).map { Sample(time: Double($0), value: 0.5, station: "north") }
    let recording = Recording(
      times: samples.map(\.time),
      values: samples.map { Float($0.value) },
      stations: samples.map { _ in 3 }
    )
    #expect(try roundTrip(samples).map(\.time) == samples.map(\.time))
    #expect(try roundTrip(recording).stations.count == 100)

    let bytes = try KeyedArchiver.archivedData(withRootObject: recording)
    // Eight bytes for a time, four for a value, one for a station, and some hundred for the rest.
    #expect(bytes.count < 100 * (8 + 4 + 1) + 400)
  }

  @Test("an archive without checksums is smaller")
  func withoutChecksums() throws {
    let bitmap = Data(repeating: 7, count: 200_000)

    let data = try KeyedArchiver.archivedData(withRootObject: bitmap, outputFormatting: .withoutChecksums)
    let copy = try KeyedUnarchiver.unarchive(Data.self, from: data)

    #expect(copy == bitmap)
    #expect(try KeyedArchiver.archivedData(withRootObject: bitmap).count > data.count)
  }

  @Test("one key of several is read")
  func oneKey() throws {
    let folder = try TemporaryFolder()
    let path = folder("recording.keepsake")
    let samples = (0..<100).map { Sample(time: Double($0), value: 0.5, station: "north") }

    let archiver = KeyedArchiver()
    try archiver.encode(samples, forKey: "samples")
    try archiver.encode(samples.count, forKey: "count")
    try archiver.write(toFile: path)

    let unarchiver = try KeyedUnarchiver(forReadingFile: path)
    let count = try unarchiver.decode(Int.self, forKey: "count")  // the samples are not read

    #expect(count == 100)
  }
}
