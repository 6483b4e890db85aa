import Foundation
import RandomArchives

/// Stops a file system as a power cut does while savers use it, mounts it again, and reads what they saved. Run by
/// `.ci/power-cut`, which makes the file system. Returns false for other commands.
///
///     power-cuts DEVICE FOLDER COUNT SEED OPTIONS WHAT [SABOTAGE]
///
/// WHAT is `archives`, which are saved as a whole, or `documents`, to which saves append.
/// DEVICE has a file system that can be stopped (ext4, xfs) and is not mounted; FOLDER is empty, and the mount
/// point, with the mount options OPTIONS. SABOTAGE secretly makes `fsync` do nothing in the savers: `file` for the new
/// file, `folder` for the folder, `both`. Saves are then lost, which shows that this command would
/// notice; it fails if none is.
func runPowerCutCommand(_ arguments: [String]) throws -> Bool {
  guard arguments.first == "power-cuts" else { return false }
  guard (7...8).contains(arguments.count), let count = Int(arguments[3]), let seed = UInt64(arguments[4]),
    let sabotage = arguments.count > 7
      ? PowerCutRun.Sabotage(rawValue: arguments[7]) : PowerCutRun.Sabotage.none
  else { throw FileCommandError.wrongArguments(arguments) }
  let disk = Disk(device: arguments[1], folder: arguments[2], options: arguments[5])
  let subject: any PowerCutSubject
  switch arguments[6] {
  case "archives": subject = SaveRound(path: disk.folder + "/archive", seed: seed)
  case "documents": subject = DocumentRound(path: disk.folder + "/document", seed: seed)
  default: throw FileCommandError.wrongArguments(arguments)
  }
  var run = PowerCutRun(disk: disk, sabotage: sabotage, subject: subject, seed: seed)
  do {
    try run.start()
    while run.cuts < count { try run.round() }
    try run.finish()
  } catch {
    try? disk.unmount()
    fail("after \(run.cuts) cuts, seed \(seed), options \(arguments[5]): \(error)")
  }
  print(run.summary)
  return true
}

/// A file that savers use while the power fails.
private protocol PowerCutSubject {
  /// Makes the file, or replaces it.
  mutating func startOver() throws
  func startSaver(prefix: [String]) throws -> SaverProcess
  /// Checks the file after its saver was stopped; throws an error if a save was lost or is incomplete.
  mutating func checkAfter(_ saver: SaverProcess) throws
  /// Saves in this process.
  mutating func saveHere() throws
}

extension SaveRound: PowerCutSubject {
  mutating func startOver() throws {
    try removeFile()
    try saveHere()
  }

  func startSaver(prefix: [String]) throws -> SaverProcess { try startSaver(0, prefix: prefix) }

  mutating func checkAfter(_ saver: SaverProcess) throws {
    try check([saver])
    guard try leftovers().count <= 1 else { throw GenerationFault("more than one temporary file is left") }
  }
}

extension DocumentRound: PowerCutSubject {
  mutating func startOver() throws {
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    self = DocumentRound(path: path, seed: seed)
    try create()
  }

  func startSaver(prefix: [String]) throws -> SaverProcess { try startEditor(prefix: prefix) }
  mutating func checkAfter(_ saver: SaverProcess) throws { try check(saver) }
}

private struct PowerCutRun {
  enum Sabotage: String {
    case none, file, folder, both

    /// Makes the system calls do nothing. A save calls fsync twice, first for the file; that of a document first for
    /// all but its trailer.
    var prefix: [String] {
      let which: String
      switch self {
      case .none: return []
      case .file: which = ":when=1+2"
      case .folder: which = ":when=2+2"
      case .both: which = ""
      }
      let calls = "fsync,fdatasync"
      return [
        "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
        "inject=\(calls):retval=0\(which)",
      ]
    }
  }

  let disk: Disk
  let sabotage: Sabotage
  private var subject: any PowerCutSubject
  private var generator: SplitMix
  private(set) var cuts = 0
  private var cutsDuringSaves = 0
  private var acknowledgedSaves = 0
  private var returnedTooLate = 0
  private var lost = 0
  private var broken = 0
  private var examples: Set<String> = []

