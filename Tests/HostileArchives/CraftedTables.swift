internal import Foundation
internal import Keepsake

/// Faulty tables, names, headers, trailers and versions (Format §2, §5, §6, §9).
extension CraftedArchive {
  static let tables: [CraftedArchive] = [
    CraftedArchive(
      "a duplicate key in a shape",
      .damaged,
      as: CraftedChain.self,
      HandmadeArchive.data(topLevel: root([0x60, 0x90, 0x90]), keys: [[0x61]], shapes: [[2, 0, 0]])
    ),
    CraftedArchive(
      "a duplicate key in the key table",
      .damaged,
      as: CraftedChain.self,
      HandmadeArchive.data(topLevel: root([0x60, 0x90, 0x90]), keys: [[0x61], [0x61]], shapes: [[2, 0, 1]])
    ),
    CraftedArchive(
      "a shape with a missing key",
      .damaged,
      as: CraftedChain.self,
      HandmadeArchive.data(topLevel: root([0x60, 0x90]), keys: [[0x61]], shapes: [[1, 1]])
    ),
    CraftedArchive(
      "a shape with 2⁶² keys",
      .damaged,
      as: CraftedChain.self,
      HandmadeArchive.data(topLevel: root([0x60]), shapes: [Bytes.varint(1 << 62)])
    ),
    CraftedArchive(
      "a key of the key table that is not UTF-8",
      .damaged,
      as: CraftedChain.self,
      HandmadeArchive.data(topLevel: root([0x60, 0x90]), keys: [[0xFF]], shapes: [[1, 0]])
    ),
    CraftedArchive(
      "a class that is its own superclass",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(topLevel: root([0x90]), classes: [HandmadeArchive.type("A", superclass: 1)])
    ),
    CraftedArchive(
      "an unknown flag of a class",
      .damaged,
      as: CraftedRing.self,
      HandmadeArchive.data(topLevel: root([0x90]), classes: [HandmadeArchive.type("A", flags: 0x80)])
    ),
    CraftedArchive("tables that overlap the top level", .damaged, as: Int.self, directed { $0[1] -= 2 }),
    CraftedArchive("a top level behind its tables", .damaged, as: Int.self, directed { $0[0] += 1 << 20 }),
    CraftedArchive("a top level in the header", .damaged, as: Int.self, directed { $0[0] = 3 }),
    CraftedArchive(
      "a table longer than the others leave room for",
      .damaged,
      as: Int.self,
      directed { $0[8] += 5 }
    ),
    CraftedArchive("a table of 2⁶² bytes", .damaged, as: Int.self, directed { $0[8] = 1 << 62 }),
    CraftedArchive(
      "a table with more entries than bytes",
      .damaged,
      as: Int.self,
      directed { $0[7] = 1 << 40 }
    ),
    CraftedArchive("tables whose lengths overflow", .damaged, as: Int.self) {
      $0[4] = .max
      $0[6] = .max
    },
  ]

  private init(
    _ name: String,
    _ code: ArchiveError.Code,
    as type: Int.Type,
    directing change: @escaping @Sendable (inout [Int]) -> Void
  ) {
    self.init(name, code, as: type, CraftedArchive.directed(change))
  }

  private static func directed(_ change: (inout [Int]) -> Void) -> Data {
    HandmadeArchive.data(topLevel: root([0x90]), strings: [[0x61, 0x62]], directing: change)
  }

  static let classes: [CraftedArchive] =
    [
      ("a class name of a megabyte", String(repeating: "a.", count: 1 << 19)),
      ("a class name with special characters", "Crafted.\u{0}\u{202E}\u{1F468}\u{200D}/../.."),
      ("an empty class name", ""),
      ("a mangled class name", "$s15HostileArchives13CraftedAnimalC"),
      ("a class that does not exist", "Crafted.Ghost"),
      ("a class outside the hierarchy", "Crafted.Stranger"),
      ("a class of Foundation", "Foundation.FileManager"),
      ("a class of the library", "Keepsake.KeyedUnarchiver"),
      ("a structure", "Swift.Int"),
    ].map { title, name in
      CraftedArchive(
        title,
        name == "Crafted.Stranger" || name == "Foundation.FileManager" || name == "Keepsake.KeyedUnarchiver"
          || name == "Swift.Int" ? .typeMismatch : .unresolvableClass,
        as: [CraftedAnimal].self,
        HandmadeArchive.data(
          bodies: [[1] + map()],
          topLevel: root([0x51] + reference(1)),
          classes: [HandmadeArchive.type(name, flags: 1)]
        )
      )
    }

