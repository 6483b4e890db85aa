import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

@Suite struct KeeputilStats {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("stats prints tables in columns, from a file and from a pipe")
  func tables() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Crew())
    try folder.write(data, "crew.keepsake")
    let result = try Keeputil.run("stats", "crew.keepsake", in: folder)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(
      result.output.hasPrefix("crew.keepsake: \(data.count) bytes, format 1.0\n3 objects of 2 classes, ")
    )
    for words in [
      "\nThe file\n", "\nClasses\n", "\nKeys\n", "\nKinds of values\n", "\nLargest values\n", "\nSharing\n",
      "KeeputilTests.Crew.Sailor", "root.home.relative", "1 object referred to more than once",
    ] {
      #expect(result.output.contains(words), "\(words) in \(result.output)")
    }
    // Numbers are right-aligned.
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "The file"))
    let table = lines[(start + 1)...].prefix { !$0.isEmpty }
    let shareEnd = try #require(table.first?.range(of: "share")?.upperBound)
    let column = try #require(table.first?.distance(from: table.first?.startIndex ?? shareEnd, to: shareEnd))
    for line in table.dropFirst() { #expect(line.prefix(column).hasSuffix("%"), "\(line)") }
    #expect(lines.allSatisfy { $0.last != " " })
    let piped = try Keeputil.shell("cat crew.keepsake | \"$0\" stats -", in: folder)
    #expect(piped.output.dropFirst("standard input".count) == result.output.dropFirst("crew.keepsake".count))
  }

  @Test("the figures of stats --json add up, and its names are the original ones")
  func json() throws {
    let strange = "</script><img src=x onerror=alert(1)>\u{2028}\u{202E}\u{1B}[31m\"\\"
    let archiver = KeyedArchiver()
    try archiver.encode([strange: Crew()], forKey: strange)
    let data = try archiver.encodedData
    try folder.write(data, "a.keepsake")
    let result = try Keeputil.run("stats", "--json", "--top=2", "a.keepsake", in: folder)
    #expect(result.status == 0)
    let json = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(json["bytes"] as? Int == data.count)
    let parts = try #require(json["parts"] as? [[String: Any]])
    #expect(parts.reduce(0) { $0 + ($1["bytes"] as? Int ?? 0) } == data.count)
    #expect(parts.count == 12)
    let keys = try #require(json["keys"] as? [[String: Any]])
    #expect(keys.contains { $0["name"] as? String == strange })
    #expect((json["largestValues"] as? [Any])?.count == 2)
    // The text escapes control characters.
    let text = try Keeputil.run("stats", "a.keepsake", in: folder).output
    #expect(
      !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" || $0 == "\u{2028}" }
    )
    #expect(text.contains("\\u{1B}[31m"))
  }

  @Test("wrong files and wrong arguments give one line and an exit status")
  func wrong() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Crew())
    try folder.write(data, "a.keepsake")
    try folder.write(Data("Dear diary".utf8), "text")
    try folder.write(data.prefix(data.count - 9), "cut")
    var changed = data
    changed[changed.startIndex + 30] ^= 1
    try folder.write(changed, "changed")
    for (status, words, arguments) in [
      (66, "cannot be read", ["stats", "absent"]), (65, "not a Keepsake archive", ["stats", "text"]),
      (65, "cut", ["stats", "cut"]), (65, "changed", ["stats", "--json", "changed"]),
      (64, "one file expected", ["stats"]), (64, "no option '--frob'", ["stats", "--frob", "a.keepsake"]),
      (64, "is not a number from 1 to 1,000", ["stats", "--top", "0", "a.keepsake"]),
      (64, "is not a number", ["stats", "--top", "ten", "a.keepsake"]),
      (64, "needs a value", ["stats", "--top"]),
    ] {
      let line = "\"$0\" " + arguments.map { "'\($0)'" }.joined(separator: " ")
      let result = try Keeputil.shell(line, in: folder)
      #expect(result.status == Int32(status), "\(arguments)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(result.output.isEmpty)
    }
  }

  @Test("an empty key is shown in quotes")
  func emptyKey() throws {
    try folder.archive(["": [1, 2, 3]], "a.keepsake")
    #expect(try Keeputil.run("stats", "a.keepsake", in: folder).output.contains("\n  \"\"  "))
    let json = try Keeputil.run("stats", "--json", "a.keepsake", in: folder).output
    #expect(json.contains(#""name": "","#))
  }

  @Test("a closed pipe is not an error")
  func brokenPipe() throws {
    let dictionary = Dictionary(
      uniqueKeysWithValues: (0..<9_000).map { ("a key of some length, number \($0)", $0) }
    )
    try KeyedArchiver.archive(rootObject: dictionary, toFile: folder("a.keepsake"))
    let result = try Keeputil.shell("\"$0\" stats --json a.keepsake | head -n 1", in: folder)
    #expect(result.output == "{\n")
    #expect(result.errors.isEmpty)
    let ignoring = try Keeputil.shell(
      "trap '' PIPE; { \"$0\" stats --json a.keepsake; echo $? >status; } | head -n 1; sleep 0",
      in: folder
    )
    #expect(ignoring.output == "{\n")
    #expect(ignoring.errors.isEmpty)
  }

  @Test("stats shows an empty archive")
  func nothing() throws {
    let archiver = KeyedArchiver()
    try archiver.finishEncoding()
    try folder.write(try archiver.encodedData, "a.keepsake")
    let result = try Keeputil.run("stats", "a.keepsake", in: folder)
    #expect(result.status == 0)
    #expect(result.output.contains("0 objects of 0 classes, 1 value\n"), "\(result.output)")
    #expect(result.output.contains("No object is referred to more than once."))
  }
}
