import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// The output of `keeputil print`: colors, offsets, JSON.
@Suite struct KeeputilShowing {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func uncoloured(_ text: String) -> String {
    text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
  }

  /// What `print --json` writes for `a.keepsake`, which must be JSON.
  private func json(_ options: String...) throws -> String {
    let result = try Keeputil.shell(
      "\"$0\" print --json \(options.joined(separator: " ")) a.keepsake",
      in: folder
    )
    #expect(result.status == 0)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(result.output.utf8)) }
    return result.output
  }

  @Test("colors appear only on request, and do not change the text")
  func colours() throws {
    try folder.archive(Crew(), "a.keepsake")
    let plain = try Keeputil.run("print", "a.keepsake", in: folder).output
    let coloured = try Keeputil.run("print", "--color", "always", "a.keepsake", in: folder).output
    #expect(!plain.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[32m\"Ann\"\u{1B}[0m"))
    #expect(uncoloured(coloured) == plain)
    // Each color ends on its line.
    for line in coloured.split(separator: "\n") {
      let ends = line.components(separatedBy: "\u{1B}[0m").count - 1
      #expect(line.components(separatedBy: "\u{1B}[").count - 1 == 2 * ends)
    }
    #expect(try Keeputil.run("print", "--color=never", "a.keepsake", in: folder).output == plain)
    #expect(try Keeputil.run("print", "--color=auto", "a.keepsake", in: folder).output == plain)
    let wrong = try Keeputil.run("print", "--color", "pink", "a.keepsake", in: folder)
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("'pink' is not a value for '--color'"))
  }

  @Test(
    "a terminal gets colors unless NO_COLOR has a value or TERM is dumb or missing",
    .enabled(if: Keeputil.hasTerminal, "script(1) makes a terminal for what it runs"),
    arguments: [
      ("print a.keepsake", "\u{1B}[32m\"v\""), ("stats a.keepsake", "\u{1B}[1mClasses"),
      ("help print", "\u{1B}[1mNAME"), ("--help", "\u{1B}[1mUsage:"),
    ]
  )
  func terminal(command: String, coloured: String) throws {
    try folder.archive(["k": "v"], "a.keepsake")
    func show(_ environment: String) throws -> String {
      try Keeputil.onTerminal(command, environment, in: folder).output
    }
    #expect(try show("env -u NO_COLOR TERM=xterm").contains(coloured))
    #expect(try show("env NO_COLOR= TERM=xterm").contains(coloured))
    for environment in ["NO_COLOR=1 TERM=xterm", "env -u NO_COLOR TERM=dumb", "env -u NO_COLOR -u TERM"] {
      let plain = try show(environment)
      #expect(!plain.contains("\u{1B}") && !plain.isEmpty, "\(environment)")
    }
  }

  @Test("--offsets shows the offset and size of each value")
  func offsets() throws {
    let data = HandmadeArchive.data(
      bodies: [
        [1] + CraftedArchive.map(("t", [0x23, 0x61, 0x62, 0x63]), ("n", [Tag.shortArray + 1, 0x95]))
      ],
      topLevel: CraftedArchive.root([Tag.objectReference, 1])
    )
    try folder.write(data, "a.keepsake")
    let result = try Keeputil.run("print", "--offsets", "a.keepsake", in: folder)
    #expect(
      result.output == """
        {  @30
          "root" => Thing #1 {  @16
            "t" => "abc"  @21+4
            "n" => [  @27
              0 => 5  @28+1
            ]  @27+2
          }  @16+13
        }  @30+9

        """
    )
    let short = try Keeputil.run("print", "--offsets", "--depth", "1", "a.keepsake", in: folder)
    #expect(short.output == "{  @30\n  \"root\" => Thing #1 {…}  @37+2\n}  @30+9\n")
  }

  @Test("print --json shows values of all kinds")
  func json() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Int?.none, forKey: "nil")
    try archiver.encode(Int??.some(.none), forKey: "some")
    try archiver.encode(UInt128.max, forKey: "wide")
    try archiver.encode(Float(0.1), forKey: "single")
    try archiver.encode([Float](arrayLiteral: 0.5, .infinity), forKey: "singles")
    try archiver.encode([Float](), forKey: "no singles")
    try archiver.encode(-0.0, forKey: "zero")
    try archiver.encode(Double.nan, forKey: "nan")
    try archiver.encode([1.5, -.infinity], forKey: "doubles")
    try archiver.encode([true, false], forKey: "bools")
    try archiver.encode(Date(timeIntervalSinceReferenceDate: 1.5), forKey: "date")
    try archiver.encode(Decimal(string: "-12.50"), forKey: "decimal")
    try archiver.encode(Data([1, 2, 255]), forKey: "bytes")
    try archiver.encode(["$ref": 1, "$$": 2], forKey: "$keys")
    try archiver.encode([-5: "a\"\n\u{1B}"], forKey: "map")
    try archiver.write(toFile: folder("a.keepsake"))
    let result = try Keeputil.run("print", "--json", "a.keepsake", in: folder)
    #expect(result.status == 0)
    for part in [
      #""nil":null"#, #""some":{"$some":null}"#, #""wide":340282366920938463463374607431768211455"#,
      #""single":{"$float32":0.1}"#, #""singles":{"$float32":[0.5,"inf"]}"#,
      #""no singles":{"$float32":[]}"#, #""zero":-0.0"#,
      #""nan":{"$float64":"nan"}"#, #""doubles":[1.5,{"$float64":"-inf"}]"#, #""bools":[true,false]"#,
      #""date":{"$date":1.5}"#, #""decimal":{"$decimal":"-12.5"}"#, #""bytes":{"$bytes":"AQL/"}"#,
      #""$$keys":{"#, #""$$ref":1"#, #""$$$":2"#, #""map":{"-5":"a\"\n\u001b"}"#,
    ] {
      #expect(result.output.contains(part), "\(part) in \(result.output)")
    }
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(result.output.utf8)) }
  }

  @Test(
    "JSON shows an object once with class and number, then by its number; --depth and --members cut it off"
  )
  func jsonObjects() throws {
    let data = HandmadeArchive.data(
      bodies: [
        [1] + CraftedArchive.map(("o", [Tag.objectReference, 2]), ("w", [Tag.conditionalReference, 0])),
        [1, Tag.shortArray + 2, Tag.objectReference, 1, Tag.conditionalReference, 1],
      ],
      topLevel: [0]
        + CraftedArchive.map(
          ("a", [Tag.objectReference, 1]),
          ("t", [Tag.typed, 1, 0x95]),
          ("e", [Tag.empty])
        ),
      classes: [HandmadeArchive.type("Thing"), HandmadeArchive.type("Circle", flags: 2)],
      conditionals: [[2], [0]]
    )
    try folder.write(data, "a.keepsake")
    let object = #"{"$class":"Thing","$id":2,"$value":[{"$ref":1},{"$weak":null}]}"#
    let rest = #""t":{"$type":"Circle","$value":5},"e":{"$empty":true}}"# + "\n"
    #expect(try json() == #"{"a":{"$class":"Thing","$id":1,"o":\#(object),"w":{"$weak":2}},"# + rest)
    #expect(try json("--depth", "1") == #"{"a":{"$class":"Thing","$id":1,"$cut":true},"# + rest)
    #expect(
      try json("--members", "1") == #"{"a":{"$class":"Thing","$id":1,"o":{"$class":"Thing","$id":2,"$value":"#
        + #"[{"$ref":1},{"$more":1}]},"$more":1},"$more":2}"# + "\n"
    )
    #expect(try json("--offsets", "--key", "t").contains(#""$value":{"$type":"Circle","$value":{"$offset":"#))
    try folder.archive([[1, 2, 3], [4, 5, 6]], "a.keepsake")
    #expect(try json("--members", "2") == #"{"root":[[1,2,{"$more":1}],[4,5,{"$more":1}]]}"# + "\n")
    #expect(try json("--depth", "2") == #"{"root":[{"$cut":3},{"$cut":3}]}"# + "\n")
  }

  @Test("a large packed array is printed to its end, or only as far as requested")
  func packed() throws {
    try folder.archive((0..<5_000).map { $0 * 7 }, "a.keepsake")
    let all = try Keeputil.run("print", "a.keepsake", in: folder).output
    #expect(all.split(separator: "\n").count == 5_004)
    #expect(all.contains("    4999 => 34993\n"))
    let few = try Keeputil.run("print", "--members", "1500", "--key", "root", "a.keepsake", in: folder).output
    #expect(few.hasSuffix("  1499 => 10493\n  … 3500 more\n]\n"))
    let json = try Keeputil.run(
      "print",
      "--json",
      "--members",
      "1500",
      "--key",
      "root",
      "a.keepsake",
      in: folder
    )
    #expect(json.output.hasSuffix(",10493,{\"$more\":3500}]\n"))
  }

  @Test("JSON marks values below --depth as cut, with their offsets")
  func jsonCuts() throws {
    struct Root: Codable {
      var list = [["a", "b"], []]
      var map = ["k": ["x": 1]]
      var none: [String] = []
      var object = Crew.Sailor(name: "Ann")
    }
    try folder.archive(Root(), "a.keepsake")
    #expect(try json("--depth", "1") == #"{"root":{"$cut":4}}"# + "\n")
    let object = #""object":{"$class":"KeeputilTests.Crew.Sailor","$id":2,"#
    #expect(
      try json("--depth", "2")
        == #"{"root":{"list":{"$cut":2},"map":{"$cut":1},"none":[],\#(object)"$cut":true}}}"# + "\n"
    )
    #expect(
      try json("--depth", "3")
        == #"{"root":{"list":[{"$cut":2},[]],"map":{"k":{"$cut":1}},"none":[],\#(object)"name":"Ann"}}}"#
        + "\n"
    )
    let archive = try ArchiveValue(forReadingFile: folder("a.keepsake"))
    let range = try #require(try archive["root"]?["object"]?.objectByteRange)
    let list = try #require(try archive["root"]?["list"]?.byteRange)
    let places = #""$offset":\#(range.lowerBound),"$size":\#(range.count),"#
    let cut = try json("--offsets", "--depth", "2")
    #expect(cut.contains(object + places + #""$cut":true}"#), "\(cut)")
    #expect(
      cut.contains(#""list":{"$offset":\#(list.lowerBound),"$value":{"$cut":2},"$size":\#(list.count)}"#),
      "\(cut)"
    )
    #expect(try json("--offsets").contains(object + places + #""name":{"$offset":"#))
  }
}
