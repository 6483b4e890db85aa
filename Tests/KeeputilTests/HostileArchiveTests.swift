import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Archives that no encoder writes, with correct checksums.
@Suite struct HostileArchives {
  private func archive(bodies: [[UInt8]] = [], topLevel: [UInt8], strings: [[UInt8]] = []) -> Data {
    HandmadeArchive.data(bodies: bodies, topLevel: topLevel, strings: strings)
  }

  private func fault(
    bodies: [[UInt8]] = [],
    topLevel: [UInt8],
    strings: [[UInt8]] = [],
    classes: [[UInt8]] = [HandmadeArchive.type("Thing")]
  ) throws -> String {
    do {
      let data = HandmadeArchive.data(bodies: bodies, topLevel: topLevel, strings: strings, classes: classes)
      try ArchiveImage(data: data, verification: .everything).verifyStructure()
    } catch {
      #expect(error.byteOffset != nil)
      return error.message
    }
    return "none"
  }

  private let a = Tag.shortString + 1

  @Test("each fault is reported, and a valid archive has none")
  func faults() throws {
    let key = [a, 0x61]
    #expect(try fault(topLevel: [0, Tag.map, 1] + key + [Tag.none]) == "none")
    #expect(try fault(topLevel: [0, Tag.map, 2] + key + [Tag.none] + key + [Tag.none]).contains("key twice"))
    #expect(
      try fault(topLevel: [0, Tag.map, 1, Tag.float32, 0, 0, 0, 0, Tag.none]).contains("neither a string")
    )
    #expect(try fault(topLevel: [0, Tag.map, 1, a, 0xFF, Tag.none]).contains("UTF-8"))
    #expect(try fault(topLevel: [0, Tag.map, 1] + key + [a, 0xC0]).contains("UTF-8"))
    #expect(try fault(topLevel: [0, Tag.map, 1] + key + [0x7F]).contains("0x7f"))
    #expect(try fault(topLevel: [0, Tag.map, 1] + key + [Tag.none, Tag.none]).contains("unused bytes"))
    #expect(
      try fault(topLevel: [0, Tag.map, 1] + key + [Tag.objectReference, 1]).contains("out of range")
    )
    #expect(
      try fault(topLevel: [0, Tag.map, 1] + key + [Tag.stringReference, 0]).contains("out of range")
    )
    #expect(
      try fault(topLevel: [0, Tag.map, 1] + key + [Tag.conditionalReference, 1]).contains("conditional")
    )
    #expect(try fault(topLevel: [0, Tag.shortRecord]).contains("shape"))
    #expect(try fault(topLevel: [1, Tag.map, 0]).contains("is an object"))
    #expect(try fault(topLevel: [9, Tag.map, 0]).contains("class"))
    #expect(try fault(topLevel: [0, Tag.array, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) != "none")
    #expect(try fault(topLevel: [0, Tag.decimal, a, 0x61, 0x90]).contains("decimal"))
  }

  @Test(
    "references to values are only at the top level, one per value, and references to objects lead to objects"
  )
  func references() throws {
    let toValue = [Tag.valueReference, 1]
    let toObject = [Tag.objectReference, 1]
    let value: [UInt8] = [0, Tag.none]
    let object: [UInt8] = [1, Tag.map, 0]
    let b = [Tag.shortString + 1, 0x62]
    func top(_ members: [UInt8]...) -> [UInt8] {
      [0, Tag.map, UInt8(members.count)]
        + zip(members, [[a, 0x61], b]).flatMap { $1 + $0 }
    }
    #expect(try fault(bodies: [value], topLevel: top(toValue)) == "none")
    #expect(try fault(bodies: [object], topLevel: top(toObject, toObject)) == "none")
    #expect(try fault(bodies: [value], topLevel: top(toObject)).contains("leads to a value"))
    #expect(try fault(bodies: [object], topLevel: top(toValue)).contains("leads to an object"))
    #expect(try fault(bodies: [value], topLevel: top(toValue, toValue)).contains("Two keys"))
    #expect(
      try fault(bodies: [value], topLevel: top([Tag.shortArray + 1] + toValue)).contains(
        "allowed only under a key"
      )
    )
    #expect(try fault(bodies: [[0] + toValue], topLevel: top(toValue)).contains("allowed only under a key"))
    // A cycle of objects is valid.
    #expect(try fault(bodies: [[1] + toObject], topLevel: top(toObject)) == "none")
  }

  @Test("very deep nesting is verified in bounded time", .timeLimit(.minutes(20)))
  func nesting() throws {
    let count = sized(2_000_000, inDebug: 300_000)
    for tag in [Tag.some, Tag.shortArray + 1] {
      let topLevel = [0] + [UInt8](repeating: tag, count: count) + [Tag.none]
      #expect(try fault(topLevel: topLevel).contains("nested"))
    }
    // This one has another fault: its outermost URL has no text.
    #expect(try fault(topLevel: [0] + [UInt8](repeating: Tag.url, count: count) + [Tag.none]).contains("URL"))
    let typed = [0] + Bytes.repeating([Tag.typed, 0], count: count) + [Tag.none]
    let classes = [HandmadeArchive.type("Circle", flags: 2)]
    #expect(try fault(topLevel: typed, classes: classes).contains("nested"))
    // Deeply nested maps, each with a long text as its key.
    let link: [UInt8] = [Tag.map, 1, Tag.stringReference, 0]
    let chain = Bytes.repeating(link, count: 9_000)
    let strings = [[UInt8](repeating: 0x61, count: 1_000_000)]
    #expect(try fault(topLevel: [0] + chain + [Tag.none], strings: strings) == "none")
    let twice: [UInt8] = [
      0, Tag.map, 2, Tag.stringReference, 0, Tag.none, Tag.shortString + 1, 0x61, Tag.none,
    ]
    #expect(try fault(topLevel: twice, strings: [[0x61]]).contains("key twice"))
    let wide = [0, Tag.array, 0xFF, 0xFF, 0x7F] + [UInt8](repeating: Tag.none, count: 0x1F_FFFF)
    #expect(try fault(topLevel: wide) == "none")
  }

  @Test(
    "a changed bit in conditional references and typed values gives an error or a value, and never crashes"
  )
  func flippedBits() throws {
    let data = HandmadeArchive.data(
      bodies: [
        [1, Tag.shortArray + 2, Tag.conditionalReference, 1, Tag.conditionalReference, 0],
        [1, Tag.typed, 1, Tag.objectReference, 1],
      ],
      topLevel: [
        0, Tag.map, 2, a, 0x61, Tag.objectReference, 2, a, 0x62, Tag.typed, 1, Tag.conditionalReference, 2,
      ],
      classes: [HandmadeArchive.type("Thing", flags: 1), HandmadeArchive.type("Circle", flags: 2)],
      conditionals: [[1], [2], [0]]
    )
    try ArchiveImage(data: data, verification: .everything).verifyStructure()
    var whole = 0
    for place in data.indices {
      for bit in 0..<8 {
        var changed = data
        changed[place] ^= 1 << UInt8(bit)
        guard let image = try? ArchiveImage(data: changed, verification: .disabled) else { continue }
        if (try? image.verifyStructure()) != nil { whole += 1 }
        // Without verifying the structure before.
        guard let reread = try? ArchiveImage(data: changed, verification: .disabled) else { continue }
        for entry in 0...3 { _ = try? reread.conditionalTarget(entry, at: 0) }
        _ = try? reread.topLevelValue["b"]?.wrapped?.target
      }
    }
    #expect(whole > 0)
  }

  @Test("a cycle of objects is printed and converted in bounded time", .timeLimit(.minutes(20)))
  func cycles() throws {
    let folder = try TemporaryFolder()
    let next: (UInt8) -> [UInt8] = { [1, Tag.map, 1, Tag.shortString + 1, 0x6E, Tag.objectReference, $0] }
    let data = archive(
      bodies: [next(2), next(1)],
      topLevel: [0, Tag.map, 1, a, 0x61, Tag.objectReference, 1]
    )
    try folder.write(data, "cycle.keepsake")
    let printed = try Keeputil.run("print", "cycle.keepsake", in: folder)
    #expect(
      printed.output == """
        {
          "a" => Thing #1 {
            "n" => Thing #2 {
              "n" => Thing #1 (above)
            }
          }
        }

        """
    )
    let json = try Keeputil.run("convert", "cycle.keepsake", "-", "--to", "json", in: folder)
    #expect(json.output == #"{"a":{"$id":1,"n":{"n":{"$ref":1}}}}"# + "\n")
  }

  @Test("a long chain of objects is printed and converted", .timeLimit(.minutes(20)))
  func longList() throws {
    let folder = try TemporaryFolder()
    let count = sized(50_000, inDebug: 10_000)
    let bodies = (1...count).map { number -> [UInt8] in
      let next = number + 1
      let link: [UInt8] =
        number == count
        ? [Tag.none]
        : [Tag.objectReference + 2, UInt8(next & 255), UInt8(next >> 8 & 255), UInt8(next >> 16)]
      return [1, Tag.shortArray + 1] + link
    }
    try folder.write(
      archive(bodies: bodies, topLevel: [0, Tag.map, 1, a, 0x61, Tag.objectReference, 1]),
      "list.keepsake"
    )
    let printed = try Keeputil.shell("\"$0\" print list.keepsake | wc -l", in: folder)
    #expect(
      printed.output.contains("\(2 * count + 3 - 0)") || printed.output.contains("\(2 * count + 1 + 2)")
    )
    let json = try Keeputil.run("convert", "list.keepsake", "-", "--to", "json", in: folder)
    #expect(json.output.hasPrefix("{\"a\":[["))
  }

  @Test("the value of a shared object without keys is exported as \"$value\" unless it is empty")
  func contentWithoutKeys() throws {
    let folder = try TemporaryFolder()
    let reference = [Tag.objectReference, 1]
    let two = [0, Tag.shortArray + 2] + reference + reference
    for (content, expected) in [
      ([Tag.true], #"{"$id":1,"$value":true}"#),
      ([Tag.shortArray + 1, Tag.none], #"{"$id":1,"$value":[null]}"#),
      ([Tag.empty], #"{"$id":1}"#), ([Tag.some, Tag.map, 0], #"{"$id":1}"#),
      ([Tag.some, Tag.some, Tag.none], #"{"$id":1,"$value":null}"#),
    ] {
      try folder.write(archive(bodies: [[1] + content], topLevel: two), "a.keepsake")
      let json = try Keeputil.run("convert", "a.keepsake", "-", "--to", "json", in: folder)
      #expect(json.output == "[\(expected),{\"$ref\":1}]\n")
    }
  }
}
