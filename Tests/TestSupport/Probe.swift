package import Foundation

/// The second process.
package enum Probe {
  package struct Failed: Error {
    package var status: Int32
    package var message: String
  }

  /// Runs `archive-probe`, and returns its standard output.
  @discardableResult
  package static func run(_ arguments: String...) throws -> Data { try run(arguments) }

  /// Runs `archive-probe` with a limit in KB for the stack of its main thread, and returns its standard output.
  @discardableResult
  package static func run(_ arguments: [String], mainStack: Int? = nil) throws -> Data {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    if let mainStack {
      // The limit applies to programs that a process starts.
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

  /// The program in the folder of the test bundle, or in a folder around it.
  package static func executable() throws -> URL {
    var starts = [Bundle.main.bundleURL]
    if let path = Bundle.main.executableURL { starts.append(path) }
    starts += CommandLine.arguments.filter { $0.hasPrefix("/") || $0.hasSuffix(".xctest") }
      .map { URL(fileURLWithPath: $0) }
    for start in starts {
      var folder = start.resolvingSymlinksInPath()
      // Inner folders first: an outer one may have another program with that name.
      while folder.path != "/" {
        let candidate = folder.appendingPathComponent("archive-probe")
        let attributes = try? FileManager.default.attributesOfItem(atPath: candidate.path)
        if attributes?[.type] as? FileAttributeType == .typeRegular { return candidate }
        folder.deleteLastPathComponent()
      }
    }
    throw Failed(status: -1, message: "archive-probe is not beside the tests: \(starts.map(\.path))")
  }
}
