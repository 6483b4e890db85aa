import Foundation
import Keepsake
import RandomArchives

/// The n-th archive of a saver. The seed, the saver and the number determine its bytes, so readers can tell
/// whether it is complete and how old it is.
struct GenerationArchive: Codable {
  let name: Name
  let seed: UInt64
  let pieces: [GenerationPiece]

  /// The number of this archive in a run.
  struct Name: Codable, Hashable {
    let saver: Int
    let number: Int
  }

  init(_ name: Name, seed: UInt64) {
    self.name = name
    self.seed = seed
    var generator = SplitMix(seed: SplitMix.seed(SplitMix.seed(seed, part: name.saver), part: name.number))
    // Half of them small; some that fit into memory; some that are streamed while they are made, which begins with
    // the second megabyte.
    let (count, size): (Int, Int)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0..<4: (count, size) = (Int.random(in: 0...20, using: &generator), 100)
    case 4..<6: (count, size) = (Int.random(in: 1...15, using: &generator), 20_000)
    default: (count, size) = (Int.random(in: 18...60, using: &generator), 65_536)
    }
    pieces = (0..<count).map { number in
      GenerationPiece(
        number,
        Data(repeating: UInt8.random(in: .min ... .max, using: &generator), count: size)
      )
    }
  }

  var isWhole: Bool {
    let model = GenerationArchive(name, seed: seed)
    return pieces.count == model.pieces.count
      && zip(pieces, model.pieces).allSatisfy { $0.number == $1.number && $0.data == $1.data }
  }

  /// Saves it by one of the methods, which alternate.
  func save(to path: String) throws {
    switch name.number % 3 {
    case 0:
      try KeyedArchiver.archive(rootObject: self, toFile: path)
    case 1:
      let archiver = KeyedArchiver()
      try archiver.encode(self, forKey: KeyedArchiver.rootKey)
      try archiver.write(toFile: path)
    default:
      let archiver = KeyedArchiver()
      try archiver.encode(self, forKey: KeyedArchiver.rootKey)
      // From here on, the archiver writes the data that it returned.
      _ = try archiver.encodedData
      try archiver.write(toFile: path)
    }
  }

  /// The archive in a file; `nil` if there is no file.
  ///
  /// - Throws: the reader's error, or a ``GenerationFault`` if it reads something that was never saved.
  static func read(_ path: String, seed: UInt64) throws -> Name? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let archive = try KeyedUnarchiver.unarchive(GenerationArchive.self, fromFile: path)
    guard archive.seed == seed, archive.isWhole else {
      throw GenerationFault(
        "saver \(archive.name.saver)'s number \(archive.name.number) is not what it saved"
      )
    }
    return archive.name
  }
}

/// An object, so complete parts of a large archive can be written before the rest.
final class GenerationPiece: Codable {
  let number: Int
  let data: Data

  init(_ number: Int, _ data: Data) {
    self.number = number
    self.data = data
  }
}

/// A state that must not occur after a kill or a power cut.
struct GenerationFault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension GenerationArchive {
  /// Saves one archive after the other to a file until it is killed, and reports on standard output: its process first,
  /// then `begin NUMBER TIME` and `end NUMBER TIME` before and after each save, in nanoseconds of a clock that
  /// all processes share. Returns false if the command is another one.
  ///
  ///     save-generations PATH SAVER NUMBER SEED
  static func runCommand(_ arguments: [String]) throws -> Bool {
    guard arguments.first == "save-generations" else { return false }
    guard arguments.count == 5, let saver = Int(arguments[2]), let first = Int(arguments[3]),
      let seed = UInt64(arguments[4])
    else { throw FileCommandError.wrongArguments(arguments) }
    // If this process hangs, the alarm ends it, and the parent reports a fault.
    alarm(60)
    func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
    say("process \(getpid())")
    for number in first... {
      let archive = GenerationArchive(Name(saver: saver, number: number), seed: seed)
      say("begin \(number) \(DispatchTime.now().uptimeNanoseconds)")
      try archive.save(to: arguments[1])
      say("end \(number) \(DispatchTime.now().uptimeNanoseconds)")
    }
    return true
  }
}
