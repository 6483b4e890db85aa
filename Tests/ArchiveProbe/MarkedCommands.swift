import Foundation
import Keepsake

/// One save or one read between two system calls that mark it in a trace. Writes the result to standard
/// error: `saved`, `read`, or the code, the path and the message of the error, separated by tabs.
///
///     marked-save PATH COUNT WAY     saves a saver's archive of COUNT pieces; WAY is `streamed` or `whole`
///     marked-read PATH               reads it
///     marked-document PATH           adds a string to the document there and saves it
///     marked-compact PATH            compacts the document there, and then saves another string, marked or not
///
/// Ends with 0 if it succeeds and with 1 otherwise. Returns false for other commands.
func runMarkedCommand(_ arguments: [String]) throws -> Bool {
  let work: () throws -> String
  var afterwards: () throws -> Void = {}
  switch (arguments.first, arguments.count) {
  case ("marked-save", 4):
    guard let count = Int(arguments[2]) else { throw FileCommandError.wrongArguments(arguments) }
    // Made before the mark, so that only the save requests memory between the marks.
    let archive = (0..<count).map { GenerationPiece($0, Data(repeating: 7, count: 65_536)) }
    let path = arguments[1]
    if arguments[3] == "streamed" {
      work = {
        try KeyedArchiver.archive(rootObject: archive, toFile: path)
        return "saved"
      }
    } else {
      let archiver = KeyedArchiver()
      try archiver.encode(archive, forKey: KeyedArchiver.rootKey)
      try archiver.finishEncoding()
      work = {
        try archiver.write(toFile: path)
        return "saved"
      }
    }
  case ("marked-read", 2):
    work = {
      _ = try KeyedUnarchiver.unarchive([GenerationPiece].self, fromFile: arguments[1])
      return "read"
    }
  case ("marked-document", 2):
    let document = try ArchiveDocument<[String]>(opening: arguments[1])
    document.root.append("added")
    work = {
      try document.save()
      return "saved"
    }
  case ("marked-compact", 2):
    let document = try ArchiveDocument<[String]>(opening: arguments[1])
    work = {
      try document.compact()
      return "compacted"
    }
    afterwards = {
      document.root.append("added")
      try document.save()
    }
  case ("marked-save", _), ("marked-read", _), ("marked-document", _), ("marked-compact", _):
    throw FileCommandError.wrongArguments(arguments)
  default: return false
  }
  // If this process hangs, the alarm ends it.
  alarm(20)
  let marker = "/keepsake-marker"
  _ = FileManager.default.fileExists(atPath: marker)
  let result = Result { try work() }
  _ = FileManager.default.fileExists(atPath: marker)
  try afterwards()
  switch result {
  case .success(let word):
    FileHandle.standardError.write(Data(word.utf8))
    exit(0)
  case .failure(let error as ArchiveError):
    let words = [error.code.description, error.path ?? "", error.message]
    FileHandle.standardError.write(Data(words.joined(separator: "\t").utf8))
  case .failure(let error):
    FileHandle.standardError.write(Data("another error: \(error)".utf8))
  }
  exit(1)
}
