import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

@testable import keeputil

/// `keeputil edit` changes archives by options.
@Suite struct KeeputilEdit {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.archive(ShelfSample.make(books: 3, authors: 2), "a.keepsake")
  }

  /// Changes a.keepsake into b.keepsake, and returns the lines of the difference.
  private func difference(_ changes: [String]) throws -> [String] {
    let arguments = changes.map { "'\($0)'" }.joined(separator: " ")
    let edited = try Keeputil.shell("\"$0\" edit \(arguments) -o b.keepsake a.keepsake", in: folder)
    #expect(edited.status == 0 && edited.output.isEmpty, "\(edited.errors)")
    #expect(edited.errors.split(separator: "\n").count == 1 && edited.errors.hasSuffix(" changed\n"))
    #expect(try Keeputil.run("verify", "b.keepsake", in: folder).status == 0)
    return try Keeputil.run("diff", "a.keepsake", "b.keepsake", in: folder).output
      .split(separator: "\n").map(String.init)
  }

  @Test("edit renames, sets, adds and removes values")
  func values() throws {
    #expect(
      try difference(["--rename", "root.name=title"])
        == ["- root.name: \"Shelf\"", "+ root.title: \"Shelf\""]
    )
    #expect(
      try difference(["--set", "root.name=\"Case\"", "--set=root.size={\"w\":[1,2.5],\"h\":null}"])
        == ["~ root.name: \"Shelf\" -> \"Case\"", "+ root.size: {w: […], h: nil}"]
    )
    let removed = try difference(["--remove", "root.best", "--remove", "root.books[0].title"]).sorted()
    #expect(removed.count == 2)
    #expect(
      removed.first?.hasPrefix("- root.best: ") == true && removed.last == "- root.books[0].title: \"Book 0\""
    )
    #expect(try difference(["--set", "root.books[3]=12"]) == ["+ root.books[3]: 12"])
    // A key with an equals sign.
    #expect(try difference([#"--set=root["a=\"b"]=1"#]) == [#"+ root["a=\"b"]: 1"#])
  }

  @Test("a key that only the superclass encodes, in its own container, is no key of the class")
  func keysOfSuperclasses() throws {
    try folder.archive([Tree()], "a.keepsake")
    #expect(
      try difference(["--rename-key", "Edits.Plant.name=title"]).map { $0.prefix(20) } == [
        "- root[0].super.name", "+ root[0].super.titl",
      ]
    )
    #expect(
      try difference(["--rename-key", "Edits.Tree.rings=years"]) == [
        "- root[0].rings: 7", "+ root[0].years: 7",
      ]
    )
    for key in ["Tree.name", "Plant.rings"] {
      let result = try Keeputil.run(
        "edit",
        "--remove-key",
        "Edits.\(key)",
        "-o",
        "c",
        "a.keepsake",
        in: folder
      )
      #expect(result.status == 65 && result.errors.contains("no object of the class"))
    }
  }

  @Test("contradictory changes are refused, and compatible ones are not")
  func contradictions() throws {
    for changes in [
      "--set root.name=1 --set 'root[\"name\"]=2'", "--set root.name=1 --remove root.name",
      "--rename root.name=a --rename root.name=b", "--remove root.name --rename root.name=b",
    ] {
      let result = try Keeputil.shell("\"$0\" edit \(changes) -o b.keepsake a.keepsake", in: folder)
      #expect(result.status == 64)
      #expect(result.errors == "keeputil: edit: two changes are about root.name\n")
    }
    for changes in [
      "--set root.books=[] --set root.books[0].title=1", "--remove root.books --rename root.books[0].title=a",
    ] {
      let result = try Keeputil.shell("\"$0\" edit \(changes) -o b.keepsake a.keepsake", in: folder)
      #expect(result.status == 64)
      #expect(
        result.errors
          == "keeputil: edit: root.books[0].title is in root.books, which another change replaces or removes\n"
      )
    }
    for (changes, subject) in [
      ("--rename-key CLASS.title=a --rename-key CLASS.title=b", ".title"),
      ("--remove-key CLASS.title --rename-key CLASS.title=a", ".title"),
      ("--rename-class CLASS=A --rename-class CLASS=B", ""),
    ] {
      let name = String(reflecting: BookSample.self)
      let options = changes.replacing("CLASS", with: name)
      let result = try Keeputil.shell("\"$0\" edit \(options) -o b.keepsake a.keepsake", in: folder)
      #expect(result.status == 64)
      #expect(result.errors == "keeputil: edit: two changes are about \(name)\(subject)\n")
    }
    try folder.archive([7: [5: 1]], "c.keepsake")
    for (changes, words) in [
      ("--set 'root[7]=1' --set 'root[\"7\"]=2'", "two changes are about root[\"7\"]"),
      ("--remove 'root[\"7\"]' --set 'root[7][5]=2'", "root[7][5] is in root[7], which another change"),
    ] {
      let result = try Keeputil.shell("\"$0\" edit \(changes) -o b.keepsake c.keepsake", in: folder)
      #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    }
    #expect(try !folder.names.contains("b.keepsake"))
    #expect(
      try difference(["--set", "root.name=1", "--rename", "root.name=count"])
        == ["- root.name: \"Shelf\"", "+ root.count: 1"]
    )
  }

  @Test("if several paths lead to one value, the last change counts")
  func lastChange() throws {
    let tree = Tree()
    try folder.archive([tree, tree], "a.keepsake")
    let (set, remove) = (["--set", "root[0].rings=9"], ["--remove", "root[1].rings"])
    #expect(try difference(set + remove) == ["- root[0].rings: 7"])
    #expect(try difference(remove + set) == ["~ root[0].rings: 7 -> 9"])
    let grove = Grove()
    try folder.archive([grove, grove], "a.keepsake")
    let changes = "--set root[0].trees.oak=9 --set 'root[1].trees={}'"
    let result = try Keeputil.shell("\"$0\" edit \(changes) -o b.keepsake a.keepsake", in: folder)
    let reason = "Another change replaces or removes this value, so changes in it have no effect"
    #expect(result.status == 65 && result.errors == "keeputil: root[0].trees: \(reason)\n")
  }

  @Test("comparing the paths of changes takes time in proportion to their length")
  func longPath() throws {
    try expectTimeInProportion(to: 200_000) { count in
      let path = "root" + String(repeating: "[0]", count: count)
      let arguments = ["--remove", path, "--set", "other=1"]
      _ = try RequestedChanges(Arguments(arguments, for: EditCommand.manual))
    }
  }

  @Test("edit changes the keys and the name of all objects of a class, in place")
  func classes() throws {
    let name = try #require(
      try ArchiveValue(forReadingFile: folder("a.keepsake"))[path: "root.books[0].author"]?.className
    )
    let result = try Keeputil.run(
      "edit",
      "--rename-key",
      "\(name).name=fullName",
      "--rename-class=\(name)=Library.Person",
      "--remove-key",
      name.replacing("AuthorSample", with: "BookSample") + ".title",
      "--in-place",
      "a.keepsake",
      in: folder
    )
    #expect(result.status == 0 && result.errors.hasSuffix(" objects changed\n"), "\(result.errors)")
    let archive = try ArchiveValue(forReadingFile: folder("a.keepsake"))
    for index in 0..<3 {
      let book = try #require(try archive[path: ArchivePath("root.books[\(index)]")])
      #expect(try book.keys == ["author", "shelf"])
      #expect(try book["author"]?.className == "Library.Person")
      #expect(try book[path: "author.fullName"]?.stringValue == "Author \(index % 2)")
    }
    // Shared objects stay shared.
    let authors = try (0..<3).map { try archive[path: ArchivePath("root.books[\($0)].author")]?.objectNumber }
    #expect(authors[0] == authors[2] && authors[0] != authors[1])
  }

  @Test("editing a missing value writes nothing, and the message names what exists")
  func missing() throws {
    func expect(_ words: String, _ option: String, _ value: String) throws {
      let result = try Keeputil.run("edit", option, value, "-o", "b.keepsake", "a.keepsake", in: folder)
      #expect(result.status == 65)
      #expect(result.errors.hasPrefix("keeputil: a.keepsake: "))
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    try expect("There is no value at root.nmae", "--rename", "root.nmae=x")
    try expect("There is no value at root.books[9]", "--remove", "root.books[9]")
    try expect("There is no value at root.none.x", "--set", "root.none.x=1")
    try expect("would put two values under the key \"name\"", "--rename", "root.books=name")
    try expect("there is no class \"Author\" in the archive; ", "--rename-class", "Author=Person")
    let book = try #require(
      try ArchiveValue(forReadingFile: folder("a.keepsake"))[path: "root.best"]?.className
    )
    try expect("has the key \"titel\"; did you mean \"title\"?", "--rename-key", "\(book).titel=x")
    try expect("has the key \"name\"", "--remove-key", "\(book).name")
    #expect(try folder.names.contains("b.keepsake") == false)
  }

  @Test(
    "wrong arguments are errors",
    arguments: [
      (["--set", "root.name=Case", "-o", "b"], "not JSON: no value begins here (line 1, column 1)"),
      (["--set", "root.name", "-o", "b"], "not of the form PATH=JSON"),
      (["--set", "root.name=", "-o", "b"], "has nothing after '='"),
      (["--set", "root..x=1", "-o", "b"], "root..x"),
      (["--remove", "", "-o", "b"], "the path is empty"),
      (["--rename-key", "title=x", "-o", "b"], "not of the form CLASS.KEY"),
      (["--rename-class", "Old", "-o", "b"], "not of the form OLD=NEW"),
      (["-o", "b"], "no change was given"),
      (["--remove", "root.name"], "give a file for the changed archive with '-o OUT'"),
      (["--remove", "root.name", "--in-place", "-o", "b"], "exclude each other"),
    ]
  )
  func usage(arguments: [String], words: String) throws {
    let line = arguments.map { "'\($0)'" }.joined(separator: " ")
    let before = try folder.read("a.keepsake")
    let result = try Keeputil.shell("\"$0\" edit \(line) a.keepsake", in: folder)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("keeputil: ") && result.errors.contains(words), "\(result.errors)")
    #expect(try folder.read("a.keepsake") == before)
    #expect(try folder.names.contains("b") == false)
  }

  @Test("edit supports standard input and output, and does not copy a damaged archive")
  func streams() throws {
    let piped = try Keeputil.shell(
      "\"$0\" edit --remove root.best -o - - <a.keepsake | \"$0\" print --key root.name -",
      in: folder
    )
    #expect(piped.status == 0 && piped.output == "\"Shelf\"\n", "\(piped.errors)")
    let inPlace = try Keeputil.shell("\"$0\" edit --remove root.best --in-place - <a.keepsake", in: folder)
    #expect(inPlace.status == 64 && inPlace.errors.contains("standard input cannot be changed in place"))
    // The bytes have correct checksums, so only the structure shows the damage.
    try folder.write(
      HandmadeArchive.data(topLevel: CraftedArchive.root([Tag.shortString + 2, 0xFF, 0xFF])),
      "bad.keepsake"
    )
    let bad = try Keeputil.run("edit", "--set", "x=1", "-o", "b", "bad.keepsake", in: folder)
    #expect(bad.status == 65 && bad.errors.contains("UTF-8"), "\(bad.errors)")
    #expect(try folder.names.contains("b") == false)
    let unwritable = try Keeputil.run("edit", "--set", "x=1", "-o", "absent/b", "a.keepsake", in: folder)
    #expect(unwritable.status == 74 && unwritable.errors.contains("absent/b"), "\(unwritable.errors)")
  }

  @Test("an archive of NSKeyedArchiver becomes a changed archive of Keepsake")
  func foundationArchive() throws {
    func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
    let old = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>$version</key><integer>100000</integer><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$top</key><dict><key>root</key>\(reference(1))</dict>
      <key>$objects</key><array><string>$null</string>
      <dict><key>$class</key>\(reference(3))<key>titel</key>\(reference(2))</dict>
      <string>Momo</string>
      <dict><key>$classname</key><string>Book</string>
      <key>$classes</key><array><string>Book</string><string>NSObject</string></array></dict>
      </array></dict></plist>
      """
    try folder.write(Data(old.utf8), "old.plist")
    let result = try Keeputil.run(
      "edit",
      "--rename-class=Book=Library.Book",
      "--rename-key=Book.titel=title",
      "-o",
      "new.keepsake",
      "old.plist",
      in: folder
    )
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.read("old.plist") == Data(old.utf8))
    let shown = try Keeputil.run("print", "new.keepsake", in: folder)
    #expect(shown.output == "{\n  \"root\" => Library.Book #1 {\n    \"title\" => \"Momo\"\n  }\n}\n")
    #expect(
      try Keeputil.run("verify", "new.keepsake", in: folder).output.hasPrefix("new.keepsake: a whole archive")
    )
  }
}

private class Plant: Codable, ArchivableClass {
  class var archivedClassName: String { "Edits.Plant" }
  var name = "oak"

  init() {}
}

private final class Grove: Codable, ArchivableClass {
  static let archivedClassName = "Edits.Grove"
  var trees = ["oak": 7]
}

private final class Tree: Plant {
  override class var archivedClassName: String { "Edits.Tree" }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws { try super.init(from: decoder) }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: PlainKey.self)
    try container.encode(7, forKey: PlainKey("rings"))
    try super.encode(to: container.superEncoder())
  }
}
