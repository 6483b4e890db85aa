import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Makes every system call of a save or a read fail: the old file or the new one must be there, whole, and the caller
/// must learn which.
///
/// `KEEPSAKE_FAULTS=all` in the environment adds further errors.
@Suite(
  .enabled(if: probePath != nil, "archive-probe is not beside the tests"),
  .enabled(if: canTrace, "strace is not installed or may not trace here")
)
struct FaultInjectionTests {
  private static let isLong: Bool = ProcessInfo.processInfo.environment["KEEPSAKE_FAULTS"] == "all"

  static let faults: [InjectedFault] = {
    let short = [InjectedFault("EIO", EIO), InjectedFault("EINTR", EINTR), .kill]
    let usual = short + [InjectedFault("ENOSPC", ENOSPC)]
    guard isLong else { return sized(1, inDebug: 0) == 1 ? usual : short }
    return usual + [
      InjectedFault("EACCES", EACCES), InjectedFault("EPERM", EPERM), InjectedFault("EDQUOT", EDQUOT),
      InjectedFault("EROFS", EROFS), InjectedFault("EMFILE", EMFILE),
      InjectedFault("ENOLCK", ENOLCK), InjectedFault("EAGAIN", EAGAIN), InjectedFault("ENOMEM", ENOMEM),
      InjectedFault("EBADF", EBADF), InjectedFault("ENXIO", ENXIO), InjectedFault("ESTALE", ESTALE),
    ]
  }()

  /// A debug build makes the same system calls, so it runs only the save that has most of them.
  static let chosenSaves: [FaultySave] =
    isLong ? FaultySave.allCases : FaultySave.allCases.suffix(sized(3, inDebug: 1))

  // MARK: Saving

  @Test(
    "a failing system call in a save leaves the old or the new file, and the error says which",
    .timeLimit(.minutes(20)),
    arguments: chosenSaves
  )
  func saves(_ save: FaultySave) throws {
    let first = try save.run()
    try #require(first.run.status == 0 && first.run.outcome == "saved", "\(first.run.outcome)")
    let calls = first.run.trace.calls.filter(\.isAboutFiles)
    let names = Set(calls.map(\.name))
    for name in ["openat", "write", "fsync", "renameat", "close"] {
      #expect(names.contains(name), "\(name) is not among the calls: \(calls)")
    }
    let place = try #require(calls.firstIndex { $0.name.hasPrefix("rename") })
    var failures = 0
    for (index, call) in calls.enumerated() {
      for fault in Self.faults {
        let result = try save.run(options: fault.options(for: call))
        let comment: Comment = "\(fault) at \(call): \(result.run.outcome)"
        try expect(result, of: save, like: first, fault, at: call, isAfterRename: index > place, comment)
        if result.run.status != 0 { failures += 1 }
        // The next save removes all leftovers.
        try saveText("next", to: result.folder("a"))
        #expect(try result.folder.names == save.names, comment)
      }
    }
    print(
      "\(save): \(calls.count * Self.faults.count) faults at \(calls.count) system calls, \(failures) of them errors"
    )
    #expect(failures > calls.count, "most calls fail a save twice and more")
  }

  private func expect(
    _ result: FaultySave.Result,
    of save: FaultySave,
    like first: FaultySave.Result,
    _ fault: InjectedFault,
    at call: SystemCallTrace.Call,
    isAfterRename: Bool,
    _ comment: Comment
  ) throws {
    let isNew = result.bytes == first.bytes
    #expect(isNew || result.bytes == save.oldBytes, "the file is neither the old one nor the new: \(comment)")
    #expect(result.leftovers.count <= 1, comment)
    if save.keepsMode, result.bytes != nil, !fault.isTolerated(at: call) {
      #expect(try permissions(result.file) == 0o640, comment)
    }
    guard let reason = fault.reason else {
      #expect(result.run.status == SIGKILL, comment)
      #expect(isNew == isAfterRename, comment)
      return
    }
    #expect(result.run.trace.calls.contains { $0.isInjected && $0.name == call.name }, comment)
    if result.run.status == 0 {
      #expect(result.run.outcome == "saved" && isNew, comment)
      #expect(!save.mustFail(call) || fault.isInterruption || fault.isTolerated(at: call), comment)
    } else {
      #expect(!fault.isInterruption, "an interruption is no error: \(comment)")
      let words = result.run.outcome.split(separator: "\t", omittingEmptySubsequences: false)
      try #require(words.count == 3, comment)
      #expect(words[0] == "unwritableFile" && words[1] == result.folder("a"), comment)
      #expect(words[2].contains(reason), comment)
      #expect(isNew == words[2].contains("the new file is in place"), comment)
      // Only a leftover that could not be removed stays.
      #expect(result.leftovers.isEmpty || save.leavesLeftover, comment)
    }
  }

