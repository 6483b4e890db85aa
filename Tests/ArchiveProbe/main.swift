import Foundation
import Keepsake

// The second process of the tests: `archive-probe write SAMPLE PATH`, `check SAMPLE PATH`, `bytes SAMPLE`, and the
// commands of FileCommands.swift, GraphCommands.swift, ClassCommands.swift, DeepCommands.swift and CostCommands.swift.
// Long runs for durability and with random graphs: GenerationArchive.swift, KillCommands.swift, PowerCutCommands.swift,
// MarkedCommands.swift and SoakCommands.swift.

/// Ends the program with a line on standard error.
func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("archive-probe: \(message)\n".utf8))
  exit(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  if try runFileCommand(arguments) { exit(0) }
  if try runGraphCommand(arguments) { exit(0) }
  if runClassCommand(arguments) { exit(0) }
  if try runDeepCommand(arguments) { exit(0) }
  if try GenerationArchive.runCommand(arguments) { exit(0) }
  if try runKillCommand(arguments) { exit(0) }
  if try runDocumentKillCommand(arguments) { exit(0) }
  if try runPowerCutCommand(arguments) { exit(0) }
  if try runMarkedCommand(arguments) { exit(0) }
  if try runSoakCommand(arguments) { exit(0) }
  if try runCostCommand(arguments) { exit(0) }
  guard arguments.count >= 2, let sample = Sample(rawValue: arguments[1]) else {
    fail("write SAMPLE PATH, check SAMPLE PATH or bytes SAMPLE; samples: \(Sample.allCases)")
  }
  switch (arguments[0], arguments.dropFirst(2).first) {
  case ("bytes", nil): FileHandle.standardOutput.write(try sample.bytes())
  case ("write", let path?): try sample.bytes().write(to: URL(fileURLWithPath: path))
  case ("check", let path?):
    let faults = try sample.faults(inFile: path)
    if !faults.isEmpty { fail(faults.joined(separator: "; ")) }
  default: fail("no command is spelled \(arguments)")
  }
} catch {
  fail("\(arguments.joined(separator: " ")): \(error)")
}