  init(disk: Disk, sabotage: Sabotage, subject: any PowerCutSubject, seed: UInt64) {
    self.disk = disk
    self.sabotage = sabotage
    self.subject = subject
    generator = SplitMix(seed: seed)
  }

  mutating func start() throws {
    try disk.mount()
    try subject.startOver()
  }

  mutating func round() throws {
    let saver = try subject.startSaver(prefix: sabotage.prefix)
    for _ in 0..<Int.random(in: 1...6, using: &generator) { try saver.waitForSave() }
    // Half of them right after a save has returned, when it must be on the disk.
    if generator.chance(0.5) {
      Thread.sleep(forTimeInterval: Double.random(in: 0..<0.03, using: &generator))
    }
    saver.powerCut = DispatchTime.now().uptimeNanoseconds
    try disk.cutPower()
    saver.stop()
    saver.finish()
    cuts += 1
    returnedTooLate += saver.returnedTooLate
    if saver.begun?.number != saver.acknowledged?.save.number { cutsDuringSaves += 1 }
    acknowledgedSaves += (saver.acknowledged?.save.number ?? saver.first - 1) - saver.first + 1
    try disk.unmount()
    try disk.mount()
    do {
      try subject.checkAfter(saver)
    } catch {
      guard sabotage != .none else { throw error }
      if error is GenerationFault { lost += 1 } else { broken += 1 }
      if case DecodingError.dataCorrupted(let context) = error {
        examples.insert(context.debugDescription)
      } else {
        examples.insert("\(error)")
      }
      // The file now has content that the next check cannot compare.
      return try subject.startOver()
    }
    if sabotage != .none || generator.chance(0.2) { try subject.saveHere() }
  }

  mutating func finish() throws {
    try subject.saveHere()
    try disk.unmount()
    guard cutsDuringSaves > 0 else { throw GenerationFault("no cut hit a save: nothing is proved") }
    guard sabotage == .none || lost + broken > 0 else {
      throw GenerationFault(
        "fsync did nothing, and yet nothing was lost: cuts as these are noticed by nobody"
      )
    }
  }

  var summary: String {
    let head =
      "\(cuts) cuts, \(cutsDuringSaves) of them during a save, \(acknowledgedSaves) saves acknowledged and \(returnedTooLate) too late to count, options \(disk.options)"
    if sabotage == .none { return "power-cuts: \(head): no acknowledged save lost, every file whole" }
    return
      "power-cuts: \(head), without fsync of \(sabotage): \(lost) saves lost, \(broken) files not whole; "
      + "such as: \(examples.sorted().prefix(3).joined(separator: "; "))"
  }
}

/// A file system on its own device.
private struct Disk {
  let device: String
  let folder: String
  let options: String

  func mount() throws {
    try run("mount", "-o", options, device, folder)
  }

  /// Also waits until processes that were just killed release it.
  func unmount() throws {
    for attempt in 0... {
      do {
        return try run("umount", folder)
      } catch  where attempt < 100 {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  /// From now on, nothing reaches the device: neither content of memory nor unwritten parts of the journal.
  ///
  /// This request exists for testing file systems against power cuts (`EXT4_IOC_SHUTDOWN`, `XFS_IOC_GOINGDOWN`);
  /// the journal is not flushed.
  func cutPower() throws {
    #if os(Linux)
      // _IOR('X', 125, __u32)
      let request: UInt = 0x8004_587D
      var withoutFlushing: UInt32 = 2
      guard let file = FileHandle(forReadingAtPath: folder) else {
        throw GenerationFault("cannot open \(folder)")
      }
      // Unsafe: the pointer to the flag is used during the call only.
      guard unsafe ioctl(file.fileDescriptor, request, &withoutFlushing) == 0 else {
        throw GenerationFault("cannot stop the file system: error \(errno)")
      }
    #else
      throw GenerationFault("only Linux can stop a file system")
    #endif
  }

  private func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw GenerationFault("\(command.joined(separator: " ")) ended with \(process.terminationStatus)")
    }
  }
}
