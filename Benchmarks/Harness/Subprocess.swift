import Foundation

/// Another program, whose output is collected.
struct Subprocess {
  private let process = Process()
  private let pipe = Pipe()

  /// Starts a program, and collects its output and its errors, which are short.
  init(path: String, arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
  }

  /// Waits for the program to end, and returns its status and its output.
  func finish() -> (status: Int32, output: String) {
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// Starts a program and waits for its end.
  static func run(path: String, arguments: [String]) throws -> (status: Int32, output: String) {
    try Subprocess(path: path, arguments: arguments).finish()
  }

  /// The path of a program in the folders of PATH. nil if it is in none of them.
  static func find(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
