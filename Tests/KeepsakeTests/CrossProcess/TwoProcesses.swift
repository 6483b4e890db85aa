import Foundation
import Keepsake
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

/// The second process.
enum Probe {
  struct Failed: Error {
    var status: Int32
    var message: String
  }

  /// Runs `archive-probe`; what it wrote to standard output.
  @discardableResult
  static func run(_ arguments: String...) throws -> Data { try run(arguments) }

  /// Runs `archive-probe`, with a limit in KB for the stack of its main thread; what it wrote to standard output.
  @discardableResult
  static func run(_ arguments: [String], mainStack: Int? = nil) throws -> Data {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    if let mainStack {
      // The limit is for the programs that a process starts.
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let command = "ulimit -s \(mainStack) && exec \"$0\" \"$@\""
      process.arguments = ["-c", command, try executable().path] + arguments
    }
    let output = Pipe()
    process.standardOutput = output
    let errors = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, process.terminationReason == .exit else {
      let message = try String(decoding: Data(contentsOf: errors), as: UTF8.self)
      throw Failed(status: process.terminationStatus, message: message)
    }
    return data
  }

  /// The program, which stands in the folder of the test bundle or in one of those around it.
  static func executable() throws -> URL {
    var starts = [Bundle.main.bundleURL]
    if let path = Bundle.main.executableURL { starts.append(path) }
    starts += CommandLine.arguments.filter { $0.hasPrefix("/") || $0.hasSuffix(".xctest") }
      .map { URL(fileURLWithPath: $0) }
    for start in starts {
      var folder = start.resolvingSymlinksInPath()
      while folder.path != "/" {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent("archive-probe")
        let attributes = try? FileManager.default.attributesOfItem(atPath: candidate.path)
        if attributes?[.type] as? FileAttributeType == .typeRegular { return candidate }
      }
    }
    throw Failed(status: -1, message: "archive-probe is not beside the tests: \(starts.map(\.path))")
  }
}
