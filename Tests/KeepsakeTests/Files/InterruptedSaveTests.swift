import Foundation
import Keepsake
import TestSupport
import Testing

/// Saves in another process, through the public API.
@Suite(.enabled(if: probePath != nil, "archive-probe is not beside the tests"))
struct InterruptedSaveTests {
  let folder: TemporaryFolder
  let probe: String

  init() throws {
    folder = try TemporaryFolder()
    probe = try #require(probePath)
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    try KeyedUnarchiver.unarchive([UInt8].self, fromFile: path)
  }

  @Test func aFullDiskIsAnErrorAndTheOldFileStays() throws {
    try KeyedArchiver.archive(rootObject: [1, 2, 3] as [UInt8], toFile: folder("a"))
    // A limit of 64 blocks of 512 or 1024 bytes, depending on the shell. Ignoring the signal, as programs that handle
    // full disks do, turns it into an error of the write.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" file-save \"$1\" 1000000 7"
    let (status, errors) = try runCommand(["/bin/sh", "-c", script, probe, folder("a")])
    #expect(status != 0)
    #expect(errors.contains("File too large"))
    #expect(try bytes(folder("a")) == [1, 2, 3])
    #expect(try folder.names == ["a"])
  }

  @Test(.timeLimit(.minutes(20)))
  func processesThatSaveToOnePathDoNotDisturbEachOther() throws {
    let savers = try (0..<4).map {
      try startCommand([probe, "file-save-forever", folder("a"), "20"], errors: folder("\($0)"))
    }
    while !FileManager.default.fileExists(atPath: folder("a")) { usleep(1000) }
    let end = ContinuousClock.now + .seconds(1)
    while ContinuousClock.now < end {
      let bytes = try bytes(folder("a"))
      #expect(bytes.count == 20 && Set(bytes).count == 1)
    }
    for saver in savers {
      #expect(saver.isRunning, "a save failed")
      kill(saver.processIdentifier, SIGKILL)
      saver.waitUntilExit()
    }
    for index in savers.indices { #expect(try fileText(folder("\(index)")).isEmpty) }
    try KeyedArchiver.archive(rootObject: [1] as [UInt8], toFile: folder("a"))
    #expect(try folder.names == ["0", "1", "2", "3", "a"])
  }

  @Test(.enabled(if: canTrace, "strace is not installed or may not trace here"))
  func theOrderOfSystemCallsIsTheDurableOne() throws {
    try writeText("old", to: folder("a"), mode: 0o640)
    let calls =
      "openat,write,pwrite64,writev,fsync,fdatasync,fchmod,rename,renameat,renameat2,unlink,unlinkat"
    let trace = folder("trace")
    let command = ["/usr/bin/strace", "-f", "-y", "-e", "trace=\(calls)", "-o", trace]
    let (status, errors) = try runCommand(command + [probe, "file-save", folder("a"), "100000", "7"])
    #expect(status == 0, "\(errors)")
    let steps = try Trace(fileText(trace), folder: folder.path).steps
    #expect(
      steps == ["create exclusively", "write", "set mode 0640", "sync file", "rename to a", "sync folder"],
      "\((try? fileText(trace)) ?? "")"
    )
  }
}

/// The steps of a trace that concern one folder and its files; repeated writes count as one.
private struct Trace {
  private(set) var steps: [String] = []

  init(_ text: String, folder: String) {
    for line in text.split(separator: "\n") where line.contains(folder + "/") || line.contains(folder + ">") {
      guard let step = Self.step(line, folder: folder), step != "write" || steps.last != "write" else {
        continue
      }
      steps.append(step)
    }
  }

  private static func step(_ line: Substring, folder: String) -> String? {
    // "PID call(arguments) = result"; a line may continue after one of another thread.
    let call = line.drop { $0.isNumber || $0 == " " }
    switch call.prefix(while: { $0 != "(" }) {
    case "openat":
      guard call.contains("O_CREAT") else { return nil }
      return call.contains("O_EXCL") && call.contains("O_CLOEXEC") ? "create exclusively" : "create"
    case "write", "pwrite64", "writev":
      return "write"
    case "fchmod":
      return call.contains(", 0640)") ? "set mode 0640" : "set another mode"
    case "fsync":
      return call.contains(folder + ">") ? "sync folder" : "sync file"
    case "rename", "renameat", "renameat2":
      return call.contains("\"a\")") || call.contains("\(folder)/a\")") ? "rename to a" : "rename"
    default:
      return String(call)
    }
  }
}
