import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// NSKeyedArchiver archives that are damaged or hostile give an error with reason and place, in bounded time and
/// memory.
@Suite struct FoundationDamage {
  /// Decodes any value.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
      do {
        var elements = try decoder.unkeyedContainer()
        while !elements.isAtEnd { _ = try elements.decode(Anything.self) }
      } catch DecodingError.typeMismatch {
        do {
          let members = try decoder.container(keyedBy: AnyKey.self)
          for key in members.allKeys { _ = try members.decode(Anything.self, forKey: key) }
        } catch DecodingError.typeMismatch {
          // A value without members.
        }
      }
    }
  }

  private func code(_ data: Data) throws -> ArchiveError.Code? {
    try failure { try KeyedUnarchiver.unarchive(Anything.self, from: data) }.code
  }

  private func xml(_ text: String) -> Data { Data(text.utf8) }

  @Test func whatIsNoFoundationArchive() throws {
    #expect(try code(xml("<plist><dict></dict></plist>")) == .notAnArchive)
    #expect(try code(xml("<plist><array><string>$archiver</string></array></plist>")) == .notAnArchive)
    #expect(try code(xml("<html></html>")) == .notAnArchive)
    #expect(try code(xml("{\"json\": 1}")) == .notAnArchive)
    let new = FoundationPropertyList.document(
      .dictionary([
        ("$archiver", .string("NSKeyedArchiver")), ("$version", .integer(200_000)), ("$objects", .array([])),
        ("$top", .dictionary([])),
      ])
    )
    #expect(try code(new) == .unsupportedVersion)
  }

  @Test(arguments: [
    "<plist>", "<plist><dict>", "<plist><dict></plist>", "<plist><array></dict></plist>",
    "<plist><dict><key>a</key></dict></plist>",
    "<plist><dict><string>a</string></dict></plist>", "<plist><integer>x</integer></plist>",
    "<plist><real></real></plist>",
    "<plist><integer>--5</integer></plist>", "<plist><integer>-+5</integer></plist>",
    "<plist><integer>0x-5</integer></plist>",
    "<plist><integer>-0x-80000000000000000000000000000000</integer></plist>",
    "<plist><integer>-0x80000000000000000000000000000001</integer></plist>",
    "<plist><date>2001-13-01T00:00:00Z</date></plist>", "<plist><date>2001-01-32T00:00:00Z</date></plist>",
    "<plist><date>2001-00-01T00:00:00Z</date></plist>", "<plist><date>2001-01-00T00:00:00Z</date></plist>",
    "<plist><date>2001-01-01T24:00:00Z</date></plist>", "<plist><date>2001-01-01T00:60:00Z</date></plist>",
    "<plist><date>2001-01-01T00:00:61Z</date></plist>", "<plist><date>2001-01-01T00:00:00</date></plist>",
    "<plist><date>2001-01-01T00:00:00ZZ</date></plist>", "<plist><date>2001x01-01T00:00:00Z</date></plist>",
    "<plist><date>2001-01x01T00:00:00Z</date></plist>", "<plist><date>2001-01-01x00:00:00Z</date></plist>",
    "<plist><date>2001-01-01T00x00:00Z</date></plist>", "<plist><date>2001-01-01T00:00x00Z</date></plist>",
    "<plist><date>2001-01-01T00:00:00x</date></plist>", "<plist><date>2001-0x-01T00:00:00Z</date></plist>",
    "<plist><data>$$</data></plist>",
    "<plist><string>&unknown;</string></plist>", "<plist><string>&#xD800;</string></plist>",
    "<plist><string>a</plist>",
    "<plist><true/><true/></plist>", "<plist><thing/></plist>", "<plist>text</plist>",
    "<?xml version=\"1.0\"?>",
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", "<!-- never ends",
    "<plist><array><array>",
  ])
  func brokenXML(_ text: String) throws {
    #expect(try code(xml(text)) == .damaged)
  }

  @Test func offsetsBehindTheMarkOfTheByteOrder() throws {
    for text in ["<plist><integer>x</integer></plist>", "<plist><array>"] {
      let offsets = [text, "\u{FEFF}" + text].map { text in
        #expect(throws: ArchiveError.self) { try translateFoundationArchive(xml(text)) }?.byteOffset ?? 0
      }
      #expect(offsets[1] == offsets[0] + 3)
    }
  }

  @Test func spellingsOfXML() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <!-- a comment --><plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer> 0x186A0 </integer><key>$objects</key><array><string>$null</string>
      <string>a&lt;&amp;&#65;&#x1F600;<![CDATA[<b>&amp;]]><!-- no text --></string><string/><data> AQ ID
      </data><data/></array><key>$top</key><dict><key>text</key><dict><key>CF$UID</key><integer>1</integer></dict>
      <key>empty</key><dict><key>CF$UID</key><integer>2</integer></dict><key>data</key><dict><key>CF$UID</key>
      <integer>3</integer></dict><key>none</key><dict><key>CF$UID</key><integer>4</integer></dict>
      <key>date</key><date>2001-01-02T00:00:01Z</date><key>leap</key><date>2024-02-29T12:00:00Z</date>
      <key>first</key><date>0000-02-29T00:00:00Z</date>
      <key>nan</key><real>nan</real><key>huge</key><real>-Infinity</real><key>big</key><integer>18446744073709551615</integer>
      <key>low</key><integer>-9223372036854775808</integer></dict></dict></plist>
      """
    for data in [xml(text), xml("\u{FEFF}" + text), try #require(text.data(using: .utf16))] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      #expect(try unarchiver.decode(String.self, forKey: "text") == "a<&A😀<b>&amp;")
      #expect(try unarchiver.decode(String.self, forKey: "empty").isEmpty)
      #expect(try unarchiver.decode(Data.self, forKey: "data") == Data([1, 2, 3]))
      #expect(try unarchiver.decode(Data.self, forKey: "none").isEmpty)
      #expect(try unarchiver.decode(Date.self, forKey: "date").timeIntervalSinceReferenceDate == 86_401)
      #expect(try unarchiver.decode(Date.self, forKey: "leap").timeIntervalSince1970 == 1_709_208_000)
      let first = try unarchiver.decode(Date.self, forKey: "first")
      #expect(first.timeIntervalSinceReferenceDate == -63_140_428_800)
      #expect(try unarchiver.decode(Double.self, forKey: "nan").isNaN)
      #expect(try unarchiver.decode(Double.self, forKey: "huge") == -.infinity)
      #expect(try unarchiver.decode(UInt64.self, forKey: "big") == .max)
      #expect(try unarchiver.decode(Int.self, forKey: "low") == .min)
    }
  }

  @Test func brokenObjects() throws {
    let broken: [[FoundationPropertyList]] = [
      [.reference(2)],
      [.dictionary([("a", .integer(1))])],
      [.dictionary([("$class", .integer(1))])],
      [.dictionary([("$class", .reference(99))])],
      [.dictionary([("$class", .reference(2))]), .string("no class")],
      [.object("NSArray", ["NS.objects": .array([.reference(99)])])],
      [
        .object("NSDictionary", ["NS.keys": .array([]), "NS.objects": .array([.reference(2)])]), .integer(1),
      ],
      [.object("NSDate", [:])], [.object("NSUUID", ["NS.uuidbytes": .data([1])])], [.object("NSURL", [:])],
      [.object("NSURL", ["NS.base": .reference(1), "NS.relative": .string("x")])],
      [.object("NSValue", ["NS.special": .integer(1), "NS.pointval": .string("{1}")])],
      [.object("NSValue", ["NS.special": .integer(4)])], [.object("NSMeasurement", ["NS.value": .real(1)])],
      [.object("NSNumber", [:])], [.object("NSString", [:])],
      [.object("NSString", ["NS.bytes": .data([0xFF])])],
      [.object("NSData", [:])], [.object("NSTimeZone", [:])], [.object("NSLocale", [:])],
      [.object("NSDateComponents", ["NS.day": .array([])])],
      [.object("NSDateComponents", ["NS.timezone": .reference(2)]), .object("NSTimeZone", [:])],
      [
        .object("NSDateComponents", ["NS.timezone": .reference(2)]),
        .object("NSLocale", ["NS.name": .string("x")]),
      ],
      [.object("NSDateComponents", ["NS.calendar": .reference(1)])],
      [.object("NSCalendar", ["NS.locale": .reference(1)])],
      [.object("NSPersonNameComponents", ["NS.nameComponentsPrivate": .integer(1)])],
      [.object("NSPersonNameComponents", ["NS.givenName": .reference(1)])],
      [.object("NSIndexSet", ["NSRangeCount": .integer(2), "NSRangeData": .data([1, 2])])],
      [.object("NSIndexSet", ["NSRangeCount": .integer(1), "NSRangeData": .data([0x80, 0x80])])],
      [.object("NSIndexPath", ["NSIndexPathLength": .integer(2)])], [.object("NSDecimalNumber", [:])],
      [.object("NSCountedSet", ["NS.count": .integer(2)])],
      [
        .object(
          "NSDictionary",
          [
            "NS.keys": .array([.reference(2), .reference(2)]),
            "NS.objects": .array([.reference(2), .reference(2)]),
          ]
        ),
        .string("twice"),
      ],
    ]
    for objects in broken {
      let failure = try failure {
        try KeyedUnarchiver.unarchive(Anything.self, from: FoundationPropertyList.archive(objects: objects))
      }
      #expect(failure.code == .damaged)
    }
  }

  @Test func errorsSayWhereInTheOldFile() throws {
    let data = FoundationPropertyList.archive(objects: [
      .object("NSArray", ["NS.objects": .array([.reference(2), .reference(3)])]), .integer(1),
      .string("no number"),
    ])
    do {
      _ = try KeyedUnarchiver.unarchive([Int].self, from: data)
      Issue.record("it was read")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.intValue) == [1])
      let offset = try #require((context.underlyingError as? ArchiveError)?.byteOffset)
      // The offset of the reference to the text.
      #expect(
        String(decoding: data[offset...].prefix(39), as: UTF8.self)
          == "<dict><key>CF$UID</key><integer>3</inte"
      )
    }
  }

  // MARK: Out of proportion

  /// Arrays that each hold the next twice: 2 to the power of 40 elements.
  @Test func doublingArrays() throws {
    let levels = 40
    let data = FoundationPropertyList.archive(
      objects: (1...levels).map {
        .object("NSArray", ["NS.objects": .array([.reference($0 + 1), .reference($0 + 1)])])
      } + [.integer(7)]
    )
    #expect(try code(data) == .limitExceeded)
    // The translation itself is no larger than the file.
    #expect(try translateFoundationArchive(data)?.buffer.count ?? .max < data.count)
  }

  @Test func arraysInThemselves() throws {
    let cycle = FoundationPropertyList.archive(objects: [
      .object("NSArray", ["NS.objects": .array([.reference(2)])]),
      .object("NSArray", ["NS.objects": .array([.reference(1)])]),
    ])
    #expect(try code(cycle) == .limitExceeded)
    let own = FoundationPropertyList.archive(objects: [
      .object("NSDictionary", ["NS.keys": .array([.reference(2)]), "NS.objects": .array([.reference(1)])]),
      .string("k"),
    ])
    #expect(try code(own) == .limitExceeded)
  }

  @Test func objectsThatShareLargeTexts() throws {
    // Each of 20,000 objects has the same 40,000 bytes as its text, which would be copied.
    let bytes = [UInt8](repeating: 0x61, count: 40_000)
    let count = sized(20_000, inDebug: 4_000)
    let data = FoundationPropertyList.archive(
      objects: [
        .object("NSArray", ["NS.objects": .array((0..<count).map { .reference($0 + 3) })]), .data(bytes),
      ]
        + (0..<count).map { _ in
          .dictionary([("$class", .reference(count + 3)), ("NS.bytes", .reference(2))])
        } + [
          .dictionary([("$classname", .string("NSString")), ("$classes", .array([.string("NSString")]))])
        ]
    )
    #expect(try code(data) == .limitExceeded)
  }

  @Test func deepXML() throws {
    let depth = sized(200_000, inDebug: 50_000)
    let open = String(repeating: "<array>", count: depth)
    let close = String(repeating: "</array>", count: depth)
    #expect(try code(xml("<plist>\(open)\(close)</plist>")) == .notAnArchive)
  }

  // MARK: Binary

  private func binary(
    _ objects: [[UInt8]],
    offsetSize: UInt8 = 2,
    count: Int? = nil,
    top: Int = 0,
    table: Int? = nil
  ) -> Data {
    var bytes = [UInt8]("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let start = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
    bytes += [0, 0, 0, 0, 0, 0, offsetSize, 1]
    for number in [count ?? objects.count, top, table ?? start] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
    }
    return Data(bytes)
  }

  @Test func brokenBinary() throws {
    #expect(try code(binary([[0x08]])) == .notAnArchive)
    for data in [
      binary([]), binary([[0x08]], offsetSize: 0), binary([[0x08]], offsetSize: 9),
      binary([[0x08]], count: Int.max),
      binary([[0x08]], count: -1), binary([[0x08]], top: 1), binary([[0x08]], table: Int.max),
      binary([[0x08]], table: 3),
      binary([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]), binary([[0xAF, 0x50]]),
      binary([[0xA1, 9]]),
      binary([[0x5F, 0x10, 0xFF]]), binary([[0x51, 0xFF]]), binary([[0x00]]), binary([[0x15, 0, 0]]),
      binary([[0xF0]]),
      binary([[0x8F]]), binary([[0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
      Data("bplist00".utf8),
      Data("bplist00".utf8) + Data(count: 32),
    ] {
      #expect(try code(data) == .damaged)
    }
  }

  @Test func overlappingObjects() throws {
    // 1,000 objects at the offset of the same long text.
    var bytes = [UInt8]("bplist00".utf8) + [0x5F, 0x11, 0x03, 0xE8] + [UInt8](repeating: 0x61, count: 1_000)
    let table = bytes.count
    for _ in 0..<1_000 { bytes += [0, 8] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 2]
    for number in [1_000, 0, table] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
    }
    let failure = try failure { try KeyedUnarchiver.unarchive(Anything.self, from: Data(bytes)) }
    #expect(failure.code == .damaged)
  }

  // MARK: Large results from small files

  /// Objects that share one long key, which begins with the "$" that NSKeyedArchiver adds.
  @Test func longKeysThatManyShare() throws {
    var list = BinaryPropertyList()
    let key = list.string("$$" + String(repeating: "k", count: 200_000))
    let value = list.reference(0)
    let type = list.reference(2)
    let members = (0..<20_000).map { _ in (key, value) } + [(list.string("$class"), type)]
    let one = list.archive(objects: [list.dictionary(members), list.type("Thing")])
    #expect(try [.limitExceeded, .damaged].contains(code(one)))
    var many = BinaryPropertyList()
    let shared = many.string("$$" + String(repeating: "k", count: 200_000))
    let (nothing, ofThing, classKey) = (many.reference(0), many.reference(20_001), many.string("$class"))
    let objects = (0..<20_000).map { _ in many.dictionary([(shared, nothing), (classKey, ofThing)]) }
    let all = many.array((0..<20_000).map { many.reference($0 + 1) })
    let data = many.archive(objects: objects + [many.type("Thing")], top: all)
    #expect(try code(data) == .limitExceeded)
  }

  /// One dictionary of many members to which thousands of objects refer.
  @Test func oneNodeThatIsManyObjects() throws {
    var list = BinaryPropertyList()
    let nothing = list.reference(0)
    let count = 10_000
    var members = (0..<20_000).map { (list.string("member \($0)"), nothing) }
    members.append((list.string("$class"), list.reference(count + 1)))
    let object = list.dictionary(members)
    let all = list.array((0..<count).map { list.reference($0 + 1) })
    let data = list.archive(
      objects: Array(repeating: object, count: count) + [list.type("NSArray")],
      top: all
    )
    #expect(try code(data) == .limitExceeded)
  }

  @Test func classNamesBeyondMeasure() throws {
    var list = BinaryPropertyList()
    let object = list.dictionary([(list.string("$class"), list.reference(2))])
    let data = list.archive(objects: [object, list.type("NS" + String(repeating: "x", count: 100_000))])
    #expect(try code(data) == .damaged)
  }

  /// An object with very many keys is read like any other.
  @Test func manyKeys() throws {
    var list = BinaryPropertyList()
    let count = sized(100_000, inDebug: 10_000)
    let value = list.reference(0)
    var members = (0..<count).map { (list.string("key \($0)"), value) }
    members.append((list.string("$class"), list.reference(2)))
    let data = list.archive(objects: [list.dictionary(members), list.type("Wide")])
    let archive = try ArchiveValue(forReadingFrom: data)
    #expect(try archive["root"]?.count == count)
    #expect(
      try ArchiveValue(forReadingFrom: ArchiveEditor(forReadingFrom: data).encodedData)["root"]?.count
        == count
    )
  }

  /// Collections that are no objects, as some of Apple's classes write them.
  @Test func collectionsThatAreNoObjects() throws {
    let data = FoundationPropertyList.archive(objects: [
      .object(
        "Thing",
        ["list": .array([.reference(2), .integer(5)]), "table": .dictionary([("k", .reference(2))])]
      ),
      .string("text"),
    ])
    let archive = try ArchiveValue(forReadingFrom: data)
    #expect(
      try archive[path: "root.list[0]"]?.stringValue == "text" && archive[path: "root.list[1]"]?.intValue == 5
    )
    #expect(try archive[path: "root.table.k"]?.stringValue == "text")
    var deep = FoundationPropertyList.integer(1)
    for _ in 0..<2_000 { deep = .array([deep]) }
    let nested = FoundationPropertyList.archive(objects: [.object("Thing", ["deep": deep])])
    _ = try KeyedUnarchiver.unarchive(Anything.self, from: nested)
    let inItself = HostileFoundationArchives.listInItself()
    #expect(try code(inItself) == .limitExceeded)
  }
}
