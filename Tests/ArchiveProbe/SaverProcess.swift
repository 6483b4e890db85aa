import Foundation

/// A child that saves generations, and what it said about it through a pipe.
///
/// What a pipe has taken outlives the child: each save that it acknowledged is known, whenever it is killed.
final class SaverProcess {
  let saver: Int
  /// The number of its first save.
  let first: Int
  private let process = Process()
  private let output = Pipe()
  private var unread = Data()
  private var number: pid_t?
  /// The last save that was begun.
  private(set) var begun: Save?
  private var returned: [(save: Save, end: UInt64)] = []
  /// When the power went, if it did. What returned after that proves nothing: a stopped XFS lets `fsync` of a folder
  /// succeed, as what it has given up is no longer waiting to be written; after a real cut nobody would be told.
  var powerCut: UInt64?

  /// The last save that returned, and its end.
  var acknowledged: (save: Save, end: UInt64)? {
    guard let powerCut else { return returned.last }
    return returned.last { $0.end < powerCut }
  }

  /// How many saves returned after the power had gone.
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
    // The child has its own; with this one the end of the output would never come.
    try output.fileHandleForWriting.close()
  }

  deinit {
    stop()
    process.waitUntilExit()
  }

  /// Waits until a save is acknowledged that was not when this was called.
  ///
  /// - Throws: ``GenerationFault`` when the child ends instead.
  func waitForSave() throws {
    let before = acknowledged?.save.number
    while acknowledged?.save.number == before {
      guard readSome() else { throw GenerationFault("saver \(saver) ended by itself, without a word") }
    }
  }

  /// Ends the child at once. With a prefix it is the child's child that is ended, and the prefix follows.
  func stop() {
    guard process.isRunning else { return }
    // Not known before its first line is read: then the process that was started is all there is to end.
    kill(number ?? process.processIdentifier, SIGKILL)
  }

  /// Reads what it said until it was killed.
  func finish() {
    while readSome() {}
    process.waitUntilExit()
  }

  /// Takes in what there is, waiting for it; false at the end.
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

/// This program, to be started again.
func ownPath() throws -> String {
  #if os(Linux)
    // The name that it was started by may be one of a folder that is no longer the current one.
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  #else
    URL(filePath: CommandLine.arguments[0]).path
  #endif
}
