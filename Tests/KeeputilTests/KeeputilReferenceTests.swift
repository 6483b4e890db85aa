import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// How the tool shows weak references and values behind protocols.
@Suite struct KeeputilReferences {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func text(_ string: String) -> [UInt8] {
    [Tag.shortString + UInt8(string.utf8.count)] + Array(string.utf8)
  }

  private static func map(_ members: (String, [UInt8])...) -> [UInt8] {
    [Tag.map, UInt8(members.count)] + members.flatMap { text($0.0) + $0.1 }
  }

  private static func strong(_ number: UInt8) -> [UInt8] { [Tag.objectReference, number] }
  private static func weak(_ entry: UInt8) -> [UInt8] { [Tag.conditionalReference, entry] }
  private static func circle(_ value: [UInt8]) -> [UInt8] { [Tag.typed, 1] + value }

  private static let types = [
    HandmadeArchive.type("Thing"), HandmadeArchive.type("Zoo.Circle\u{202E}", flags: 2),
  ]

  /// Writes an archive with `root` under the root key.
  private func write(_ root: [UInt8], bodies: [[UInt8]] = [], conditionals: [[UInt8]] = []) throws {
    let data = HandmadeArchive.data(
      bodies: bodies,
      topLevel: [0] + Self.map(("root", root)),
      classes: Self.types,
      conditionals: conditionals
    )
    try folder.write(data, "a.keepsake")
  }

  private func convert(_ root: [UInt8], bodies: [[UInt8]] = [], conditionals: [[UInt8]] = []) throws
    -> (json: String, notes: String)
  {
    try write(root, bodies: bodies, conditionals: conditionals)
    let result = try Keeputil.run("convert", "a.keepsake", "-", "--to", "json", in: folder)
    #expect(result.status == 0)
    return (result.output, result.errors)
  }

  /// An owner with a pet; the pet refers weakly to its owner and to an object that was not archived.
  private func writeOwner() throws {
    try write(
      Self.strong(1),
      bodies: [
        [1] + Self.map(("favourite", Self.weak(1)), ("pets", [Tag.shortArray + 1] + Self.strong(2))),
        [1] + Self.map(("owner", Self.weak(0)), ("vet", Self.weak(2))),
      ],
      conditionals: [[1], [2], [0]]
    )
  }