  static let files: [CraftedArchive] = [
    CraftedArchive("a byte before the header", .notAnArchive, as: Int.self, [0] + archive(of: [0x90])),
    CraftedArchive("nothing", .notAnArchive, as: Int.self, Data()),
    CraftedArchive("the header alone", .damaged, as: Int.self, archive(of: [0x90]).prefix(16)),
    CraftedArchive("an unknown major version", .unsupportedVersion, as: Int.self, headed { $0[8] = 2 }),
    CraftedArchive("an unknown flag", .unsupportedVersion, as: Int.self, headed { $0[11] = 0x80 }),
    CraftedArchive(
      "a reserved byte of the header that is not 0",
      .unsupportedVersion,
      as: Int.self,
      headed { $0[13] = 1 }
    ),
    CraftedArchive(
      "a trailer with an offset behind itself",
      .damaged,
      as: Int.self,
      trailed { $0[$0.count - 24] = 0xFF }
    ),
    CraftedArchive(
      "a trailer with an offset of 2⁶³",
      .damaged,
      as: Int.self,
      trailed { $0[$0.count - 17] = 0x80 }
    ),
    CraftedArchive("a directory in the header", .damaged, as: Int.self, trailed { $0[$0.count - 32] = 4 }),
    CraftedArchive("trailing bytes in the top level", .damaged, as: Int.self, archive(of: [0x90, 0x90])),
    CraftedArchive(
      "a top level that is an object",
      .damaged,
      as: Int.self,
      HandmadeArchive.data(topLevel: [1] + root([0x90]).dropFirst())
    ),
  ]

  /// A valid archive with another header, and correct checksums.
  private static func headed(_ change: (inout [UInt8]) -> Void) -> Data {
    var bytes = [UInt8](archive(of: [0x90]))
    change(&bytes)
    let content = bytes.count - Trailer.byteCount - 8
    let directory = Int(Bytes.number(bytes, at: bytes.count - Trailer.byteCount, byteCount: 8))
    return Data(
      ChecksumRepair.closed(Array(bytes.prefix(content)), directoryOffset: directory, hasChecksums: true)
    )
  }

  /// A valid archive with another trailer, and a correct checksum.
  private static func trailed(_ change: (inout [UInt8]) -> Void) -> Data {
    var bytes = [UInt8](archive(of: [0x90]))
    change(&bytes)
    let content = bytes.count - Trailer.byteCount - 8
    let sum = ChecksumRepair.checksum(bytes, content..<(bytes.count - 16))
    bytes.replaceSubrange((bytes.count - 16)..<(bytes.count - 8), with: Bytes.word(sum))
    return Data(bytes)
  }

  private static var planesInTheWrongOrder: [UInt8] {
    let plane = [UInt8](repeating: 0xFF, count: 8_192)
    return [[Tag.bytes], Bytes.varint(24_578), plane, [2], plane, [1], plane].flatMap(\.self)
  }

  static let foundation: [CraftedArchive] = [
    CraftedArchive("a negative number of indexes", .damaged, as: IndexSet.self, indexes(5, -2)),
    CraftedArchive("indexes from a negative one", .damaged, as: IndexSet.self, indexes(-5, 2)),
    CraftedArchive("indexes beyond the largest number", .damaged, as: IndexSet.self, indexes(.max, 5)),
    CraftedArchive("a set of characters without a bitmap", .damaged, as: CharacterSet.self, characters(0)),
    CraftedArchive(
      "a set of characters with a short bitmap",
      .damaged,
      as: CharacterSet.self,
      characters(8_191)
    ),
    CraftedArchive(
      "a set of characters with a part of a plane",
      .damaged,
      as: CharacterSet.self,
      characters(8_200)
    ),
    CraftedArchive(
      "a set of characters with a plane that does not exist",
      .damaged,
      as: CharacterSet.self,
      characters(16_385)
    ),
    CraftedArchive(
      "a set of characters with planes in the wrong order",
      .damaged,
      as: CharacterSet.self,
      archive(of: map(("bitmap", planesInTheWrongOrder)))
    ),
    CraftedArchive(
      "a URL with an invalid scheme",
      .damaged,
      as: URLComponents.self,
      archive(of: map(("scheme", text("1 2")), ("path", text(""))))
    ),
    CraftedArchive(
      "a URL with an empty scheme",
      .damaged,
      as: URLComponents.self,
      archive(of: map(("scheme", text("")), ("path", text(""))))
    ),
    CraftedArchive(
      "a URL with a negative port",
      .damaged,
      as: URLComponents.self,
      archive(of: map(("port", [0x8B]), ("path", text(""))))
    ),
    CraftedArchive(
      "an interval that ends before it begins",
      .damaged,
      as: DateInterval.self,
      archive(of: map(("start", [0x90]), ("duration", [0x8B])))
    ),
  ]

  private static func indexes(_ location: Int, _ length: Int) -> Data {
    func integer(_ number: Int) -> [UInt8] {
      [Tag.integer + 7] + Bytes.word(UInt64(bitPattern: Int64(number)))
    }
    return archive(
      of: map(("indexes", array([map(("location", integer(location)), ("length", integer(length)))])))
    )
  }

  private static func characters(_ byteCount: Int) -> Data {
    archive(
      of: map(("bitmap", [Tag.bytes] + Bytes.varint(byteCount) + [UInt8](repeating: 0xFF, count: byteCount)))
    )
  }
}
