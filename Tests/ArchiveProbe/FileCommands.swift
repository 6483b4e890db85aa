import Keepsake

/// Saves that a test limits, traces or kills, through the public interface only.
///
///     file-save PATH COUNT BYTE      saves COUNT bytes with the value BYTE
///     file-save-forever PATH COUNT   saves COUNT bytes, with another value each time, until it is killed
///
/// Returns false if the command is neither.
func runFileCommand(_ arguments: [String]) throws -> Bool {
  switch arguments.first {
  case "file-save":
    guard arguments.count == 4, let count = Int(arguments[2]), let byte = UInt8(arguments[3]) else {
      throw FileCommandError.wrongArguments(arguments)
    }
    try KeyedArchiver.archive(rootObject: [UInt8](repeating: byte, count: count), toFile: arguments[1])
  case "file-save-forever":
    guard arguments.count == 3, let count = Int(arguments[2]) else {
      throw FileCommandError.wrongArguments(arguments)
    }
    var byte: UInt8 = 0
    while true {
      try KeyedArchiver.archive(rootObject: [UInt8](repeating: byte, count: count), toFile: arguments[1])
      byte &+= 1
    }
  default:
    return false
  }
  return true
}

enum FileCommandError: Error {
  case wrongArguments([String])
}
