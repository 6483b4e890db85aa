import Foundation
import Keepsake

/// The exit statuses of commands, as in sysexits(3) and diff(1). Every command uses `done` and `usage`.
enum ExitStatus: Int32, CaseIterable {
  case done = 0
  case different = 1
  case usage = 64
  case badData = 65
  case noInput = 66
  case inputOutput = 74

  var meaning: String {
    switch self {
    case .done: "All went well."
    case .different: "The archives are different (diff)."
    case .usage: "The arguments are wrong."
    case .badData: "A file is damaged, or of an unexpected kind."
    case .noInput: "A file cannot be read, or a pipe or device gives more than 1 GB."
    case .inputOutput: "The result cannot be written."
    }
  }
}

/// Why a command ends early: an exit status, and a line for standard error.
struct CommandFailure: Error {
  let status: ExitStatus
  /// `nil` ends the command without a message, for example if the reader of the output has closed it.
  let message: String?

  init(_ status: ExitStatus, _ message: String?) {
    self.status = status
    self.message = message
  }

  /// The same failure, with the name of the file in its message.
  func about(_ name: String) -> CommandFailure { CommandFailure(status, message.map { "\(name): \($0)" }) }

  static func usage(_ message: String) -> CommandFailure { CommandFailure(.usage, message) }
  static func badData(_ message: String) -> CommandFailure { CommandFailure(.badData, message) }

  init(_ error: ArchiveError, in name: String) {
    switch error.code {
    case .unreadableFile: self.init(.noInput, error.explanation)
    case .unwritableFile, .fileInUse: self.init(.inputOutput, error.explanation)
    case .notAnArchive: self.init(.badData, "\(name): this is not a Keepsake archive")
    default: self.init(.badData, error.path == nil ? "\(name): \(error.explanation)" : error.explanation)
    }
  }

  /// The failure for any error while `name` is read or written.
  init(any error: any Error, in name: String) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ArchiveError: self.init(error, in: name)
    default: self = .badData("\(name): \(error)")
    }
  }
}

func systemReason(_ number: Int32) -> String {
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}

/// The system's message for an error of Foundation, and the error number if there is one.
func systemReason(_ error: any Error) -> (text: String, number: Int32?) {
  var error: NSError? = error as NSError
  while let current = error {
    if current.domain == NSPOSIXErrorDomain {
      let number = Int32(truncatingIfNeeded: current.code)
      return (systemReason(number), number)
    }
    error = current.userInfo[NSUnderlyingErrorKey] as? NSError
  }
  return ("input or output failed", nil)
}
