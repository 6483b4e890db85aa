package import Foundation
import Testing

/// A temporary folder, which is removed after the test.
package final class TemporaryFolder {
  package let url: URL
  package var path: String { url.path }

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "keepsake-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  package func callAsFunction(_ name: String) -> String {
    path + "/" + name
  }

  package func write(_ data: Data, _ name: String) throws { try data.write(to: url.appending(path: name)) }
  package func read(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

  /// The names of all files in the folder.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

package func writeText(_ text: String, to path: String, mode: Int? = nil) throws {
  try Data(text.utf8).write(to: URL(filePath: path))
  if let mode { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path) }
}

package func makePipe(_ path: String) throws {
  // Unsafe: the C string lives during the call.
  let result = unsafe mkfifo(path, 0o600)
  try #require(result == 0)
}

package func fileText(_ path: String) throws -> String {
  String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
}

package func permissions(_ path: String) throws -> Int? {
  try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

/// The executable of this package that is built beside the tests.
package let probePath = (try? Probe.executable())?.path

package func startCommand(_ command: [String], errors: String? = nil) throws -> Process {
  let process = Process()
  process.executableURL = URL(filePath: command[0])
  process.arguments = Array(command.dropFirst())
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  if let errors {
    try writeText("", to: errors)
    process.standardError = FileHandle(forWritingAtPath: errors)
  }
  try process.run()
  return process
}

/// Runs a command to its end, and returns its status and its standard error.
package func runCommand(_ command: [String]) throws -> (status: Int32, errors: String) {
  let folder = try TemporaryFolder()
  let process = try startCommand(command, errors: folder("errors"))
  process.waitUntilExit()
  return (process.terminationStatus, try fileText(folder("errors")))
}

/// Whether strace is installed and has permission to trace.
package let canTrace: Bool = {
  guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else { return false }
  return (try? runCommand(["/usr/bin/strace", "-o", "/dev/null", "/bin/true"]).status) == 0
}()
