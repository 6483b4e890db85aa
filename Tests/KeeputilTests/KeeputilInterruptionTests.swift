import Foundation
import Keepsake
import TestSupport
import Testing

/// The signals that end a command.
private let interruptions = [SIGINT, SIGTERM, SIGHUP]

/// Commands that a signal ends while they write a file.
@Suite(.timeLimit(.minutes(20))) struct KeeputilInterruption {
  let folder: TemporaryFolder

  init() throws {
    // Under `nohup` and in the background of a script, some are ignored; the tool would inherit that and never end.
    for number in interruptions { _ = signal(number, SIG_DFL) }
    folder = try TemporaryFolder()
    try folder.archive(Crew(), "a.keepsake")
    try folder.write(Data("old".utf8), "out.json")
  }

  /// The tool with its file half written: it blocks while it writes notes, since nothing reads them.
  private struct HeldTool {
    let process = Process()
    private let errors = Pipe()

    /// - Parameter before: A command of the shell before it becomes the tool.
    init(in folder: TemporaryFolder, before: String = ":") throws {
      let end = errors.fileHandleForWriting
      _ = fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK)
      while (try? end.write(contentsOf: Data(count: 1 << 12))) != nil {}
      _ = fcntl(end.fileDescriptor, F_SETFL, 0)
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let line = "\(before); exec \"$0\" convert a.keepsake out.json"
      process.arguments = ["-c", line, try Keeputil.executable().path]
      process.currentDirectoryURL = folder.url
      process.standardError = end
      try process.run()
      try end.close()
      while process.isRunning, try !folder.hasUnfinished { Thread.sleep(forTimeInterval: 0.005) }
    }

    /// Sends a signal, and returns the signal that ended the tool, if any.
    func end(by number: Int32) -> Int32? {
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      return process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
    }

    /// Reads the tool's notes so that it continues, and returns its exit status.
    func goOn() throws -> Int32 {
      _ = try errors.fileHandleForReading.readToEnd()
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  @Test("a signal removes the unfinished file and keeps the old one", arguments: interruptions)
  func signals(number: Int32) throws {
    let tool = try HeldTool(in: folder)
    #expect(try folder.hasUnfinished)
    #expect(tool.end(by: number) == number)
    #expect(try !folder.hasUnfinished)
    #expect(try folder.read("out.json") == Data("old".utf8))
  }

  @Test("the next command removes what SIGKILL left")
  func killed() throws {
    #expect(try HeldTool(in: folder).end(by: SIGKILL) == SIGKILL)
    #expect(try folder.hasUnfinished)
    #expect(try folder.read("out.json") == Data("old".utf8))
    #expect(try Keeputil.run("convert", "a.keepsake", "out.json", in: folder).status == 0)
    #expect(try !folder.hasUnfinished)
    #expect(try folder.read("out.json") != Data("old".utf8))
  }

  @Test("an ignored signal does not end the command")
  func ignored() throws {
    let tool = try HeldTool(in: folder, before: "trap '' HUP")
    kill(tool.process.processIdentifier, SIGHUP)
    Thread.sleep(forTimeInterval: 0.2)
    #expect(try tool.process.isRunning && folder.hasUnfinished)
    #expect(try tool.goOn() == 0)
    #expect(try !folder.hasUnfinished)
    #expect(try folder.read("out.json") != Data("old".utf8))
  }
}

extension TemporaryFolder {
  /// Whether the temporary file of out.json exists.
  fileprivate var hasUnfinished: Bool {
    get throws { try names.contains { $0.hasPrefix(".out.json.keepsake-") } }
  }
}
