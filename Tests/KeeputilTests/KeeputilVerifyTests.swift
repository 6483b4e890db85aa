import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

@Suite struct KeeputilVerify {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a whole archive is reported as whole, by name and from a pipe")
  func whole() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Crew())
    try folder.write(data, "crew.keepsake")
    let result = try Keeputil.run("verify", "crew.keepsake", in: folder)
    #expect(result.status == 0)
    #expect(
      result.output == "crew.keepsake: a whole archive of 3 objects of 2 classes in \(data.count) bytes.\n"
    )
    let piped = try Keeputil.shell("cat crew.keepsake | \"$0\" verify -", in: folder)
    #expect(piped.status == 0)
    #expect(piped.output.hasPrefix("standard input: a whole archive"))
  }

  @Test("a truncated or changed archive gives one line of error")
  func damaged() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Crew())
    for cut in [0, 1, 10, 50, 100, data.count - 1] {
      try folder.write(data.prefix(cut), "cut.keepsake")
      let result = try Keeputil.run("verify", "cut.keepsake", in: folder)
      #expect(result.status == 65)
      #expect(result.errors.hasPrefix("keeputil: cut.keepsake: "))
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(result.output.isEmpty)
    }
    for place in stride(from: 0, to: data.count, by: 61) {
      var changed = data
      changed[changed.startIndex + place] ^= 4
      try folder.write(changed, "changed.keepsake")
      let result = try Keeputil.run("verify", "changed.keepsake", in: folder)
      #expect(result.status == 65)
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("the demo prints its comparison and writes an archive")
  func demo() throws {
    let result = try Keeputil.run("demo", "-o", "demo.keepsake", in: folder)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    for word in ["compared with ===", "The outline", "JSONEncoder", "PropertyListEncoder", "NSKeyedArchiver"]
    {
      #expect(result.output.contains(word))
    }
    let checked = try Keeputil.run("verify", "demo.keepsake", in: folder)
    #expect(checked.output.contains("667 objects of 6 classes"))
    // Without a name for it, no file is left.
    let names = try folder.names.count
    #expect(try Keeputil.shell("TMPDIR=. \"$0\" demo", in: folder).status == 0)
    #expect(try folder.names.filter { !$0.hasPrefix("input") && !$0.hasPrefix("errors") }.count <= names)
  }

  @Test("verify reports a fault that only an earlier save has")
  func earlierSave() throws {
    let first = HandmadeArchive.data(bodies: [[0, 0x70]], topLevel: CraftedArchive.root([0x48, 1]))
    var save = HandmadeSave()
    save.bodies = [(1, [0, 0x95])]
    try folder.write(save.added(to: first), "a.keepsake")
    #expect(try Keeputil.run("print", "a.keepsake", in: folder).output.contains("\"root\" => 5"))
    let result = try Keeputil.run("verify", "a.keepsake", in: folder)
    #expect(result.status == 65 && result.output.isEmpty)
    #expect(result.errors.contains("a.keepsake: Unknown tag 0x70") && result.errors.contains(", in save 1"))
  }

  @Test("the demo reports a folder that does not exist")
  func faultyDemo() throws {
    let result = try Keeputil.run("demo", "-o", "missing/a.keepsake", in: folder)
    #expect(result.status == 74 && result.errors.contains("create the folder first"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
