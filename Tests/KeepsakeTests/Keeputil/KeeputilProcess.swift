import Foundation
import Keepsake
import Testing

/// The built tool, run as a user runs it.
enum Keeputil {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs the tool in `folder`.
  static func run(_ arguments: String..., input: Data = Data(), in folder: Folder) throws -> Result {
    try run(executable(), arguments, input, folder)
  }

  /// Runs a line of the shell, in which "$0" is the tool.
  static func shell(_ line: String, in folder: Folder) throws -> Result {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", line, executable().path], Data(), folder)
  }

  /// Whether there is a script(1) of util-linux, which makes a terminal for what it runs.
  static let hasTerminal =
    (try? shell("command -v script >/dev/null && script --version | grep -q util-linux", in: Folder()).status)
    == 0

  /// Runs the tool with a terminal for its input, output and errors, which come together.
  ///
  /// - Parameter environment: what stands before the command in a line of the shell.
  static func onTerminal(_ arguments: String, _ environment: String, in folder: Folder) throws -> Result {
    try shell("\(environment) script -qec '\"'\"$0\"'\" \(arguments)' /dev/null", in: folder)
  }

  private static func run(
    _ program: URL,
    _ arguments: [String],
    _ input: Data,
    _ folder: Folder
  ) throws -> Result {
    let inputFile = folder.path("input-\(UUID())")
    let errorsFile = folder.path("errors-\(UUID())")
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
    // A crash must not pass for an exit status.
    #expect(process.terminationReason == .exit)
    return Result(
      status: process.terminationStatus,
      output: String(decoding: data, as: UTF8.self),
      errors: try String(decoding: Data(contentsOf: URL(fileURLWithPath: errorsFile)), as: UTF8.self)
    )
  }

  static func executable() throws -> URL {
    try Probe.executable().deletingLastPathComponent().appendingPathComponent("keeputil")
  }

  /// A folder for the files of one test, removed with the last reference to it.
  final class Folder {
    let url: URL

    init() throws {
      url = FileManager.default.temporaryDirectory.appendingPathComponent("keeputil-\(UUID())")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    func write(_ data: Data, _ name: String) throws { try data.write(to: url.appendingPathComponent(name)) }
    func read(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path) }
  }
}

/// Objects to archive, with one that is shared and no cycle.
final class Crew: Codable {
  var captain: Sailor
  var sailors: [Sailor]
  var founded = Date(timeIntervalSinceReferenceDate: 0.5)
  var badge = Data([0, 1, 255])
  var id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  var home = URL(string: "https://example.org/crew?a=1")
  var odds: [Double] = [0.5, .infinity]

  init() {
    let captain = Sailor(name: "Ann")
    self.captain = captain
    sailors = [Sailor(name: "Bo\u{202E}b"), captain]
  }

  final class Sailor: Codable {
    var name: String
    init(name: String) { self.name = name }
  }
}