  @Test("a write of zero bytes is an error, and not repeated forever", .timeLimit(.minutes(20)))
  func nothingWritten() throws {
    let save = FaultySave.streamed
    let first = try save.run()
    let writes = first.run.trace.calls.filter { $0.name == "write" }
    #expect(writes.count > 1)
    for call in writes {
      let result = try save.run(options: ["-e", "inject=write:retval=0:when=\(call.occurrence)"])
      #expect(
        result.run.status == 1 && result.run.outcome.hasPrefix("unwritableFile\t"),
        "\(result.run.outcome)"
      )
      #expect(result.bytes == save.oldBytes && result.leftovers.isEmpty)
    }
  }

  // MARK: Documents

  /// The file of a document of `count` texts that was saved again after `change`, so that saves are appended to it.
  private func changedDocument(of count: Int, _ change: (inout [String]) -> Void) throws -> Data {
    let folder = try TemporaryFolder()
    let document = try ArchiveDocument(creating: folder("a"), root: (0..<count).map { "text \($0)" })
    change(&document.root)
    try document.save()
    document.close()
    return try folder.read("a")
  }

  private func folder(with document: Data) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(document, "a")
    return folder
  }

  @Test("a failing system call in a document's save leaves the old or the new save", .timeLimit(.minutes(20)))
  func documents() throws {
    let document = try changedDocument(of: 100) { $0.append("last") }
    let sound = try folder(with: document)
    let first = try SystemCallTrace.run(["marked-document", sound("a")])
    try #require(first.status == 0 && first.outcome == "saved", "\(first.outcome)")
    let calls = first.trace.calls.filter(\.isAboutFiles)
    for name in ["pwrite64", "fsync"] {
      #expect(calls.count { $0.name == name } == 2, "\(name) is not twice among the calls: \(calls)")
    }
    var failures = 0
    for call in calls {
      for fault in Self.faults {
        let folder = try folder(with: document)
        let options = fault.options(for: call)
        let run = try SystemCallTrace.run(["marked-document", folder("a")], options: options)
        let comment: Comment = "\(fault) at \(call): \(run.outcome)"
        let texts = try KeyedUnarchiver.unarchive([String].self, fromFile: folder("a"))
        #expect(texts.count == 101 || texts.last == "added", comment)
        if run.status == 0 {
          #expect(run.outcome == "saved" && texts.last == "added", comment)
        } else if fault.reason != nil {
          failures += 1
          let words = run.outcome.split(separator: "\t", omittingEmptySubsequences: false)
          try #require(words.count == 3 && words[1] == folder("a"), comment)
          #expect(!fault.isInterruption || call.name == "mmap", comment)
        }
        // The next save removes all leftovers.
        let again = try ArchiveDocument<[String]>(opening: folder("a"))
        again.root.append("after")
        try again.save()
        #expect(try folder.read("a").count == again.saves.reduce(0) { $0 + $1.byteCount }, comment)
      }
    }
    print("document: faults at \(calls.count) system calls, \(failures) of them errors")
    #expect(failures > 4)
  }

  @Test("after a failing system call during compaction, the document can be saved again")
  func compactions() throws {
    let document = try changedDocument(of: 5_000) { $0[0] = "changed" }
    let sound = try folder(with: document)
    let first = try SystemCallTrace.run(["marked-compact", sound("a")])
    try #require(first.status == 0 && first.outcome == "compacted", "\(first.outcome)")
    let calls = first.trace.calls.filter(\.isAboutFiles)
    for name in ["write", "fsync", "mmap", "renameat"] {
      #expect(calls.contains { $0.name == name }, "\(name) is not among the calls: \(calls)")
    }
    var failures = 0
    for call in calls {
      for fault in Self.faults {
        let folder = try folder(with: document)
        let run = try SystemCallTrace.run(["marked-compact", folder("a")], options: fault.options(for: call))
        let comment: Comment = "\(fault) at \(call): \(run.outcome)"
        let texts = try KeyedUnarchiver.unarchive([String].self, fromFile: folder("a"))
        #expect(texts.first == "changed", comment)
        guard fault.reason != nil else { continue }
        #expect(texts.last == "added" && texts.count == 5_001, comment)
        if run.status == 0 { continue }
        failures += 1
        let words = run.outcome.split(separator: "\t", omittingEmptySubsequences: false)
        try #require(words.count == 3 && words[1] == folder("a"), comment)
      }
    }
    print("compaction: faults at \(calls.count) system calls, \(failures) of them errors")
    #expect(failures > 4)
  }

  // MARK: Reading

  @Test("a failing system call in a read is an error, except for close and EINTR", .timeLimit(.minutes(20)))
  func readings() throws {
    let folder = try TemporaryFolder()
    let path = folder("a")
    let saved = try SystemCallTrace.run(["marked-save", path, "3", "whole"])
    try #require(saved.status == 0)
    let first = try SystemCallTrace.run(["marked-read", path])
    try #require(first.status == 0 && first.outcome == "read", "\(first.outcome)")
    let calls = first.trace.calls.filter(\.isAboutFiles)
    for name in ["openat", "mmap", "close"] {
      #expect(calls.contains { $0.name == name }, "\(name) is not among the calls: \(calls)")
    }
    var failures = 0
    for call in calls {
      for fault in Self.faults where fault.reason != nil {
        let run = try SystemCallTrace.run(["marked-read", path], options: fault.options(for: call))
        let comment: Comment = "\(fault) at \(call): \(run.outcome)"
        #expect(run.trace.calls.contains { $0.isInjected && $0.name == call.name }, comment)
        if run.status == 0 {
          #expect(run.outcome == "read", comment)
          #expect(call.name == "close" || fault.isInterruption, comment)
        } else {
          failures += 1
          // Mapping a file is never interrupted.
          #expect(!fault.isInterruption || call.name == "mmap", comment)
          let words = run.outcome.split(separator: "\t", omittingEmptySubsequences: false)
          try #require(words.count == 3, comment)
          #expect(words[0] == "unreadableFile" && words[1] == path, comment)
          #expect(words[2].contains(fault.reason ?? ""), comment)
        }
      }
    }
    print("reading: faults at \(calls.count) system calls, \(failures) of them errors")
    #expect(failures > 0)
  }
}

