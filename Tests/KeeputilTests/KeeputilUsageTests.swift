import Foundation
import Keepsake
import TestSupport
import Testing

/// Wrong arguments and missing files give one line and an exit status.
@Suite struct KeeputilUsage {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expect(_ status: Int32, _ words: String, _ result: Keeputil.Result) {
    #expect(result.status == status)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("keeputil: "))
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("wrong arguments are errors")
  func wrongArguments() throws {
    expect(64, "no command", try Keeputil.run(in: folder))
    expect(64, "no command 'frobnicate'", try Keeputil.run("frobnicate", in: folder))
    expect(64, "no option '-x'", try Keeputil.run("-x", in: folder))
    expect(64, "one file expected, 0 given", try Keeputil.run("print", in: folder))
    expect(64, "one file expected, 2 given", try Keeputil.run("verify", "a", "b", in: folder))
    expect(64, "IN and OUT expected", try Keeputil.run("convert", "a", in: folder))
    expect(64, "no option '--frob'", try Keeputil.run("print", "--frob", "a", in: folder))
    expect(64, "needs a value", try Keeputil.run("demo", "-o", in: folder))
    expect(64, "standard output shows the result", try Keeputil.run("demo", "-o", "-", in: folder))
    expect(64, "no format 'yaml'", try Keeputil.run("convert", "--to", "yaml", "a", "b", in: folder))
    expect(64, "is not a number", try Keeputil.run("print", "--depth", "much", "a", in: folder))
    for number in ["0", "-3", "much", ""] {
      let result = try Keeputil.run("print", "--depth", number, "a", in: folder)
      expect(64, "'\(number)' is not a number from 1 on for the option '--depth'", result)
    }
    expect(64, "no command 'x'", try Keeputil.run("help", "x", in: folder))
    try KeyedArchiver.archive(rootObject: 1, toFile: folder("a.keepsake"))
    expect(64, "archive already", try Keeputil.run("convert", "a.keepsake", "b", in: folder))
    let latin1 = "\"$0\" edit --set \"root=\\\"$(printf 'M\\374ller')\\\"\" a.keepsake -o b"
    expect(64, "argument 3 is not valid UTF-8", try Keeputil.shell(latin1, in: folder))
  }

  @Test("a number that overflows is treated as unlimited, unless the option has a maximum")
  func hugeNumbers() throws {
    let huge = String(repeating: "9", count: 40)
    try KeyedArchiver.archive(rootObject: [[1, 2]], toFile: folder("a.keepsake"))
    let plain = try Keeputil.run("print", "a.keepsake", in: folder)
    #expect(
      try Keeputil.run("print", "--depth", huge, "--members", huge, "a.keepsake", in: folder).output
        == plain.output
    )
    expect(
      64,
      "is not a number from 1 to 1,000",
      try Keeputil.run("stats", "--top", huge, "a.keepsake", in: folder)
    )
  }

  @Test("missing and unsuitable files are errors", arguments: ["print", "verify"])
  func wrongFiles(command: String) throws {
    try folder.write(Data("Dear diary, this is a longer text that is no archive of any kind.\n".utf8), "text")
    try folder.write(Data(), "empty")
    expect(66, "absent: cannot be read: No such file", try Keeputil.run(command, "absent", in: folder))
    expect(66, "Is a directory", try Keeputil.run(command, ".", in: folder))
    expect(65, "text: this is not a Keepsake archive", try Keeputil.run(command, "text", in: folder))
    expect(65, "empty: the file is empty", try Keeputil.run(command, "empty", in: folder))
    try folder.write(Data([4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8, 3]), "old")
    expect(65, "old: this is an archive of NSArchiver", try Keeputil.run(command, "old", in: folder))
    // A name is escaped for the terminal.
    expect(66, "\\u{1B}[31m", try Keeputil.run(command, "\u{1B}[31m", in: folder))
    // A file whose name looks like an option.
    try KeyedArchiver.archive(rootObject: 1, toFile: folder("-a"))
    #expect(try Keeputil.run(command, "--", "-a", in: folder).status == 0)
  }

  @Test("output that cannot be written is an error")
  func unwritable() throws {
    try KeyedArchiver.archive(rootObject: ["a"], toFile: folder("a.keepsake"))
    try folder.write(Data("[]".utf8), "a.json")
    expect(74, "No such file", try Keeputil.run("convert", "a.keepsake", "absent/b.json", in: folder))
    expect(74, "absent/b.keepsake", try Keeputil.run("convert", "a.json", "absent/b.keepsake", in: folder))
    expect(74, "it is a folder", try Keeputil.run("convert", "a.keepsake", ".", "--to", "json", in: folder))
    if FileManager.default.fileExists(atPath: "/dev/full") {
      expect(74, "No space left", try Keeputil.shell("\"$0\" print a.keepsake >/dev/full", in: folder))
    }
  }

  @Test("the error for a file name that is not UTF-8 suggests standard input")
  func otherNames() throws {
    try KeyedArchiver.archive(rootObject: 1, toFile: folder("a.keepsake"))
    let name = "$(printf 'a\\377.keepsake')"
    let result = try Keeputil.shell("cp a.keepsake \"\(name)\"; \"$0\" verify \"\(name)\"", in: folder)
    #expect(result.status == 64 && result.errors.contains("pass the file to -"), "\(result.errors)")
    #expect(try Keeputil.shell("\"$0\" verify - <\"\(name)\"", in: folder).status == 0)
  }

  @Test("help and --version print their texts")
  func help() throws {
    for arguments in [["--help"], ["-h"], ["help"]] {
      let result = try Keeputil.shell("\"$0\" " + arguments.joined(separator: " "), in: folder)
      #expect(result.status == 0)
      for word in ["print", "convert", "verify", "edit", "demo", "--version", "64"] {
        #expect(result.output.contains(word))
      }
    }
    for command in [
      "print", "stats", "report", "graph", "diff", "verify", "edit", "convert", "demo",
    ] {
      let help = try Keeputil.run("help", command, in: folder)
      #expect(help.status == 0)
      #expect(help.output.contains("keeputil \(command)"))
      #expect(try Keeputil.run(command, "--help", in: folder).output == help.output)
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
    #expect(try Keeputil.run("--version", in: folder).output.hasPrefix("keeputil "))
  }
}
