import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

@Suite struct KeeputilConvert {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func thereAndBack(_ json: String) throws -> String {
    try folder.write(Data(json.utf8), "in.json")
    let there = try Keeputil.run("convert", "in.json", "a.keepsake", in: folder)
    #expect(there.status == 0, "\(there.errors)")
    #expect(try Keeputil.run("verify", "a.keepsake", in: folder).status == 0)
    let back = try Keeputil.run("convert", "--to", "json", "a.keepsake", "-", in: folder)
    #expect(back.status == 0, "\(back.errors)")
    return back.output
  }

  @Test(
    "JSON comes back with the same digits and the same order of keys",
    arguments: [
      "null", "true", "false", "0", "-1", "\"\"", "\"text\"", "[]", "{}", "[[],{},[null]]",
      #"{"z":1,"a":{"b":[1,2,3]},"":{"":""}}"#,
      "[9223372036854775807,-9223372036854775808,18446744073709551615]",
      "[170141183460469231731687303715884105727,340282366920938463463374607431768211455]",
      "[-170141183460469231731687303715884105728,1]",
      "[0.1,-0.0,1.0,5e-324,1.7976931348623157e+308,0.30000000000000004,123456.789]",
      "[3.14159265358979323846,0.1000000000000000055511151231257827]",
      "[1,2.5,true,null,\"x\"]", "[true,false,true]", "[1,200,70000,5000000000]",
      #"["é","é","日本語","😀👩‍👩‍👧","\u0000\u001f\"\\/ \u2028"]"#,
      "{\"\u{E9}\":1,\"e\u{301}\":2}",
      #"[{"name":"repeated text"},{"name":"repeated text"},{"name":"repeated text"}]"#,
    ]
  )
  func losesNothing(json: String) throws {
    let back = try thereAndBack(json)
    // Compares bytes: equal strings may differ in normalization.
    #expect(Array(back.utf8) == Array("\(json)\n".utf8))
  }

