import Foundation
import TestSupport
import Testing

import HostileArchives
@testable import Keepsake

/// Values read out of order, alternately, or in part: correctly, and without walking them again and again.
@Suite struct PartialReading {
  private enum Order: CaseIterable, Sendable { case forwards, backwards, shuffled, outwards }

  private static func order(_ order: Order, _ count: Int) -> [Int] {
    let all = Array(0..<count)
    switch order {
    case .forwards: return all
    case .backwards: return all.reversed()
    case .shuffled:
      var generator = SeededGenerator("order of reading")
      return all.shuffled(using: &generator)
    case .outwards: return all.sorted { abs($0 - count / 2) < abs($1 - count / 2) }
    }
  }

  /// The key of a number: short and long texts, some not ASCII, and integers.
  private static func key(_ number: Int) -> AnyKey {
    switch number % 5 {
    case 0: AnyKey("k\(number)")
    case 1: AnyKey(String(repeating: "long ", count: 8) + String(number))
    case 2: AnyKey("schlüssel \(number)")
    case 3: AnyKey("eight \(number + 10)")
    default: AnyKey(intValue: number - 500)
    }
  }

  /// The number of bytes that the session of `decoder` skipped.
  private static func passed(_ decoder: any Decoder) throws -> Int {
    try #require(decoder as? ValueDecoder).session.lookups.skipped.byteCount
  }

  // MARK: Keys in any order

  @Test(
    "maps of all sizes are read in any order, twice",
    arguments: [0, 1, 2, 7, 8, 9, 1_000]
  )
  func maps(count: Int) throws {
    let data = try writeUnkeyed { list in
      for _ in 0..<2 {
        var container = list.nestedContainer(keyedBy: AnyKey.self)
        for number in 0..<count {
          switch number % 3 {
          case 0: try container.encode(number, forKey: Self.key(number))
          case 1: try container.encode("text \(number)", forKey: Self.key(number))
          default: try container.encode([["\(number)"], []], forKey: Self.key(number))
          }
        }
      }
    }
    for order in Order.allCases {
      let numbers = Self.order(order, count)
      try readUnkeyed(data) { list throws in
        for _ in 0..<2 {
          let container = try list.nestedContainer(keyedBy: AnyKey.self)
          #expect(container.allKeys.map(\.stringValue) == (0..<count).map { Self.key($0).stringValue })
          for number in numbers {
            let key = Self.key(number)
            #expect(!container.contains(AnyKey(key.stringValue + "?")))
            switch number % 3 {
            case 0: #expect(try container.decodeIfPresent(Int.self, forKey: key) == number)
            case 1: #expect(try container.decode(String.self, forKey: key) == "text \(number)")
            default: #expect(try container.decode([[String]].self, forKey: key) == [["\(number)"], []])
            }
          }
        }
      }
    }
  }

  /// A record with many optional keys, whose shape changes from one to the next.
  private struct Wide: Codable, Equatable {
    enum CodingKeys: CodingKey, CaseIterable { case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p }

    var values: [CodingKeys: Int]
    var order: [Int] = []

    init(leavingOut number: Int) {
      values = [:]
      for (index, key) in CodingKeys.allCases.enumerated() where index != number {
        values[key] = index * 1_000
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let order = try #require(decoder.userInfo[.named("order")] as? [Int])
      values = [:]
      for index in order {
        let key = CodingKeys.allCases[index]
        values[key] = try container.decodeIfPresent(Int.self, forKey: key)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      for key in CodingKeys.allCases { try container.encodeIfPresent(values[key], forKey: key) }
    }
  }

  @Test("records of several shapes with many keys are read in any order")
  func records() throws {
    let wide = (0..<40).map { Wide(leavingOut: $0 % 20) }
    let data = try ArchiveEncoder().encode(wide)
    for order in Order.allCases {
      var decoder = ArchiveDecoder()
      decoder.userInfo[.named("order")] = Self.order(order, Wide.CodingKeys.allCases.count)
      #expect(try decoder.decode([Wide].self, from: data) == wide)
    }
  }

  @Test("two spellings of a key stay two keys")
  func spellings() throws {
    let data = try writeKeyed { container in
      try container.encode(1, forKey: "caf\u{E9} in the city")
      try container.encode(2, forKey: "cafe\u{301} in the city")
      try container.encode(3, forKey: "7")
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode(Int.self, forKey: "7") == 3)
      #expect(try container.decode(Int.self, forKey: "cafe\u{301} in the city") == 2)
      #expect(try container.decode(Int.self, forKey: "caf\u{E9} in the city") == 1)
      #expect(try container.decode(Int.self, forKey: AnyKey(intValue: 7)) == 3)
      #expect(!container.contains("07") && !container.contains("+7") && !container.contains(""))
    }
  }

