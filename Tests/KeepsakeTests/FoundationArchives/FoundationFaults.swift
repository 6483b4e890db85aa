import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Each rule that an NSKeyedArchiver archive may break, by the message of the error, since several faults have the same
/// code.
@Suite struct FoundationFaults {
  /// Accepts any value.
  private struct Nothing: Decodable {}

  private func words(_ data: Data) throws -> String {
    try failure { try KeyedUnarchiver.unarchive(Nothing.self, from: data) }.description
  }

  private func expect(
    _ data: Data,
    _ words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try self.words(data)
    #expect(found.contains(words), "\(found)", sourceLocation: sourceLocation)
  }

  // MARK: Binary property lists

  private static let text = "twenty letters, so l"

  /// An archive whose only object is a text with a separate count.
  private var binary: [UInt8] {
    var list = BinaryPropertyList()
    let text = list.string(FoundationFaults.text)
    return Array(list.archive(objects: [text]))
  }

  private func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  @Test("a faulty trailer of a binary property list is refused")
  func trailer() throws {
    let bytes = binary
    let trailer = bytes.count - 32
    #expect(try KeyedUnarchiver.unarchive(String.self, from: Data(bytes)) == FoundationFaults.text)
    // The widths of offsets and references, the root, the table.
    for (place, value) in [(6, 0), (6, 9), (7, 0), (7, 9), (23, 0xFF), (31, 3), (30, 0xFF)] {
      var changed = bytes
      changed[trailer + place] = UInt8(value)
      try expect(Data(changed), "does not end with a trailer")
    }
  }

  @Test("objects that begin in the header or in the offset table are refused")
  func objectOffsets() throws {
    let bytes = binary
    let trailer = bytes.count - 32
    let table = big(bytes[(trailer + 24)..<(trailer + 32)])
    let width = Int(bytes[trailer + 6])
    for offset in [3, table, table + 1] {
      var changed = bytes
      for index in 0..<width {
        changed[table + index] = UInt8(truncatingIfNeeded: offset >> (8 * (width - 1 - index)))
      }
      try expect(Data(changed), "is outside the property list")
    }
  }