/// A fault of a process at a system call.
struct InjectedFault: CustomStringConvertible, Sendable {
  let description: String
  /// The number of the error; `nil` if the process is killed before the call.
  private let number: CInt?

  /// Skips the call and makes it return an error.
  init(_ name: String, _ number: CInt) {
    description = name
    self.number = number
  }

  private init() {
    description = "a kill"
    number = nil
  }

  static let kill = InjectedFault()

  var isInterruption: Bool { number == EINTR }

  /// The system's message for the error.
  var reason: String? { number.map { SystemError(number: $0).reason } }

  /// Whether the error says that the file system lacks a feature that a save can do without.
  func isTolerated(at call: SystemCallTrace.Call) -> Bool {
    call.name == "fchmod" && number == EPERM
  }

  func options(for call: SystemCallTrace.Call) -> [String] {
    let what = number == nil ? "signal=SIGKILL" : "error=\(description)"
    return ["-e", "inject=\(call.name):\(what):when=\(call.occurrence)"]
  }
}

/// A save to inject faults into, always in the same circumstances.
enum FaultySave: CaseIterable {
  /// There is no file yet.
  case new
  /// The path is a symbolic link, and the archive is written in one piece.
  case replacing
  /// An archive of more than a megabyte, beside a leftover of a killed save.
  case streamed

  struct Result {
    let folder: TemporaryFolder
    /// The file itself, also behind a link.
    let file: String
    let run: SystemCallTrace.Run
    /// The contents of the file; `nil` if there is none.
    let bytes: Data?
    let leftovers: [String]
  }

  /// The name of the killed save's leftover.
  static let leftoverName = TemporaryName.random(for: "a")

  var oldBytes: Data? { self == .new ? nil : Data("the old file".utf8) }
  var keepsMode: Bool { self != .new }
  var names: [String] { self == .replacing ? ["a", "real"] : ["a"] }

  /// Whether a leftover may still be there.
  var leavesLeftover: Bool { self == .streamed }

  /// Whether the save must report that the call failed. Other calls look for leftovers, keep the owner, or close.
  func mustFail(_ call: SystemCallTrace.Call) -> Bool {
    switch call.name {
    case "write", "fsync", "fdatasync", "renameat", "fchmod": true
    case "openat": call.arguments.contains("O_CREAT")
    default: false
    }
  }

  func run(options: [String] = []) throws -> Result {
    let folder = try TemporaryFolder()
    let file = self == .replacing ? folder("real/a") : folder("a")
    if self == .replacing {
      try FileManager.default.createDirectory(atPath: folder("real"), withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: folder("a"), withDestinationPath: "real/a")
    }
    if self != .new { try writeText("the old file", to: file, mode: 0o640) }
    if self == .streamed { try writeText("half of", to: folder(Self.leftoverName)) }
    let arguments =
      switch self {
      case .new: ["marked-save", folder("a"), "0", "streamed"]
      case .replacing: ["marked-save", folder("a"), "3", "whole"]
      case .streamed: ["marked-save", folder("a"), "40", "streamed"]
      }
    let run = try SystemCallTrace.run(arguments, options: options)
    let inside = self == .replacing ? folder("real") : folder.path
    return Result(
      folder: folder,
      file: file,
      run: run,
      bytes: FileManager.default.fileExists(atPath: file) ? try Data(contentsOf: URL(filePath: file)) : nil,
      leftovers: try FileManager.default.contentsOfDirectory(atPath: inside).filter { $0.hasPrefix(".a.") }
    )
  }
}
