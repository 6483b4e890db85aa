import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

@testable import keeputil

/// The page of a report as text; .ci/report-in-browser checks it in a browser.
@Suite struct KeeputilReport {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let attack = "</script><img src=x onerror=alert(1)><!--\u{2028}&\"'\\"

  /// The page, and the data in it.
  private func report(_ name: String) throws -> (page: String, data: [String: Any]) {
    let result = try Keeputil.run("report", name, "-o", "report.html", in: folder)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty && result.output.isEmpty, "\(result.errors)")
    let page = String(decoding: try folder.read("report.html"), as: UTF8.self)
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    // As in a browser, the element ends at the first "</script".
    let end = try #require(page.range(of: "</script", range: start.upperBound..<page.endIndex))
    let text = page[start.upperBound..<end.lowerBound]
    let data = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    return (page, data)
  }

  private func expectColumns(_ data: [String: Any], _ name: String) throws {
    let columns = try #require(data[name] as? [String: [Int]])
    let count = try #require(columns["parent"]?.count)
    let texts = try #require(data["texts"] as? [String])
    let kinds = try #require(data["nodeKinds"] as? [String])
    #expect(columns.count == 11)
    for (column, numbers) in columns {
      #expect(numbers.count == count, "\(column)")
      if ["type", "text"].contains(column) {
        #expect(numbers.allSatisfy { (-1..<texts.count).contains($0) })
      }
      if column == "label" { #expect(numbers.allSatisfy { $0 < texts.count }) }
      if column == "kind" { #expect(numbers.allSatisfy { kinds.indices.contains($0) }) }
    }
  }

  @Test("a report is one file that loads and sends nothing")
  func selfContained() throws {
    try KeyedArchiver.archive(rootObject: Crew(), toFile: folder("crew.keepsake"))
    let (page, data) = try report("crew.keepsake")
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
    #expect(page.contains("<title>crew.keepsake – Keepsake archive</title>"))
    for word in [
      "<link", "<iframe", "<img", "http:", "https:", "@import", "url(", "fetch(", "innerHTML", "eval(",
    ] {
      let text = page.replacingOccurrences(of: "https://example.org/crew?a=1", with: "")
      #expect(!text.contains(word), "\(word)")
    }
    try expectColumns(data, "byPath")
    try expectColumns(data, "byClass")
    let facts = try #require(data["facts"] as? [String: Any])
    #expect(facts["bytes"] as? Int == (try folder.read("crew.keepsake").count))
    #expect(facts["name"] as? String == "crew.keepsake")
    #expect(facts["foldedBytes"] as? Int == 0)
  }

  @Test("the content security policy allows only the page's own style and script, by their hashes")
  func policy() throws {
    try KeyedArchiver.archive(rootObject: 1, toFile: folder("a.keepsake"))
    let page = try report("a.keepsake").page
    let policy = try #require(
      page.firstMatch(of: /http-equiv="Content-Security-Policy" content="([^"]*)"/)?.1
    )
    #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"))
    for (element, directive) in [("style", "style-src"), ("script", "script-src")] {
      let start = try #require(page.range(of: "<\(element)>"))
      let end = try #require(page.range(of: "</\(element)>", range: start.upperBound..<page.endIndex))
      let hash = Data(SHA256.hash(page[start.upperBound..<end.lowerBound].utf8)).base64EncodedString()
      #expect(policy.contains("\(directive) 'sha256-\(hash)';"), "\(policy)")
    }
    #expect(page.components(separatedBy: "<script").count == 3)
  }

  @Test("texts that look like HTML stay texts")
  func attacks() throws {
    let attack = KeeputilReport.attack
    let archiver = KeyedArchiver()
    try archiver.encode([attack: [attack, String(repeating: attack, count: 200)]], forKey: attack)
    try archiver.encode(Crew(), forKey: "crew")
    let name = "<b>&'\u{202E}.keepsake"
    try archiver.write(toFile: folder(name))
    let (page, data) = try report(name)
    #expect(!page.contains("<img") && !page.contains("onerror=alert(1)>") && !page.contains("\u{2028}"))
    #expect(page.contains("<title>&lt;b&gt;&amp;&#39;\\u{202E}.keepsake"))
    #expect(page.components(separatedBy: "</script").count == 3)
    let texts = try #require(data["texts"] as? [String])
    // As the page shows it: with escapes for invisible characters.
    #expect(texts.contains("</script><img src=x onerror=alert(1)><!--\\u{2028}&\"'\\"), "\(texts)")
    #expect(texts.allSatisfy { $0.count < 1_000 })
  }

  @Test("names of classes and types that look like HTML stay texts")
  func classNames() throws {
    let data = HandmadeArchive.data(
      bodies: [[1, Tag.typed, 1, Tag.shortArray]],
      topLevel: CraftedArchive.root([Tag.objectReference, 1]),
      classes: [
        HandmadeArchive.type(KeeputilReport.attack),
        HandmadeArchive.type("x" + KeeputilReport.attack, flags: 2),
      ]
    )
    try folder.write(data, "a.keepsake")
    let (page, json) = try report("a.keepsake")
    #expect(!page.contains("<img"))
    #expect((json["classes"] as? [[Any]])?.count == 1)
  }

  @Test("the page is the same each time, also on standard output")
  func deterministic() throws {
    let dictionary = Dictionary(uniqueKeysWithValues: (0..<300).map { ("key \($0)", ["a": $0, "b": 1]) })
    try KeyedArchiver.archive(rootObject: dictionary, toFile: folder("a.keepsake"))
    let first = try report("a.keepsake").page
    #expect(try report("a.keepsake").page == first)
    #expect(try Keeputil.shell("\"$0\" report a.keepsake -o -", in: folder).output == first)
    let piped = try Keeputil.shell("cat a.keepsake | \"$0\" report -o - -", in: folder).output
    #expect(piped.contains("<title>standard input"))
  }

  @Test("each changed archive gives one line of error, and leaves the old page")
  func damaged() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Crew())
    try folder.write(Data("old".utf8), "report.html")
    for place in stride(from: 3, to: data.count, by: 89) {
      var changed = data
      changed[changed.startIndex + place] ^= 4
      try folder.write(changed, "changed.keepsake")
      let result = try Keeputil.run("report", "changed.keepsake", "-o", "report.html", in: folder)
      #expect(result.status == 65)
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    // The old page stays, and no other file is left.
    #expect(try folder.read("report.html") == Data("old".utf8))
    #expect(try folder.names.count { $0.contains("report") } == 1)
  }

  @Test("wrong arguments and unwritable output are errors, and a closed pipe is not")
  func wrong() throws {
    try KeyedArchiver.archive(rootObject: Crew(), toFile: folder("a.keepsake"))
    for (status, words, line) in [
      (64, "give a file for the page", "report a.keepsake"),
      (64, "one file expected", "report -o x.html"),
      (64, "is not a number from 1 to 200", "report --top 201 -o x a"),
      (66, "No such file", "report absent -o x.html"),
      (74, "No such file", "report a.keepsake -o absent/x.html"),
    ] {
      let result = try Keeputil.shell("\"$0\" \(line)", in: folder)
      #expect(result.status == Int32(status), "\(line)")
      #expect(
        result.errors.contains(words) && result.errors.split(separator: "\n").count == 1,
        "\(result.errors)"
      )
    }
    let pipe = try Keeputil.shell("\"$0\" report a.keepsake -o - | head -n 1", in: folder)
    #expect(pipe.output == "<!DOCTYPE html>\n" && pipe.errors.isEmpty)
  }

  @Test("SHA-256 gives the published hashes")
  func hashes() {
    func text(_ bytes: [UInt8]) -> String {
      SHA256.hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    #expect(text([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(text(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    #expect(text(long) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      text([UInt8](repeating: 0x61, count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  }

  @Test("a value in an object that the page omits is placed in the nearest object that it shows")
  func hiddenValues() throws {
    let count = 25_000
    let bodies = (1...count).map { number -> [UInt8] in
      let next: [UInt8] = [Tag.objectReference + 1, UInt8((number + 1) & 0xFF), UInt8((number + 1) >> 8)]
      return [1, Tag.shortArray + 1] + next
    }
    let text = CraftedArchive.text(String(repeating: "x", count: 500))
    let data = HandmadeArchive.data(
      bodies: bodies + [[1, Tag.shortArray + 1] + text],
      topLevel: CraftedArchive.root([Tag.objectReference, 1])
    )
    try folder.write(data, "chain.keepsake")
    let values = try #require(try report("chain.keepsake").data["values"] as? [[Any]])
    let columns = try #require(try report("chain.keepsake").data["byPath"] as? [String: [Int]])
    let place = try #require(values.first?.last as? Int)
    #expect((values.first?[1] as? Int).map { $0 > 500 } == true)
    // The innermost object on the page.
    #expect(columns["folded"]?[place] == 1 && (columns["body"]?[place] ?? 0) > 1_000)
  }
}