  @Test("counts that are no integers, or are too large, are refused")
  func counts() throws {
    let bytes = binary
    let head: [UInt8] = [0x5F, 0x12, 0, 0, 0, 20]
    let place = try #require(
      bytes.indices.dropLast(6).first { bytes[$0..<($0 + 6)].elementsEqual(head) }
    )
    for marker: UInt8 in [0x14, 0x22, 0x5F] {
      var changed = bytes
      changed[place + 1] = marker
      try expect(Data(changed), "no valid count")
    }
    var changed = bytes
    changed[place + 3] = 0xFF
    let found = try words(Data(changed))
    #expect(!found.contains("overlap") && found.contains("byte \(place + 6)"), "\(found)")
  }

  // MARK: Property lists in XML

  @Test("keys outside dictionaries are refused, and dictionaries that are no references are read")
  func keys() throws {
    for text in [
      "<plist><array><key>a</key></array></plist>",
      "<plist><dict><key>a</key><key>b</key><true/></dict></plist>",
      "<plist><key>a</key></plist>",
    ] {
      try expect(Data(text.utf8), "A key is outside a dictionary")
    }
    let data = FoundationPropertyList.archive(
      objects: [.string("x")],
      top: [
        ("other", .dictionary([("x", .integer(1))])), ("negative", .dictionary([("CF$UID", .integer(-1))])),
        ("two", .dictionary([("CF$UID", .integer(1)), ("x", .integer(2))])),
      ]
    )
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decode([String: Int].self, forKey: "other") == ["x": 1])
    #expect(try unarchiver.decode([String: Int].self, forKey: "negative") == ["CF$UID": -1])
    #expect(try unarchiver.decode([String: Int].self, forKey: "two") == ["CF$UID": 1, "x": 2])
  }

  @Test("malformed or truncated characters and data are refused")
  func texts() throws {
    for text in ["a & b", "a &amp b", "&", "&;", "&unknown;", "&#xD800;", "&#x110000;", "&#-1;"] {
      try expect(Data("<plist><string>\(text)</string></plist>".utf8), "character reference is malformed")
    }
    try expect(Data("<plist><data>AA!A</data></plist>".utf8), "not valid Base64")
    for text in ["<plist><data>AAAA", "<plist><string>a", "<plist><string><!-- a", "<plist><array>"] {
      try expect(Data(text.utf8), "truncated")
    }
  }

  // MARK: Archives

  @Test("an archive is refused if $objects or $top is missing or has a wrong type")
  func parts() throws {
    for (name, value) in [("$objects", "$top"), ("$top", "$objects"), ("x", "y")] {
      let members: [(String, FoundationPropertyList)] = [
        ("$archiver", .string("NSKeyedArchiver")), ("$version", .integer(100_000)),
        (name, .array([.string("$null")])), (value, .string("")),
      ]
      try expect(FoundationPropertyList.document(.dictionary(members)), "lacks the $objects and $top")
    }
  }

  @Test("collections in place of objects, and keys that are no strings or duplicate, are refused")
  func objects() throws {
    try expect(FoundationPropertyList.archive(objects: [.array([])]), "A collection is where")
    for keys in [2, 3] {
      let list = [FoundationPropertyList.reference(keys), .reference(keys)]
      let object = FoundationPropertyList.object(
        "NSDictionary",
        ["NS.keys": .array(list), "NS.objects": .array(list)]
      )
      try expect(
        FoundationPropertyList.archive(objects: [object, .integer(7), .string("x")]),
        "A dictionary contains a key twice"
      )
    }
    try expect(
      FoundationPropertyList.archive(objects: [.object("Thing", ["x": .integer(1), "x": .integer(2)])]),
      "the key \"x\" twice"
    )
    var list = BinaryPropertyList()
    let number = list.integer(1)
    let object = list.dictionary([(number, number), (list.string("$class"), list.reference(2))])
    let type = list.type("Thing")
    try expect(list.archive(objects: [object, type]), "A key is not a string")
  }

  @Test("an archive whose $archiver is a number is refused")
  func archiver() throws {
    let list = FoundationPropertyList.document(
      .dictionary([
        ("$archiver", .integer(1)), ("$version", .integer(100_000)), ("$objects", .array([.string("$null")])),
        ("$top", .dictionary([("root", .reference(0))])),
      ])
    )
    try expect(list, "not an archive of NSKeyedArchiver")
  }

  @Test("class names that are too long or too many are refused")
  func classNames() throws {
    let long = String(repeating: "N", count: 100_000)
    try expect(FoundationPropertyList.archive(objects: [.instance([long], [])]), "missing or too long")
    try expect(
      FoundationPropertyList.archive(objects: [.instance(["A", long], [])]),
      "are not strings, or are too many"
    )
    let many = ["A"] + (0..<20_000).map { "B\($0)" }
    try expect(
      FoundationPropertyList.archive(objects: [.instance(many, [])]),
      "are not strings, or are too many"
    )
  }

  // MARK: Standard classes

  @Test("values of standard classes with missing, excess or malformed parts are refused")
  func standardClasses() throws {
    func decimal(_ length: Int, _ exponent: Int, _ byteCount: Int) -> FoundationPropertyList {
      .object(
        "NSDecimalNumber",
        [
          "NS.length": .integer(length), "NS.exponent": .integer(exponent),
          "NS.mantissa": .data([UInt8](repeating: 1, count: byteCount)),
        ]
      )
    }
    func point(_ text: String) -> FoundationPropertyList {
      .object("NSValue", ["NS.special": .integer(1), "NS.pointval": .string(text)])
    }
    func ranges(_ count: Int, _ bytes: [UInt8]) -> FoundationPropertyList {
      .object("NSIndexSet", ["NSRangeCount": .integer(count), "NSRangeData": .data(bytes)])
    }
    let spaces = String(repeating: " ", count: 500)
    let faults: [(FoundationPropertyList, String)] = [
      (decimal(9, 0, 32), "no valid parts"), (decimal(-1, 0, 32), "no valid parts"),
      (decimal(8, 128, 16), "no valid parts"), (decimal(8, -129, 16), "no valid parts"),
      (decimal(8, 0, 15), "no valid parts"),
      (.object("NSUUID", ["NS.uuidbytes": .data([UInt8](repeating: 1, count: 15))]), "not have 16 bytes"),
      (.object("NSUUID", ["NS.uuidbytes": .data([UInt8](repeating: 1, count: 17))]), "not have 16 bytes"),
      (ranges(1, [1, 2, 0x80]), "packed number is truncated"),
      (ranges(1, [1] + [UInt8](repeating: 0xFF, count: 10)), "packed number is too large"),
      (ranges(1, [1, 2, 3]), "lacks ranges"), (ranges(2, [1, 2]), "lacks ranges"),
      (.object("NSIndexSet", ["NSRangeCount": .string("1")]), "lacks ranges"),
      (.object("NSString", ["NS.bytes": .string("text")]), "string has no text"),
      (point("{1}"), "not a point"), (point("{1, x}"), "not a point"), (point("{1, 2, x}"), "not a point"),
      (point("{1, 2, 3}"), "not a point"), (point("{1,\(spaces)2}"), "not a point"),
    ]
    for (object, words) in faults { try expect(FoundationPropertyList.archive(objects: [object]), words) }
  }
}
