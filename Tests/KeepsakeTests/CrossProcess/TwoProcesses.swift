import Foundation
import Keepsake
import TestSupport
import Testing

/// Each process reads what another wrote, and writes the same bytes.
@Suite struct TwoProcesses {
  @Test("a file that another process wrote is read", arguments: Sample.allCases)
  func writtenThere(sample: Sample) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Probe.run("write", sample.rawValue, file)
    #expect(try sample.faults(inFile: file) == [])
  }

  @Test("another process reads a file from this one", arguments: Sample.allCases)
  func writtenHere(sample: Sample) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try sample.bytes().write(to: URL(fileURLWithPath: file))
    try Probe.run("check", sample.rawValue, file)
    #expect(try sample.faults(inFile: file) == [])
  }

  @Test("every process of one program writes the same bytes", arguments: Sample.allCases)
  func sameBytesThere(sample: Sample) throws {
    let first = try Probe.run("bytes", sample.rawValue)
    #expect(!first.isEmpty)
    for _ in 0..<3 { #expect(try Probe.run("bytes", sample.rawValue) == first) }
  }

  @Test(
    "two programs write the same bytes if no class name contains a module",
    arguments: [Sample.values, .collections]
  )
  func sameBytesHere(sample: Sample) throws {
    let here = try sample.bytes()
    #expect(try Probe.run("bytes", sample.rawValue) == here)
    #expect(try sample.bytes() == here)
  }

  @Test("one process writes the same bytes again", arguments: Sample.allCases)
  func sameBytesAgain(sample: Sample) throws {
    #expect(try sample.bytes() == sample.bytes())
  }

  @Test("the probe refuses a wrong or missing file")
  func wrongFile() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Sample.values.bytes().write(to: URL(fileURLWithPath: file))
    #expect(throws: Probe.Failed.self) { try Probe.run("check", Sample.library.rawValue, file) }
    #expect(throws: Probe.Failed.self) { try Probe.run("check", Sample.values.rawValue, file + ".absent") }
  }
}
