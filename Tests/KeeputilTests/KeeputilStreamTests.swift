import Foundation
import Keepsake
import TestSupport
import Testing

@testable import keeputil

/// Reading and writing pipes and devices, which may be endless.
@Suite(.timeLimit(.minutes(20))) struct KeeputilStreams {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "endless input that is no archive is refused after its first bytes",
    arguments: ["print", "verify", "stats", "graph", "report -o page", "edit --remove root -o new"]
  )
  func endless(command: String) throws {
    for line in ["\"$0\" \(command) /dev/zero", "yes 1 | \"$0\" \(command) -"] {
      let result = try Keeputil.shell(line, in: folder)
      #expect(result.status == 65)
      #expect(result.errors.contains("this is not a Keepsake archive"), "\(result.errors)")
    }
  }

  @Test("convert refuses endless noise, even behind the start of JSON")
  func endlessJSON() throws {
    let noise = "{ printf '{\"a\":1'; cat /dev/zero; } | \"$0\" convert - a.keepsake"
    for line in ["\"$0\" convert /dev/zero a.keepsake", noise] {
      let result = try Keeputil.shell(line, in: folder)
      #expect(result.status == 65)
      #expect(result.errors.contains("neither an archive nor JSON nor a property list"), "\(result.errors)")
    }
  }

  @Test("slow pipes are read to their end")
  func slowPipes() throws {
    try folder.archive((0..<3_000).map { "text \($0)" }, "a.keepsake")
    let split = "{ head -c 3 a.keepsake; sleep 0.2; tail -c +4 a.keepsake; } | \"$0\" verify -"
    let verified = try Keeputil.shell(split, in: folder)
    #expect(verified.status == 0, "\(verified.errors)")
    let space = String(repeating: " ", count: 10_000)
    try folder.write(Data("\(space)[1,\(space)2]".utf8), "a.json")
    let converted = try Keeputil.shell("cat a.json | \"$0\" convert --to json - -", in: folder)
    #expect(converted.output == "[1,2]\n", "\(converted.errors)")
    try folder.write(Data("\(space)<plist><string>x</string></plist>".utf8), "a.plist")
    let list = try Keeputil.shell("cat a.plist | \"$0\" convert --to json - -", in: folder)
    #expect(list.output == "\"x\"\n", "\(list.errors)")
  }

  @Test("a pipe that gives more bytes than the limit is an error")
  func bound() throws {
    func read(_ count: Int, atMost bound: Int) throws -> Data {
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data([0x89] + "KEEP".utf8) + Data(count: count - 5))
      try pipe.fileHandleForWriting.close()
      return try InputReading.readStream(
        pipe.fileHandleForReading,
        name: "a pipe",
        mayBeJSON: false,
        atMost: bound
      )
    }
    for count in [5, InputReading.beginningByteCount, 10_000] {
      #expect(try read(count, atMost: 10_000).count == count)
    }
    let failure = #expect(throws: CommandFailure.self) { try read(10_001, atMost: 10_000) }
    #expect(failure?.status == .noInput)
    #expect(
      failure?.message
        == "a pipe: cannot be read: it gives more than 10,000 bytes, and only a regular file may have more"
    )
    #expect(InputReading.mostByteCount == 1 << 30 && ExitStatus.noInput.meaning.contains("1 GB"))
  }

  @Test("a closed pipe ends the tool without a message, and the manual names the exit status")
  func closedPipe() throws {
    try folder.archive((0..<20_000).map { "text \($0)" }, "a.keepsake")
    let result = try Keeputil.shell("{ \"$0\" print a.keepsake; echo $? >status; } | head -1", in: folder)
    #expect(result.output == "{\n" && result.errors.isEmpty, "\(result.errors)")
    let status = try String(decoding: folder.read("status"), as: UTF8.self)
    // If the tests were started with SIGPIPE ignored, the tool ignores it, too.
    #expect(["141\n", "74\n"].contains(status))
    for command in Tool.commands {
      #expect(command.manual.text(.plain).contains("the signal SIGPIPE ends the"), "\(command.name)")
    }
    #expect(try Keeputil.run("--help", in: folder).output.contains("141"))
  }
}
