import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// `keeputil print --flat`, the number of objects that `edit` changed, and suggestions for misspelled words.
@Suite struct KeeputilFlat {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private let a: [UInt8] = [0x21, 0x61]

  @Test("print --flat prints a cycle object by object")
  func cycle() throws {
    let next: (UInt8) -> [UInt8] = { [1, Tag.map, 1, 0x21, 0x6E, Tag.objectReference, $0] }
    let data = HandmadeArchive.data(
      bodies: [next(2), next(3), next(1), [1, 0x50], [0, 0x51, 0x40, 1]],
      topLevel: [0, Tag.map, 1] + a + [Tag.valueReference, 5]
    )
    try folder.write(data, "a.keepsake")
    let printed = try Keeputil.run("print", "--flat", "a.keepsake", in: folder)
    #expect(
      printed.output == """
        {
          "a" => [
            0 => Thing #1
          ]
        }
        Thing #1 {
          "n" => Thing #2
        }
        Thing #2 {
          "n" => Thing #3
        }
        Thing #3 {
          "n" => Thing #1
        }

        """
    )
    let one = try Keeputil.run("print", "--flat", "--key", "#4", "a.keepsake", in: folder)
    #expect(one.output == "Thing #4 []\n")
    #expect(try Keeputil.run("print", "--flat", "--json", "a.keepsake", in: folder).status == 64)
  }

  @Test("print --flat prints a long chain in short lines")
  func chain() throws {
    let bodies = (2...501).map { number -> [UInt8] in
      let link = number > 500 ? [1] : [Tag.objectReference + 1, UInt8(number & 255), UInt8(number >> 8)]
      return [1, Tag.map, 1, 0x21, 0x6E] + link
    }
    let data = HandmadeArchive.data(
      bodies: bodies,
      topLevel: [0, Tag.map, 1] + a + [Tag.objectReference, 1]
    )
    try folder.write(data, "a.keepsake")
    let printed = try Keeputil.run("print", "--flat", "a.keepsake", in: folder)
    #expect(printed.output.split(separator: "\n").allSatisfy { $0.count < 24 })
    #expect(printed.output.split(separator: "\n").count == 3 + 3 * 500)
  }

  @Test("edit reports how many objects it changed")
  func editCount() throws {
    try folder.write(try KeyedArchiver.archivedData(withRootObject: Crew()), "a.keepsake")
    let names = try ArchiveValue(forReadingFrom: folder.read("a.keepsake"))
    let sailor = try #require(try names[path: "root.captain"]?.className)
    let renamed = try Keeputil.run(
      "edit",
      "--rename-class",
      "\(sailor)=Sailor",
      "-o",
      "b.keepsake",
      "a.keepsake",
      in: folder
    )
    #expect(renamed.output.isEmpty && renamed.errors == "keeputil: note: 2 objects changed\n")
    let key = try Keeputil.run("edit", "--set", "root.captain.name=1", "-o", "b", "a.keepsake", in: folder)
    #expect(key.errors == "keeputil: note: 1 object changed\n")
    let top = try Keeputil.run("edit", "--set", "x=1", "-o", "b", "a.keepsake", in: folder)
    #expect(top.errors == "keeputil: note: 0 objects changed\n")
    let piped = try Keeputil.shell("\"$0\" edit --set x=1 -o - a.keepsake >c", in: folder)
    #expect(piped.errors == "keeputil: note: 0 objects changed\n")
  }

  @Test(
    "a misspelled word gets a suggestion",
    arguments: [
      ("pirnt a", "'print'"), ("verfy a", "'verify'"), ("help prnt", "'print'"), ("hlp", "'help'"),
      ("--versoin", "'--version'"), ("print --ofsets a", "'--offsets'"), ("edit --renme x=y a", "'--rename'"),
    ]
  )
  func suggestions(arguments: String, meant: String) throws {
    let result = try Keeputil.shell("\"$0\" \(arguments)", in: folder)
    #expect(result.status == 64 && result.errors.contains("did you mean \(meant)?"), "\(result.errors)")
    let other = try Keeputil.run("quux", in: folder)
    #expect(other.errors == "keeputil: there is no command 'quux'; try 'keeputil --help'\n")
  }
}
