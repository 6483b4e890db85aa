import Foundation
import Keepsake
import TestSupport
import Testing

/// What the tool shows of files of NSKeyedArchiver.
@Suite struct KeeputilFoundationArchives {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func stats(_ name: String) throws -> (text: String, json: [String: Any]) {
    let text = try Keeputil.run("stats", name, in: folder)
    let json = try Keeputil.run("stats", "--json", name, in: folder)
    #expect(text.status == 0 && json.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    return (text.output, try #require(object))
  }

  @Test(
    "stats and report name the original file, and the size of the archive that the figures are of",
    arguments: foundationFormats
  )
  func figures(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let data = foundationArchive(["a", "b"] as NSArray, format: format)
    try folder.write(data, "old")
    let (text, json) = try stats("old")
    let size = try #require(json["bytes"] as? Int)
    let kind = format == .binary ? "binary" : "XML"
    #expect(size < data.count)
    let start = try #require(text.split(separator: "\n").first)
    #expect(
      start.hasPrefix("old: \(data.count.formatted(.number.locale(Locale(identifier: "en_US")))) bytes")
    )
    #expect(
      start.hasSuffix(
        ", written by NSKeyedArchiver (\(kind) property list); the figures are of the archive of \(size) bytes that it "
          + "is converted to"
      )
    )
    let origin = try #require(json["madeOf"] as? [String: Any])
    #expect(origin["bytes"] as? Int == data.count && origin["format"] as? String == "\(kind) property list")
    #expect(origin["writer"] as? String == "NSKeyedArchiver")
    let page = try Keeputil.run("report", "-o", "-", "old", in: folder).output
    #expect(page.contains(#""writer":"NSKeyedArchiver","madeOf":"\#(kind) property list of "#))
    // An archive of Keepsake has no such note.
    try folder.archive(["a"], "new")
    let (ownText, own) = try stats("new")
    #expect(own["madeOf"] == nil && !ownText.contains("NSKeyedArchiver"))
    #expect(try !Keeputil.run("report", "-o", "-", "new", in: folder).output.contains(#""madeOf""#))
  }

  @Test("the only save of a file is the whole file", arguments: foundationFormats)
  func onlySave(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let text = String(repeating: "long ", count: 1_000)
    try folder.write(foundationArchive([text] as NSArray, format: format), "old")
    let whole = try Keeputil.run("print", "old", in: folder)
    #expect(whole.status == 0)
    for arguments in [["print", "old@1"], ["print", "--at", "1", "old"]] {
      let result = try Keeputil.run(list: arguments, in: folder)
      #expect(result.status == 0 && result.output == whole.output, "\(result.errors)")
    }
    #expect(try Keeputil.run("print", "old@2", in: folder).status == 64)
    let log = try Keeputil.run("log", "--json", "old", in: folder).output
    #expect(log.contains("\"bytes\": \(try folder.read("old").count),"), "\(log)")
  }

  @Test("verify and stats count the classes of objects, without superclasses")
  func classes() throws {
    let object = FoundationPropertyList.instance(
      ["Zoo.Lion", "Zoo.Cat", "NSObject"],
      [("name", .reference(2))]
    )
    try folder.write(FoundationPropertyList.archive(objects: [object, .string("Leo")]), "old")
    let words = "1 object of 1 class"
    #expect(try Keeputil.run("verify", "old", in: folder).output.contains("\(words) in"))
    #expect(try stats("old").text.contains("\n\(words), "))
    #expect(try Keeputil.run("convert", "old", "new.keepsake", in: folder).status == 0)
    #expect(try Keeputil.run("verify", "new.keepsake", in: folder).output.contains("\(words) in"))
    #expect(try stats("new.keepsake").text.contains("\n\(words), "))
    let page = try Keeputil.run("report", "-o", "-", "old", in: folder).output
    #expect(page.contains(#""objects":1,"#) && page.contains(#""classes":1,"#))
  }

  @Test("classes whose names are canonically equal but have other bytes stay two classes")
  func spellings() throws {
    let objects = ["\u{E9}", "e\u{301}"].enumerated().map { index, name in
      FoundationPropertyList.instance([name, "NSObject"], [("next", .reference(2 - index))])
    }
    try folder.write(FoundationPropertyList.archive(objects: objects), "old")
    #expect(try Keeputil.run("convert", "old", "a.keepsake", in: folder).status == 0)
    let change = ["edit", "--set", "other=1", "-o", "b.keepsake", "a.keepsake"]
    #expect(try Keeputil.run(list: change, in: folder).status == 0)
    for name in ["a.keepsake", "b.keepsake"] {
      #expect(try Keeputil.run("verify", name, in: folder).output.contains("2 objects of 2 classes in"))
    }
  }

  private func list(_ name: String, _ elements: Int...) -> FoundationPropertyList {
    .object(name, ["NS.objects": .array(elements.map { .reference($0) })])
  }

  @Test("notes distinguish converted values from lost ones", arguments: [".keepsake", ".json"])
  func changes(ending: String) throws {
    let objects = [
      list("NSArray", 2, 3, 4, 5, 6, 8, 11, 13), list("NSSet", 9), list("NSSet", 9), list("NSOrderedSet", 9),
      .object("NSColor", ["NSRGB": .string("1 0 0")]),
      .object("NSMeasurement", ["NS.value": .real(1), "NS.unit": .reference(7)]),
      .object("NSUnitLength", ["NS.symbol": .string("m")]),
      .object("NSCountedSet", ["NS.count": .integer(1), "NS.object0": .reference(9)]),
      .string("x"), .string("nobody refers to this"),
      .object("NSMeasurement", ["NS.value": .real(2), "NS.unit": .reference(12)]),
      .dictionary([("NS.symbol", .string("K")), ("NS.converter", .dictionary([("x", .integer(1))]))]),
      .object("NSDateComponents", ["NS.week": .integer(7), "NS.day": .integer(.max)]),
    ]
    try folder.write(FoundationPropertyList.archive(objects: objects), "old")
    let result = try Keeputil.run("convert", "old", "new\(ending)", in: folder)
    #expect(result.status == 0)
    let notes = result.errors.split(separator: "\n").map { $0.dropFirst("keeputil: note: ".count) }
    var expected = [
      "NSColor stayed an object, with the keys that its coder wrote", "NSCountedSet became an array",
      "NSOrderedSet became an array", "NSSet became an array (2 times)",
      "not carried over: NSCountedSet: how often it holds each element",
      "not carried over: NSMeasurement: the class of its unit, NSUnitLength",
      "not carried over: NSDateComponents: its week, which is neither of the month nor of the year",
      "not carried over: NSMeasurement in K: how its unit is converted, which is not by a factor",
    ]
    // JSON contains only what can be reached.
    if ending == ".keepsake" { expected.append("not carried over: objects that nothing refers to") }
    #expect(notes.filter { note in expected.contains { note.hasPrefix($0) } }.count == expected.count)
    #expect(notes.count == expected.count, "\(notes)")
    // There is one such object; the note has a number only for several.
    #expect(notes.contains("not carried over: objects that nothing refers to") == (ending == ".keepsake"))
  }
}
