import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// `keeputil print` reads only what it shows, and reports damage there.
@Suite struct KeeputilReading {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Large: Codable {
    var first = [1, 2, 3]
    var filler = (0..<30_000).map { "text number \($0) that is not short" }
    var last = "end"
  }

  /// Writes an archive of several blocks with a changed byte in the middle.
  private func writeDamaged() throws {
    var data = try KeyedArchiver.archivedData(withRootObject: Large())
    #expect(data.count > 8 * Blocks.byteCount)
    data[data.count / 2] ^= 1
    try folder.write(data, "a.keepsake")
  }

  @Test("damage is reported only if it or something behind it is read")
  func damage() throws {
    try writeDamaged()
    let part = try Keeputil.run("print", "--key", "root.first[1]", "a.keepsake", in: folder)
    #expect(part.output == "2\n")
    #expect(part.status == 0)
    let few = try Keeputil.run("print", "--members", "2", "--key", "root.filler", "a.keepsake", in: folder)
    #expect(few.status == 0, "\(few.errors)")
    #expect(few.output.hasSuffix("… 29998 more\n]\n"))
    #expect(try Keeputil.run("print", "--depth", "1", "a.keepsake", in: folder).status == 0)
    for arguments in ["--key root.last", "", "--members 2", "--json", "--offsets --depth 2"] {
      let result = try Keeputil.shell("\"$0\" print \(arguments) a.keepsake", in: folder)
      #expect(result.status == 65, "\(arguments)")
      #expect(result.errors.contains("do not match their checksum (at byte "))
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    // Everything before the damage is printed.
    let all = try Keeputil.run("print", "a.keepsake", in: folder)
    #expect(all.output.hasPrefix("{\n  \"root\" => {\n    \"first\" => [\n      0 => 1\n"))
    #expect(all.output.contains("text number 10 "))
    #expect(!all.output.contains("text number 29999 "))
  }

  @Test("damage in texts, bytes, packed numbers and skipped values is reported", arguments: 0..<4)
  func damagedLeaf(kind: Int) throws {
    let count = 300_000
    let long = [UInt8](repeating: 0x61, count: count)
    let values: [[UInt8]] = [
      [Tag.string] + Bytes.varint(count) + long, [Tag.bytes] + Bytes.varint(count) + long,
      [Tag.packedArray, 4] + Bytes.varint(count / 4) + long,
      CraftedArchive.array(Array(repeating: [Tag.shortString + 1, 0x61], count: count / 2)),
    ]
    let body = [0] + CraftedArchive.map(("a", values[kind]), ("b", [0x95]))
    var data = HandmadeArchive.data(bodies: [body], topLevel: CraftedArchive.root([Tag.valueReference, 1]))
    try folder.write(data, "a.keepsake")
    let whole = try Keeputil.run("print", "--key", "root.b", "a.keepsake", in: folder)
    #expect(whole.output == "5\n")
    data[150_000] ^= 2
    try folder.write(data, "a.keepsake")
    for path in ["root.a", "root.b"] {
      let result = try Keeputil.run("print", "--key", path, "a.keepsake", in: folder)
      #expect(result.status == 65)
      #expect(result.errors.contains("do not match their checksum"), "\(result.errors)")
    }
    #expect(try Keeputil.run("print", "--depth", "1", "a.keepsake", in: folder).status == 0)
  }

  @Test("a truncated body and an unknown tag are reported after the values before them")
  func unsound() throws {
    let body: [UInt8] = [1] + CraftedArchive.map(("n", [Tag.shortArray + 3, 0x95]))
    let data = HandmadeArchive.data(
      bodies: [body, [1, Tag.none]],
      topLevel: [0] + CraftedArchive.map(("a", [Tag.objectReference, 1]))
    )
    try folder.write(data, "a.keepsake")
    let result = try Keeputil.run("print", "a.keepsake", in: folder)
    #expect(result.status == 65)
    #expect(result.errors.contains("A body ends before the values in it do (at byte 23)"), "\(result.errors)")
    #expect(result.output.hasSuffix("\"n\" => [\n      0 => 5\n"))
    let tag = HandmadeArchive.data(topLevel: CraftedArchive.root([Tag.shortArray + 2, 0x95, 0x7F]))
    try folder.write(tag, "a.keepsake")
    let unknown = try Keeputil.run("print", "--json", "a.keepsake", in: folder)
    #expect(unknown.status == 65)
    #expect(unknown.errors.contains("Unknown tag 0x7f"))
    #expect(unknown.output.hasPrefix("{\"root\":[5"))
  }

  @Test("printing deep nesting takes no stack", arguments: [false, true])
  func deep(isObjects: Bool) throws {
    let depth = sized(40_000, inDebug: 10_000)
    try folder.writeDeep("a.keepsake", depth: depth, innermost: [0x95], isObjects: isObjects)
    let all = try Keeputil.shell("\"$0\" print a.keepsake | wc -l", in: folder)
    // Each level opens and closes on its own lines, except the number.
    #expect(all.output.split(separator: " ").first?.contains("\(2 * depth + 3)") == true, "\(all.output)")
    let json = try Keeputil.shell("\"$0\" print --json a.keepsake | wc -c", in: folder)
    #expect((Int(json.output.filter(\.isNumber)) ?? 0) > depth * 2)
    let path = "root" + String(repeating: isObjects ? ".next" : "[0]", count: depth)
    try folder.write(Data("print --key \(path) a.keepsake".utf8), "arguments")
    let found = try Keeputil.shell("xargs \"$0\" <arguments", in: folder)
    // Some systems do not accept arguments of that length.
    #expect(found.output == "5\n" || found.status != 0 && found.status != 65)
  }

  @Test("a walk reads skipped values only if something behind them is requested")
  func lazyWalk() throws {
    let data = HandmadeArchive.data(
      topLevel: [0, Tag.shortArray + 2, Tag.shortArray + 3, 0x95, 0x96, 0x7F, 0x97]
    )
    let image = try ArchiveImage(data: data, verification: .everything)
    var walk = ArchiveWalk(try image.topLevelValue)
    func next() throws -> String {
      switch try walk.next() {
      case .value(let value, let label)?: "\(label.map { "\($0)" } ?? "-") \(value.kind)"
      case .leave?: "leave"
      case nil: "end"
      }
    }
    #expect(try [next(), next(), next()] == ["- array", "index(0) array", "index(0) integer"])
    #expect(walk.parentKind == .array)
    #expect(walk.leaveOut(behind: 2) == nil && walk.leaveOut(behind: 1) == 2)
    #expect(try next() == "leave")
    // The unknown tag is between this value and the next.
    #expect(throws: ArchiveError.self) { try next() }
    var other = ArchiveWalk(try image.topLevelValue)
    _ = try other.next()
    #expect(other.leaveOut(behind: 0) == 2)
    #expect(throws: ArchiveError.self) { try other.cursor }
  }

  @Test("a walk trusts a known end of a value")
  func knownEnd() throws {
    let data = HandmadeArchive.data(topLevel: [0, Tag.shortArray + 2, Tag.shortArray + 1, 0x7F, 0x97])
    let image = try ArchiveImage(data: data, verification: .everything)
    var walk = ArchiveWalk(try image.topLevelValue)
    _ = try walk.next()
    _ = try walk.next()
    try walk.skipMembers(endingAt: image.topLevelValue.offset + 3)
    guard case .value(let value, let label)? = try walk.next() else {
      Issue.record("the walk ended")
      return
    }
    #expect(label == .index(1))
    #expect(try value.integer.flatMap { Int(exactly: $0) } == 7)
    #expect(try walk.cursor == image.topLevelValue.offset + 4)
  }
}
