package import Foundation
import Testing

/// Runs the built tool as a user does.
package enum Keeputil {
  package struct Result {
    package var status: Int32
    package var output: String
    package var errors: String
  }

  /// Runs the tool in `folder`.
  package static func run(_ arguments: String..., input: Data = Data(), in folder: TemporaryFolder) throws
    -> Result
  {
    try run(executable(), arguments, input, folder)
  }

  /// Runs the tool with a list of arguments.
  package static func run(list arguments: [String], in folder: TemporaryFolder) throws -> Result {
    try run(executable(), arguments, Data(), folder)
  }

  /// Runs a command line of the shell, in which "$0" is the tool.
  package static func shell(_ line: String, in folder: TemporaryFolder) throws -> Result {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", line, executable().path], Data(), folder)
  }

  /// Whether util-linux's script(1), which provides a terminal, is installed.
  package static let hasTerminal =
    (try? shell(
      "command -v script >/dev/null && script --version | grep -q util-linux",
      in: TemporaryFolder()
    ).status)
    == 0

  /// Runs the tool with a terminal for its input, output and errors, and returns output and errors together.
  ///
  /// - Parameter environment: The words before the command in the shell.
  package static func onTerminal(_ arguments: String, _ environment: String, in folder: TemporaryFolder)
    throws
    -> Result
  {
    try shell("\(environment) script -qec '\"'\"$0\"'\" \(arguments)' /dev/null", in: folder)
  }

  private static func run(
    _ program: URL,
    _ arguments: [String],
    _ input: Data,
    _ folder: TemporaryFolder
  ) throws -> Result {
    let inputFile = folder("input-\(UUID())")
    let errorsFile = folder("errors-\(UUID())")
    try input.write(to: URL(fileURLWithPath: inputFile))
    try Data().write(to: URL(fileURLWithPath: errorsFile))
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle(forReadingAtPath: inputFile)
    process.standardError = FileHandle(forWritingAtPath: errorsFile)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // A crash must not count as an exit status.
    #expect(process.terminationReason == .exit)
    return Result(
      status: process.terminationStatus,
      output: String(decoding: data, as: UTF8.self),
      errors: try String(decoding: Data(contentsOf: URL(fileURLWithPath: errorsFile)), as: UTF8.self)
    )
  }

  package static func executable() throws -> URL {
    try Probe.executable().deletingLastPathComponent().appendingPathComponent("keeputil")
  }
}