  @Test("other spellings of JSON become the usual one")
  func spellings() throws {
    #expect(
      try thereAndBack(" [ 1E2 , -0 , \"\\u00e9\\ud83d\\ude00\\/\" ]\r\n\t") == "[100.0,-0.0,\"é😀/\"]\n"
    )
    #expect(try thereAndBack("\u{FEFF}{}") == "{}\n")
    let back = try thereAndBack("{\"a\":[1,{}]}")
    let pretty = try Keeputil.run("convert", "a.keepsake", "-", "--to=json", "--pretty", in: folder)
    #expect(back == "{\"a\":[1,{}]}\n")
    #expect(pretty.output == "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n")
  }

  @Test("deep nesting, a long text and many elements come back")
  func large() throws {
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    let long = "\"" + String(repeating: "long ", count: 50_000) + "\""
    let many =
      "[" + (0..<5_000).map { "{\"id\":\($0),\"tag\":\"tag \($0 % 7)\"}" }.joined(separator: ",") + "]"
    for json in [deep, long, many] {
      let back = try thereAndBack(json)
      #expect(back == json + "\n")
    }
  }

  @Test(
    "invalid JSON and a number out of range are refused",
    arguments: [
      "", "[1,]", "{\"a\"}", "{1:2}", "\"\\ud800\"", "01", "[1", "nul", "\"a\nb\"", "[1] 2", "-", "1.", "1e",
      "+1",
      "1e400", "\"\\x\"", "\"open", "[\"\\u12\"]", String(repeating: "[", count: 5_000),
    ]
  )
  func wrongJSON(json: String) throws {
    try folder.write(Data(json.utf8), "in.json")
    let result = try Keeputil.run("convert", "in.json", "a.keepsake", in: folder)
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("keeputil: in.json: "))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try !folder.names.contains("a.keepsake"))
  }

  @Test("notes report a duplicate key, and numbers with too many digits or too small")
  func notes() throws {
    let nines = String(repeating: "9", count: 60)
    let numbers = #""b":\#(nines),"d":\#(nines),"c":[1e-400,-0.1E-99999999,0e-99999999,0.00,5e-324]"#
    try folder.write(Data(#"{"a":1,"a":2,\#(numbers)}"#.utf8), "in.json")
    let result = try Keeputil.run("convert", "in.json", "-", "--to", "json", in: folder)
    #expect(result.output == #"{"a":2,"b":1e+60,"d":1e+60,"c":[0.0,-0.0,0.0,0.0,5e-324]}"# + "\n")
    #expect(result.errors.contains("1 key stands twice"))
    #expect(result.errors.contains("2 numbers were rounded, having too many digits"))
    #expect(result.errors.contains("2 numbers are too small and became 0"))
  }

  @Test("keys that could be taken for those of the export get another \"$\", and other keys stay")
  func ownKeys() throws {
    let json = #"{"$id":1,"$ref":2,"$$value":3,"$schema":4,"$":5,"$$":6,"id":7}"#
    let marked = #"{"$$id":1,"$$ref":2,"$$$value":3,"$schema":4,"$":5,"$$":6,"id":7}"#
    #expect(try thereAndBack(json) == marked + "\n")
    let list = try Keeputil.run("convert", "--to", "plist", "a.keepsake", "-", in: folder).output
    #expect(list.contains("<key>$$id</key>") && list.contains("<key>$schema</key>"))
  }

  @Test("keys with characters that XML lacks stay different keys in a property list")
  func keysWithControls() throws {
    let keys = [
      "\u{1B}", "\u{1C}", "\u{FFFD}", "\u{FFFD}{1B}", "a\u{0}\u{FFFE}", "a\u{FFFD}\u{1}", "plain",
      "\u{FEFF}plain", "plain\u{FEFF}",
    ]
    let values = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    try folder.archive(values, "a.keepsake")
    let result = try Keeputil.run("convert", "a.keepsake", "out.plist", in: folder)
    #expect(result.status == 0)
    #expect(
      result.errors.contains("note: 6 keys have characters that are spelled as \u{FFFD}{NUMBER}"),
      "\(result.errors)"
    )
    #expect(!result.errors.contains("lost"))
    let read = try unsafe PropertyListSerialization.propertyList(
      from: folder.read("out.plist"),
      options: [],
      format: nil
    )
    let dictionary = try #require(read as? [String: Int])
    #expect(dictionary.values.sorted() == Array(keys.indices))
    #expect(dictionary["\u{FFFD}{1B}"] == 0 && dictionary["\u{FFFD}"] == 2 && dictionary["plain"] == 6)
    #expect(dictionary["a\u{FFFD}{FFFD}\u{FFFD}{1}"] == 5)
    #expect(dictionary["\u{FFFD}{FEFF}plain"] == 7 && dictionary["plain\u{FEFF}"] == 8)
  }

  @Test("notes report texts and keys that a property list or JSON changes")
  func textsThatChange() throws {
    try folder.archive(["a\u{FEFF}", "\u{FEFF}", "\u{FEFF}b", "$null"], "a.keepsake")
    let result = try Keeputil.run("convert", "a.keepsake", "-", "--to", "plist", in: folder)
    #expect(result.output.contains("<string>&#xFEFF;b</string>"))
    #expect(result.errors.contains("note: 2 texts begin with U+FEFF"), "\(result.errors)")
    #expect(result.errors.contains("note: 1 text is \"$null\""), "\(result.errors)")
    try folder.archive(["$id": 1, "$$value": 2, "$other": 3], "a.keepsake")
    for format in ["plist", "json"] {
      let keys = try Keeputil.run("convert", "a.keepsake", "-", "--to", format, in: folder)
      #expect(keys.errors.contains("note: 2 keys get another \"$\""), "\(keys.errors)")
    }
  }

  @Test("Swift's types become strings and numbers in JSON, and a shared object is written once")
  func typesInJSON() throws {
    try KeyedArchiver.archive(rootObject: Crew(), toFile: folder("crew.keepsake"))
    let result = try Keeputil.run("convert", "crew.keepsake", "-", "--to", "json", in: folder)
    #expect(result.status == 0)
    #expect(
      result.output
        == #"{"captain":{"$id":2,"name":"Ann"},"sailors":[{"name":"Bo\u202eb"},{"$ref":2}],"founded":0.5,"badge":"AAH/","id":"00010203-0405-0607-0809-0A0B0C0D0E0F","#
        + #""home":"https://example.org/crew?a=1","odds":[0.5,"Infinity"]}"# + "\n"
    )
    for word in ["1 object is", "1 run of bytes", "1 UUID", "1 URL", "1 date", "1 number is"] {
      #expect(result.errors.contains("keeputil: note: \(word)"), "\(word)")
    }
  }

  @Test("several top-level keys become one object")
  func topLevelKeys() throws {
    let archiver = KeyedArchiver()
    let sailor = Crew.Sailor(name: "Cy")
    try archiver.encode([sailor], forKey: "first")
    try archiver.encode(["x": sailor], forKey: "second")
    try archiver.encode(7, forKey: "third")
    try archiver.write(toFile: folder("a.keepsake"))
    let result = try Keeputil.run("convert", "a.keepsake", "-", "--to", "json", in: folder)
    let number = result.output.contains("\"$id\":1") ? 1 : 2
    let expected = #"{"first":[{"$id":N,"name":"Cy"}],"second":{"x":{"$ref":N}},"third":7}"#
    #expect(result.output == expected.replacingOccurrences(of: "N", with: "\(number)") + "\n")
  }

  @Test(
    "property lists come back unchanged",
    arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary]
  )
  func propertyLists(format: PropertyListSerialization.PropertyListFormat) throws {
    let list: [String: Any] = [
      "integer": 1, "negative": Int64.min, "largest": UInt64.max, "real": 1.0, "yes": true, "no": false,
      "text": "a<b>&\"c\"\n日本", "data": Data([0, 255]),
      "date": Date(timeIntervalSinceReferenceDate: 700_000_000),
      "none": [Any](), "empty": [String: Any](), "mixed": [1, "1", 1.5, true] as [Any],
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    try folder.write(data, "in.plist")
    #expect(try Keeputil.run("convert", "in.plist", "a.keepsake", in: folder).status == 0)
    let back = try Keeputil.run("convert", "a.keepsake", "out.plist", in: folder)
    #expect(back.status == 0)
    #expect(back.errors.isEmpty)
    let read = try unsafe PropertyListSerialization.propertyList(
      from: folder.read("out.plist"),
      options: [],
      format: nil
    )
    let dictionary = try #require(read as? NSDictionary)
    #expect(dictionary.isEqual(list as NSDictionary))
    let printed = try Keeputil.run("print", "a.keepsake", in: folder).output
    for line in [
      "\"real\" => 1.0", "\"integer\" => 1\n", "\"yes\" => true", "\"largest\" => 18446744073709551615",
    ] {
      #expect(printed.contains(line), "\(line)")
    }
  }

  @Test("a note counts the dates that lose a fraction of a second, even a tiny one", arguments: [0.5, 1e-7])
  func fractions(fraction: Double) throws {
    try folder.archive([Date(timeIntervalSinceReferenceDate: 1 + fraction)], "a.keepsake")
    let result = try Keeputil.run("convert", "a.keepsake", "out.plist", in: folder)
    #expect(result.errors.contains("1 date loses the fraction of a second"))
  }

  @Test("keys and texts of a property list keep their bytes")
  func propertyListTexts() throws {
    let members = "<key>\u{E9}</key><string>&#xFEFF;a</string><key>e\u{301}</key><real>2</real>"
    try folder.write(Data("<plist><dict>\(members)</dict></plist>".utf8), "in.plist")
    let json = try Keeputil.run("convert", "--to", "json", "in.plist", "-", in: folder)
    #expect(json.output.utf8.elementsEqual("{\"e\u{301}\":2.0,\"\u{E9}\":\"\\ufeffa\"}\n".utf8), "\(json)")
  }

  @Test(
    "a property list with exponentially many or deeply nested values is refused in bounded time",
    .timeLimit(.minutes(20))
  )
  func propertyListInProportion() throws {
    var list = BinaryPropertyList()
    var last = list.data([UInt8](repeating: 1, count: 100))
    for _ in 0..<40 { last = list.array([last, last]) }
    for file in [list.file(root: last), Data("<plist>\(String(repeating: "<array>", count: 100_000))".utf8)] {
      try folder.write(file, "list.plist")
      let line = "ulimit -t 60; \"$0\" convert - x.keepsake <list.plist"
      let result = try Keeputil.shell(line, in: folder)
      #expect(result.status == 65)
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
  }

  @Test("nil becomes \"$null\" in a property list, and a truncated property list is refused")
  func propertyListEdges() throws {
    let result = try Keeputil.run(
      "convert",
      "-",
      "-",
      "--to",
      "plist",
      input: Data("[null]".utf8),
      in: folder
    )
    #expect(result.output.contains("<string>$null</string>"))
    #expect(result.errors.contains("note: 1 nil"))
    let back = try Keeputil.run(
      "convert",
      "-",
      "-",
      "--to",
      "json",
      input: Data(result.output.utf8),
      in: folder
    )
    #expect(back.output == "[null]\n")
    let wrong = try Keeputil.run("convert", "-", "x.keepsake", input: Data("<plist><dict>".utf8), in: folder)
    #expect(wrong.status == 65)
    #expect(wrong.errors == "keeputil: standard input: The property list is truncated (at byte 13)\n")
  }

  @Test("writing to a symbolic link replaces its target and keeps the link and the permissions")
  func replacing() throws {
    try folder.write(Data("{\"a\":1}".utf8), "in.json")
    try folder.write(Data("old".utf8), "a.json")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder("a.json"))
    try FileManager.default.createSymbolicLink(
      atPath: folder("link.json"),
      withDestinationPath: "a.json"
    )
    #expect(try Keeputil.run("convert", "--pretty", "in.json", "link.json", in: folder).status == 0)
    #expect(try folder.read("a.json") == Data("{\n  \"a\": 1\n}\n".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder("a.json"))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("link.json")) == "a.json")
    #expect(try !folder.names.contains { $0.hasPrefix(".a.json") })
  }

  @Test("notes report values that JSON or property lists cannot hold", arguments: ["json", "plist"])
  func otherValues(format: String) throws {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    struct Values: Encodable {
      var single = Float(0.1)
      var wide = UInt128.max
      var low = Int128.min
      var decimal = Decimal(string: "-12.5")
      var far = Date(timeIntervalSinceReferenceDate: 1e15)
      var text = "a\u{1}<b>\u{FFFE}\r"
      var nothing = [Nothing(), Nothing()]
    }
    try folder.archive(Values(), "a.keepsake")
    let result = try Keeputil.run("convert", "a.keepsake", "-", "--to", format, in: folder)
    #expect(result.status == 0)
    var notes = ["2 values are written as {}, being empty"]
    if format == "json" {
      #expect(
        result.output
          == #"{"single":0.1,"wide":340282366920938463463374607431768211455,"#
          + #""low":-170141183460469231731687303715884105728,"decimal":-12.5,"far":1000000000000000.0,"#
          + #""text":"a\u0001<b>\ufffe\r","nothing":[{},{}]}"# + "\n"
      )
    } else {
      for line in [
        "<real>0.1</real>", "<string>340282366920938463463374607431768211455</string>",
        "<string>-170141183460469231731687303715884105728</string>", "<string>-12.5</string>",
        "<real>1000000000000000.0</real>", "<string>a\u{FFFD}&lt;b&gt;\u{FFFD}&#13;</string>",
        "<dict>\n\t\t</dict>",
      ] {
        #expect(result.output.contains(line), "\(line) in \(result.output)")
      }
      notes += [
        "2 integers are written as text, being beyond 64 bits", "1 decimal number is written as text",
        "1 date is written in seconds since 2001, being far off",
        "2 characters that XML does not have are lost",
      ]
      let list = try unsafe PropertyListSerialization.propertyList(
        from: Data(result.output.utf8),
        options: [],
        format: nil
      )
      #expect((list as? [String: Any])?.count == 7)
    }
    for note in notes { #expect(result.errors.contains("note: \(note)\n"), "\(note) in \(result.errors)") }
  }

  @Test("property lists and JSON that cannot become archives are refused")
  func wrongPropertyLists() throws {
    var list = BinaryPropertyList()
    let number = list.integer(1)
    let dictionary = list.dictionary([(number, number)])
    let reference =
      "<plist><dict><key>a</key><dict><key>CF$UID</key><integer>1</integer></dict></dict></plist>"
    for (bytes, words) in [
      (Data("<html><body>no</body></html>".utf8), "this is not a valid property list"),
      (list.file(root: dictionary), "a key is not a text"),
      (Data(reference.utf8), "the property list contains a reference, as the archives of NSKeyedArchiver do"),
      (Data("[\"a".utf8) + [0xFF] + Data("\"]".utf8), "a string is not valid UTF-8 (line 1, column 2)"),
    ] {
      let result = try Keeputil.run("convert", "-", "x.keepsake", input: bytes, in: folder)
      #expect(result.status == 65 && result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(try !folder.names.contains("x.keepsake"))
    }
  }

  @Test("a text that begins like an archive of NSArchiver is JSON")
  func wordsOfNSArchiver() throws {
    let words = ["streamtyped", "typedstream"]
    for words in [words, words.reversed()] {
      let json = try JSONEncoder().encode(words)
      let result = try Keeputil.run("convert", "-", "a.keepsake", input: json, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try KeyedUnarchiver.unarchive([String].self, fromFile: folder("a.keepsake")) == words)
    }
  }

  @Test(
    "no archive is written to a terminal, and no progress stays on it",
    .enabled(if: Keeputil.hasTerminal)
  )
  func terminal() throws {
    try folder.write(Data("[1]".utf8), "in.json")
    for output in ["-", "/dev/stdout"] {
      let refused = try Keeputil.onTerminal("convert --to keepsake in.json \(output)", "", in: folder)
      #expect(refused.output.contains("convert: an archive is not for the terminal; give a file or a pipe"))
    }
    let written = try Keeputil.onTerminal("convert in.json out.keepsake", "", in: folder)
    #expect(written.output.isEmpty)
    #expect(try KeyedUnarchiver.unarchive([Int].self, fromFile: folder("out.keepsake")) == [1])
  }
}