  @Test("print shows weak references as such and does not follow them")
  func printsWeakReferences() throws {
    try writeOwner()
    let result = try Keeputil.run("print", "a.keepsake", in: folder)
    #expect(
      result.output == """
        {
          "root" => Thing #1 {
            "favourite" => weak Thing #2
            "pets" => [
              0 => Thing #2 {
                "owner" => weak Thing #1
                "vet" => weak nil
              }
            ]
          }
        }

        """
    )
  }

  @Test("weak references become ids in JSON, which may come before their objects")
  func convertsWeakReferences() throws {
    try writeOwner()
    let result = try Keeputil.run("convert", "a.keepsake", "-", "--to", "json", in: folder)
    #expect(
      result.output
        == #"{"$id":1,"favourite":{"$ref":2},"pets":[{"$id":2,"owner":{"$ref":1},"vet":null}]}"# + "\n"
    )
    #expect(result.errors.contains("2 objects are referred to more than once"))
    let list = try Keeputil.run("convert", "a.keepsake", "-", "--to", "plist", in: folder)
    #expect(list.status == 0)
    #expect(list.output.contains("<key>$ref</key>"))
    #expect(list.output.contains("<string>$null</string>"))
  }

  @Test("a weak reference to an object that is not in the JSON becomes null")
  func weakOnly() throws {
    let object: [UInt8] = [1] + Self.map()
    #expect(try convert(Self.weak(0), bodies: [object], conditionals: [[1]]).json == "null\n")
    // Only an unreachable body refers to the second object.
    let lost: [UInt8] = [1] + Self.strong(2)
    let array = [Tag.shortArray + 2] + Self.weak(0) + Self.weak(1)
    #expect(try convert(array, bodies: [lost, object], conditionals: [[2], [0]]).json == "[null,null]\n")
  }

  @Test("an object without keys that a weak reference leads to is exported with the key \"$value\"")
  func contentWithoutKeys() throws {
    let root = [Tag.shortArray + 2] + Self.weak(0) + Self.strong(1)
    let plain = try convert(root, bodies: [[1, Tag.true]], conditionals: [[1]])
    #expect(plain.json == #"[{"$ref":1},{"$id":1,"$value":true}]"# + "\n")
    // The content is a weak reference to the object itself.
    let cycle = try convert(root, bodies: [[1] + Self.weak(0)], conditionals: [[1]])
    #expect(cycle.json == #"[{"$ref":1},{"$id":1,"$value":{"$ref":1}}]"# + "\n")
  }

  @Test("print shows values behind protocols with the names of their types")
  func printsTypedValues() throws {
    try write(
      [Tag.shortArray + 4] + Self.circle(Self.map(("r", [0x95]))) + Self.circle([0x96])
        + Self.circle([Tag.shortArray]) + Self.circle(Self.strong(1)),
      bodies: [[1] + Self.circle([Tag.none])]
    )
    let result = try Keeputil.run("print", "a.keepsake", in: folder)
    #expect(
      result.output == """
        {
          "root" => [
            0 => Zoo.Circle\\u{202E} {
              "r" => 5
            }
            1 => Zoo.Circle\\u{202E} 6
            2 => Zoo.Circle\\u{202E} []
            3 => Zoo.Circle\\u{202E} Thing #1 Zoo.Circle\\u{202E} nil
          ]
        }

        """
    )
    let short = try Keeputil.run("print", "--depth", "2", "a.keepsake", in: folder)
    #expect(short.output.contains("0 => Zoo.Circle\\u{202E} {…}\n"))
  }

  @Test("a value behind a protocol becomes plain JSON")
  func convertsTypedValues() throws {
    let value = Self.circle(Self.map(("r", [0x95])))
    let array = try convert([Tag.shortArray + 2] + value + Self.circle([Tag.none]))
    #expect(array.json == #"[{"r":5},null]"# + "\n")
    #expect(array.notes.isEmpty)
    // The content of a shared object.
    let two = [Tag.shortArray + 2] + Self.strong(1) + Self.strong(1)
    #expect(try convert(two, bodies: [[1] + value]).json == #"[{"$id":1,"r":5},{"$ref":1}]"# + "\n")
    let content = [1] + Self.circle([Tag.shortArray + 1, 0x95])
    #expect(try convert(two, bodies: [content]).json == #"[{"$id":1,"$value":[5]},{"$ref":1}]"# + "\n")
  }

  @Test("verify counts classes, and reports faults with their offsets")
  func verifies() throws {
    try write(
      [Tag.shortArray + 2] + Self.strong(1) + Self.circle(Self.weak(0)),
      bodies: [[1] + Self.map()],
      conditionals: [[1]]
    )
    let whole = try Keeputil.run("verify", "a.keepsake", in: folder)
    #expect(whole.status == 0)
    #expect(whole.output.contains("a whole archive of 1 object of 1 class in"))
    try write(Self.weak(0), bodies: [[0, Tag.none]], conditionals: [[1]])
    try expectFault("to a value instead of an object")
    try write([Tag.none], conditionals: [[1]])
    try expectFault("in the conditional table is out of range")
    try write(Self.weak(1), conditionals: [[0]])
    try expectFault("A conditional reference is out of range")
    try write([Tag.typed, 0, Tag.none])
    try expectFault("to no value type of the class table")
    try write(Self.strong(1), bodies: [[2] + Self.map()])
    try expectFault("is a structure or enumeration")
  }

  private func expectFault(_ words: String) throws {
    let result = try Keeputil.run("verify", "a.keepsake", in: folder)
    #expect(result.status == 65)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.contains("at byte"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
