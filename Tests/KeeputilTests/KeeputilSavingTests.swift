import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// How the tool writes files, which files it replaces, and which it refuses to replace.
@Suite struct KeeputilSaving {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.archive(Crew(), "a.keepsake")
    try folder.write(Data("{\"a\":1}".utf8), "a.json")
  }

  /// Commands that write a new file; OUT stands for its name.
  static let commands = [
    "convert --to json a.keepsake OUT", "convert --to plist a.keepsake OUT",
    "convert --to keepsake a.keepsake OUT",
    "convert --to keepsake a.json OUT", "graph a.keepsake -o OUT", "report a.keepsake -o OUT",
    "edit --remove root.badge a.keepsake -o OUT",
  ]

  private func run(_ command: String, writing file: String, before: String = "") throws -> Keeputil.Result {
    try Keeputil.shell(before + " \"$0\" " + command.replacing("OUT", with: file), in: folder)
  }

  @Test(
    "a file is synced before it is renamed, and the folder before the tool ends",
    .enabled(if: canTrace, "strace is not installed or may not trace here"),
    arguments: commands
  )
  func durable(command: String) throws {
    try folder.write(Data("old".utf8), "out")
    let strace = "/usr/bin/strace -f -y -s 0 -o trace -e trace=write,fsync,rename,renameat,renameat2"
    #expect(try run(command, writing: "out", before: strace).status == 0)
    var steps: [String] = []
    for line in String(decoding: try folder.read("trace"), as: UTF8.self).split(separator: "\n") {
      let isNewFile = line.contains("/.out.keepsake-")
      let step =
        line.contains(" rename")
        ? "rename"
        : line.contains(" fsync(") ? (isNewFile ? "sync" : "sync folder") : isNewFile ? "write" : nil
      if let step, step != steps.last { steps.append(step) }
    }
    #expect(steps == ["write", "sync", "rename", "sync folder"])
    #expect(try folder.read("out") != Data("old".utf8))
    #expect(try !folder.names.contains { $0.hasPrefix(".out.") })
  }

  @Test(
    "a file full of trailer signatures is read in few calls",
    .enabled(if: canTrace, "strace is not installed or may not trace here")
  )
  func signatures() throws {
    var file = try KeyedArchiver.archivedData(withRootObject: (0..<100).map { _ in Crew() }).prefix(16)
    while file.count < 1 << 20 { file += Trailer.signature }
    try folder.write(file, "signatures")
    let strace = "/usr/bin/strace -f -s 0 -o trace -e trace=pread64"
    let result = try Keeputil.shell("\(strace) \"$0\" verify signatures", in: folder)
    #expect(result.status == 65, "\(result.errors)")
    let reads = String(decoding: try folder.read("trace"), as: UTF8.self).split(separator: "\n").count
    #expect((10...1_000).contains(reads), "\(reads) reads")
  }

  @Test("any command that writes a file removes what a killed one left", arguments: commands)
  func leftover(command: String) throws {
    let name = TemporaryName.random(for: "out")
    try folder.write(Data("half of".utf8), name)
    #expect(try run(command, writing: "out").status == 0)
    #expect(try !folder.names.contains(name))
  }

  @Test("no command replaces its input, except edit", arguments: commands)
  func ownInput(command: String) throws {
    let input = command.contains("a.json") ? "a.json" : "a.keepsake"
    let before = try folder.read(input)
    try FileManager.default.createSymbolicLink(atPath: folder("symbolic"), withDestinationPath: input)
    try FileManager.default.linkItem(atPath: folder(input), toPath: folder("hard"))
    guard !command.hasPrefix("edit") else {
      #expect(try run(command, writing: input).status == 0)
      #expect(try folder.read(input) != before)
      return
    }
    for output in [input, "./\(input)", "symbolic", "hard"] {
      let result = try run(command, writing: output)
      #expect(result.status == 64)
      #expect(result.errors.contains("\(output) is the input"), "\(result.errors)")
      #expect(result.errors.contains("; give another file "))
      let redirected = try run(command.replacing(input, with: "-") + " <\(input)", writing: output)
      #expect(redirected.status == 64, "\(redirected.errors)")
      #expect(redirected.errors == result.errors)
      #expect(try folder.read(input) == before)
    }
  }

  @Test("a path that ends in a slash is refused", arguments: commands)
  func slash(command: String) throws {
    let names = try Set(folder.names)
    let result = try run(command, writing: "absent/")
    #expect(result.status == 74)
    #expect(
      result.errors.hasPrefix("keeputil: absent/: ") && result.errors.contains("slash"),
      "\(result.errors)"
    )
    #expect(try Set(folder.names).subtracting(names).allSatisfy { $0.contains("-") })
    #expect(!FileManager.default.fileExists(atPath: folder("absent")))
  }

  @Test("a name of the maximum length works", arguments: commands)
  func longName(command: String) throws {
    let name = String(repeating: "n", count: 255)
    let result = try run(command, writing: name)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try !folder.read(name).isEmpty)
  }

  @Test("a pipe or standard output, given by name, is written to and not replaced", arguments: commands)
  func specialFiles(command: String) throws {
    #expect(try run(command, writing: "out").status == 0)
    let direct = try folder.read("out")
    try makePipe(folder("pipe"))
    #expect(try run(command + " & cat pipe >through; wait $!", writing: "pipe").status == 0)
    #expect(try folder.read("through") == direct)
    #expect(try run(command + " | cat >piped", writing: "/dev/stdout").status == 0)
    #expect(try folder.read("piped") == direct)
    for name in ["/dev/stdout", "/dev/fd/1"] {
      let whole = "(echo before; \"$0\" \(command.replacing("OUT", with: name)); echo behind) >whole"
      #expect(try Keeputil.shell(whole, in: folder).status == 0)
      #expect(try folder.read("whole") == Data("before\n".utf8) + direct + Data("behind\n".utf8))
    }
  }

  @Test("output for a closed stream does not go into the file")
  func closedStreams() throws {
    try folder.archive(Date(timeIntervalSinceReferenceDate: 5), "date.keepsake")
    let result = try run("convert date.keepsake OUT", writing: "out.json")
    #expect(result.errors.contains("note: 1 date is"))
    for closed in ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      #expect(try run("convert date.keepsake OUT " + closed, writing: "other.json").status == 0)
      #expect(try folder.read("other.json") == folder.read("out.json"))
    }
    #expect(try run("print date.keepsake >&-", writing: "").status == 74)
    #expect(try run("print - <&-", writing: "").status == 66)
  }
}
