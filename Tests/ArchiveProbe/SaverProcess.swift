import Foundation

/// A child that saves generations, and its reports through a pipe.
///
/// Data in a pipe outlives the child, so each acknowledged save is known, whenever the child is killed.
final class SaverProcess {
  let saver: Int
  /// The number of its first save.
  let first: Int
  private let process = Process()
  private let output = Pipe()
  private var unread = Data()
  private var number: pid_t?
  /// The last save that began.
  private(set) var begun: Save?
  private var returned: [(save: Save, end: UInt64)] = []
  /// When the power failed, if it did. A save that returned afterwards proves nothing: a stopped XFS lets `fsync` of a
  /// folder succeed, since it has nothing left to write; after a real cut, no process would get an answer.
  var powerCut: UInt64?

  /// The last save that returned, and its end.
  var acknowledged: (save: Save, end: UInt64)? {
    guard let powerCut else { return returned.last }
    return returned.last { $0.end < powerCut }
  }

  /// How many saves returned after the power failed.
  var returnedTooLate: Int { powerCut.map { cut in returned.count { $0.end >= cut } } ?? 0 }

  struct Save {
    let number: Int
    let begin: UInt64
  }

  /// - Parameter prefix: a command that runs the saver, such as strace with its options.
  init(
    saver: Int,
    path: String,
    first: Int,
    seed: UInt64,
    prefix: [String] = [],
    command name: String = "save-generations"
  ) throws {
    self.saver = saver
    self.first = first
    let command = prefix + [try ownPath(), name, path, "\(saver)", "\(first)", "\(seed)"]
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The child has its own descriptor; while this one is open, its output has no end.
    try output.fileHandleForWriting.close()
  }

  deinit {
    stop()
    process.waitUntilExit()
  }

  /// Waits until another save is acknowledged.
  ///
  /// - Throws: ``GenerationFault`` if the child ends instead.
  func waitForSave() throws {
    let before = acknowledged?.save.number
    while acknowledged?.save.number == before {
      guard readSome() else { throw GenerationFault("saver \(saver) ended by itself, without a word") }
    }
  }

  /// Ends the child at once. With a prefix, it ends the child's child, and the prefix follows.
  func stop() {
    guard process.isRunning else { return }
    // Unknown until its first line is read: then only the started process can be ended.
    kill(number ?? process.processIdentifier, SIGKILL)
  }

  /// Reads its reports until it was killed.
  func finish() {
    while readSome() {}
    process.waitUntilExit()
  }

  /// Reads available reports, waiting for them; returns false at the end.
  private func readSome() -> Bool {
    let bytes = output.fileHandleForReading.availableData
    unread += bytes
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      take(String(decoding: unread[..<end], as: UTF8.self).split(separator: " "))
      unread = Data(unread[unread.index(after: end)...])
    }
    return !bytes.isEmpty
  }

  private func take(_ words: [Substring]) {
    if words.count == 2, words[0] == "process" { number = pid_t(words[1]) }
    guard words.count == 3, let save = Int(words[1]), let time = UInt64(words[2]) else { return }
    if words[0] == "begin" {
      begun = Save(number: save, begin: time)
    } else if let begun, begun.number == save {
      returned.append((begun, time))
    }
  }
}

/// This program, for starting it again.
func ownPath() throws -> String {
  #if os(Linux)
    // The name by which it was started may be relative to another folder than the current one.
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  #else
    URL(filePath: CommandLine.arguments[0]).path
  #endif
}