  // MARK: The top level

  private static let counts = [300, 1_200]

  @Test("reading top-level keys in any order indexes each key once", arguments: [false, true])
  func topLevel(isDynamic: Bool) throws {
    func passed(_ order: Order, _ count: Int) throws -> Int {
      let archiver = KeyedArchiver()
      for number in 0..<count {
        if isDynamic {
          try archiver.encode(["a": number], forKey: "key \(number)")
        } else {
          try archiver.encode(number, forKey: "key \(number)")
        }
      }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      for number in Self.order(order, count) {
        if isDynamic {
          #expect(try unarchiver.decode([String: Int].self, forKey: "key \(number)") == ["a": number])
        } else {
          #expect(try unarchiver.decode(Int.self, forKey: "key \(number)") == number)
        }
        #expect(!unarchiver.containsValue(forKey: "no key \(number)"))
      }
      return try #require(try unarchiver.valueDecoder.session.lookups.topLevelIndex).entries.count
    }
    for order in Order.allCases {
      for count in Self.counts { #expect(try passed(order, count) == count) }
    }
  }

  @Test("a record at the top level is read by key in any order")
  func recordOnTop() throws {
    let archiver = KeyedArchiver()
    let wide = Wide(leavingOut: 5)
    try wide.encode(to: archiver)
    let data = try archiver.encodedData
    for order in Order.allCases {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      for index in Self.order(order, Wide.CodingKeys.allCases.count) {
        let key = Wide.CodingKeys.allCases[index].stringValue
        #expect(try unarchiver.decodeIfPresent(Int.self, forKey: key) == (index == 5 ? nil : index * 1_000))
      }
    }
  }

  // MARK: Damage

  @Test(
    "searching a map throws at a repeated key, one that is not UTF-8 and one of a type that keys cannot have",
    arguments: [[0x22, 0x61, 0x62], [0x22, 0x61, 0xFF], [0x95], [0x21, 0x35], [0x44, 0], [0x50]] as [[UInt8]]
  )
  func damagedKeys(key: [UInt8]) throws {
    let map = [0x1C, 4, 0x22, 0x61, 0x62, 0x91, 0x95, 0x92] + key + [0x93, 0x21, 0x7A, 0x94]
    let archive = HandmadeArchive.data(topLevel: [0, 0x1C, 1, 0x21, 0x6D] + map, strings: [[0x61, 0x62]])
    let container = try KeyedUnarchiver(forReadingFrom: archive).container(keyedBy: AnyKey.self)
      .nestedContainer(keyedBy: AnyKey.self, forKey: "m")
    #expect(try container.decode(Int.self, forKey: "ab") == 1)
    #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "z") }
    #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "absent") }
  }

  // MARK: Alternately

  @Test("containers read alternately are walked a constant number of times")
  func inTurns() throws {
    func walks(_ count: Int) throws -> Double {
      let containerCount = 12
      let data = try writeUnkeyed { list in
        for place in 0..<containerCount {
          var container = list.nestedContainer(keyedBy: AnyKey.self)
          for number in 0..<count {
            try container.encode([["\(place)", "\(number)"]], forKey: Self.key(number))
          }
        }
      }
      let passed = try read(data) { decoder throws in
        var list = try decoder.unkeyedContainer()
        let containers = try (0..<containerCount).map { _ in try list.nestedContainer(keyedBy: AnyKey.self) }
        let before = try Self.passed(decoder)
        for number in Self.order(.shuffled, count) {
          for (place, container) in containers.enumerated() {
            #expect(
              try container.decode([[String]].self, forKey: Self.key(number)) == [["\(place)", "\(number)"]]
            )
          }
        }
        return try Self.passed(decoder) - before
      }
      return Double(passed) / Double(data.count)
    }
    let few = try walks(50)
    let many = try walks(200)
    #expect(many < 2 && many < few * 1.5 + 0.1, "\(few), then \(many) walks")
  }

  // MARK: Depth

  /// A node that reads the requested parts of its content.
  private struct Nest: Codable {
    var depth: Int
    var last: Int?

    enum CodingKeys: CodingKey { case before, inner, after, rest }

    init(depth: Int) { self.depth = depth }

