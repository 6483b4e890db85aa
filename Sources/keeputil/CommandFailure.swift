import Foundation
import Keepsake

/// Why a command ends early: an exit status as of sysexits(3), and a line for standard error.
struct CommandFailure: Error {
  static let wrongUsage: Int32 = 64
  static let badData: Int32 = 65
  static let noInput: Int32 = 66
  static let inputOutput: Int32 = 74

  let status: Int32
  /// `nil` to end without a word, as when nobody reads what is written any more.
  let message: String?

  init(_ status: Int32, _ message: String?) {
    self.status = status
    self.message = message
  }

  static func usage(_ message: String) -> CommandFailure { CommandFailure(wrongUsage, message) }

  /// What went wrong with the archive in the file `name`.
  init(_ error: ArchiveError, in name: String) {
    switch error.code {
    case .unreadableFile: self.init(CommandFailure.noInput, error.description)
    case .unwritableFile: self.init(CommandFailure.inputOutput, error.description)
    case .notAnArchive: self.init(CommandFailure.badData, "\(name): this is not a Keepsake archive")
    default: self.init(CommandFailure.badData, "\(name): \(error.description)")
    }
  }

  /// What went wrong with `name` while it was encoded or decoded.
  init(coding error: any Error, in name: String) {
    let context: (path: [any CodingKey], description: String, underlying: (any Error)?)
    switch error {
    case let failure as CommandFailure:
      self = failure
      return
    case let error as ArchiveError:
      self.init(error, in: name)
      return
    case EncodingError.invalidValue(_, let details):
      context = (details.codingPath, details.debugDescription, details.underlyingError)
    case DecodingError.dataCorrupted(let details), DecodingError.keyNotFound(_, let details),
      DecodingError.typeMismatch(_, let details), DecodingError.valueNotFound(_, let details):
      context = (details.codingPath, details.debugDescription, details.underlyingError)
    default:
      self.init(CommandFailure.badData, "\(name): \(error)")
      return
    }
    if let archiveError = context.underlying as? ArchiveError {
      self.init(archiveError, in: name)
    } else {
      let place =
        context.path.isEmpty ? "" : " (at \(context.path.map(\.stringValue).joined(separator: ".")))"
      self.init(CommandFailure.badData, "\(name): \(context.description)\(place)")
    }
  }
}

/// The system's words for an error number.
func systemReason(_ number: Int32) -> String {
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}

/// The system's words for what Foundation threw, and the error number where there is one.
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
