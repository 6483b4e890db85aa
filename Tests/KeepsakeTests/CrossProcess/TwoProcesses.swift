import Foundation
import Keepsake
import TestSupport
import Testing

/// What one process writes another one reads, and writes to the last byte the same.
@Suite struct TwoProcesses {
  @Test("written in another process, read here", arguments: Sample.allCases)
  func writtenThere(sample: Sample) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Probe.run("write", sample.rawValue, file)
    #expect(try sample.faults(inFile: file) == [])
  }

  @Test("written here, read in another process", arguments: Sample.allCases)
  func writtenHere(sample: Sample) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try sample.bytes().write(to: URL(fileURLWithPath: file))
    try Probe.run("check", sample.rawValue, file)
    #expect(try sample.faults(inFile: file) == [])
  }

  @Test("the same bytes from every process of one program", arguments: Sample.allCases)
  func sameBytesThere(sample: Sample) throws {
    let first = try Probe.run("bytes", sample.rawValue)
    #expect(!first.isEmpty)
    for _ in 0..<3 { #expect(try Probe.run("bytes", sample.rawValue) == first) }
  }

  @Test(
    "the same bytes here and there, where no class has its module's name",
    arguments: [Sample.values, .collections]
  )
  func sameBytesHere(sample: Sample) throws {
    let here = try sample.bytes()
    #expect(try Probe.run("bytes", sample.rawValue) == here)
    #expect(try sample.bytes() == here)
  }

  @Test("the same bytes again in one process", arguments: Sample.allCases)
  func sameBytesAgain(sample: Sample) throws {
    #expect(try sample.bytes() == sample.bytes())
  }

  @Test("the probe tells a wrong file from a right one")
  func wrongFile() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Sample.values.bytes().write(to: URL(fileURLWithPath: file))
    #expect(throws: Probe.Failed.self) { try Probe.run("check", Sample.library.rawValue, file) }
    #expect(throws: Probe.Failed.self) { try Probe.run("check", Sample.values.rawValue, file + ".absent") }
  }
}