    init(from decoder: any Decoder) throws {
      if decoder.userInfo[.named("unkeyed")] != nil {
        var list = try decoder.unkeyedContainer()
        last = try list.decode(Int.self)
        depth = last == 0 ? 0 : try list.decode(Nest.self).depth + 1
      } else {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        last = try container.decode(Int.self, forKey: .after)
        depth = try container.decodeIfPresent(Nest.self, forKey: .inner).map { $0.depth + 1 } ?? 0
      }
    }

    func encode(to encoder: any Encoder) throws {
      if encoder.userInfo[.named("unkeyed")] != nil {
        var list = encoder.unkeyedContainer()
        try list.encode(depth)
        if depth > 0 { try list.encode(Nest(depth: depth - 1)) }
        try list.encode(["never", "read"])
      } else {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("before", forKey: .before)
        if depth > 0 { try container.encode(Nest(depth: depth - 1), forKey: .inner) }
        try container.encode(depth, forKey: .after)
        try container.encode(["never", "read"], forKey: .rest)
      }
    }
  }

  @Test("deeply nested values read in part are walked a limited number of times", arguments: [false, true])
  func depth(isUnkeyed: Bool) throws {
    func walks(_ depth: Int) throws -> Double {
      var encoder = ArchiveEncoder()
      if isUnkeyed { encoder.userInfo[.named("unkeyed")] = true }
      let data = try encoder.encode(Nest(depth: depth))
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      if isUnkeyed { unarchiver.userInfo[.named("unkeyed")] = true }
      #expect(try unarchiver.decode(Nest.self, forKey: KeyedArchiver.rootKey).depth == depth)
      return Double(try unarchiver.valueDecoder.session.lookups.skipped.byteCount) / Double(data.count)
    }
    let flat = try walks(1_000)
    let deep = try walks(16_000)
    #expect(flat < 100 && deep < 100, "\(flat), then \(deep) walks")
  }

  @Test("descending through 16,000 unkeyed containers walks the archive a limited number of times")
  func unkeyedInUnkeyed() throws {
    let depth = 16_000
    let data = try write { encoder in
      var lists = [encoder.unkeyedContainer()]
      for level in 0..<depth {
        var list = lists[level]
        try list.encode(level)
        lists.append(list.nestedUnkeyedContainer())
      }
    }
    let walks = try read(data) { decoder throws in
      var list = try decoder.unkeyedContainer()
      for level in 0..<depth {
        #expect(try list.decode(Int.self) == level)
        let inner = try list.nestedUnkeyedContainer()
        #expect(list.isAtEnd)
        list = inner
      }
      return Double(try Self.passed(decoder)) / Double(data.count)
    }
    #expect(walks < 100, "\(walks) walks")
  }

  // MARK: Skipping

  @Test("every tag has the fixed length that the format states, or none")
  func fixedLengths() throws {
    let expected: [ClosedRange<UInt8>: (UInt8) -> Int] = [
      0x01...0x04: { _ in 1 }, 0x06...0x06: { _ in 5 }, 0x07...0x07: { _ in 9 },
      0x08...0x0F: { Int($0) - 0x08 + 2 }, 0x10...0x10: { _ in 9 }, 0x11...0x12: { _ in 17 },
      0x13...0x13: { _ in 9 }, 0x14...0x14: { _ in 17 }, 0x20...0x3F: { Int($0) - 0x20 + 1 },
      0x40...0x4F: { Int($0) & 3 + 2 }, 0x50...0x50: { _ in 1 }, 0x80...0xFF: { _ in 1 },
    ]
    for tag in UInt8.min...UInt8.max {
      let length = expected.first { $0.key.contains(tag) }?.value(tag) ?? 0
      #expect(fixedLength(of: tag) == length, "tag \(tag)")
    }
  }

  @Test("skipping a value that ends beyond the archive throws")
  func cutOff() throws {
    for value in [[0x07, 1], [0x2F, 65], [0x14], [0x52, 0x01, 0x40], [0x18, 9, 65], [0x1B, 2, 3, 9]]
      as [[UInt8]]
    {
      let whole = try ArchiveEncoder().encode(0)
      var bytes = Array(whole.prefix(16))
      bytes += value
      let reader = ByteReader(Data(bytes))
      let image = try KeyedUnarchiver(forReadingFrom: whole).valueDecoder.session.image
      #expect(throws: ArchiveError.self) { _ = try image.end(ofValueAt: 16, in: reader) }
    }
  }
}
