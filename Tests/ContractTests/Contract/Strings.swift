import Foundation
import Keepsake
import TestSupport
import Testing

/// Strings of every length and script, as values and as keys, keep their bytes.
@Suite struct Strings {
  private static let samples: [String] = [
    "", "a", "\0", "a\0b\0", "\u{FEFF}bom", "\r\n\t\"\\", "ä", "日本語", "🐈‍⬛👩‍👩‍👧‍👦🏳️‍🌈", "\u{10FFFF}\u{E000}",
    "caf\u{E9}", "cafe\u{301}", "مرحبا", "null", "true", "1", "$null", "super", "Index 0", "\u{200B}\u{202E}",
  ]

  private static func same(_ one: String, _ other: String) -> Bool {
    Array(one.utf8) == Array(other.utf8)
  }

  @Test("any text comes back as the root, in arrays, as a key and as a value", arguments: samples)
  func anyText(text: String) throws {
    #expect(try Self.same(roundTrip(text), text))
    #expect(try roundTrip([text, "x", text]).elementsEqual([text, "x", text], by: Self.same))
    let entry = try #require(roundTrip([text: text]).first)
    #expect(Self.same(entry.key, text) && Self.same(entry.value, text))
    let data = try writeKeyed { container in
      try container.encode(text, forKey: AnyKey(text))
      try container.encode(text, forKey: "other key")
    }
    try readKeyed(data) { container throws in
      #expect(try Self.same(container.decode(String.self, forKey: AnyKey(text)), text))
      #expect(container.allKeys.contains { Self.same($0.stringValue, text) })
    }
  }

  @Test(
    "strings of any length come back",
    arguments: [1, 6, 7, 14, 15, 16, 23, 24, 30, 31, 32, 33, 62, 63, 64, 126, 127, 128, 254, 255, 256]
      + [1023, 4095, 4096, 16_383, 16_384, 65_534, 65_535, 65_536, 1_000_000]
  )
  func anyLength(length: Int) throws {
    let text = String(repeating: "x", count: length)
    #expect(try roundTrip(text) == text)
    #expect(try roundTrip([text, text, "", text]) == [text, text, "", text])
    let wide = String(repeating: "é", count: length)
    #expect(try roundTrip(["k": wide]) == ["k": wide])
  }

  @Test("keys of any length come back", arguments: [0, 1, 15, 16, 100, 255, 256, 10_000, 100_000])
  func longKeys(length: Int) throws {
    let key = AnyKey(String(repeating: "k", count: length))
    let data = try writeKeyed { container in
      try container.encode(1, forKey: key)
      try container.encode(2, forKey: AnyKey(key.stringValue + "2"))
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode(Int.self, forKey: AnyKey(key.stringValue + "2")) == 2)
      #expect(try container.decode(Int.self, forKey: key) == 1)
      #expect(container.allKeys == [key, AnyKey(key.stringValue + "2")])
    }
  }

  @Test("repeated strings are archived about once")
  func repeated() throws {
    struct Row: Codable, Equatable { var country: String, number: Int }
    let countries = ["Deutschland und Umgebung", "the United Kingdom of something", "日本国日本国日本国"]
    let rows = (0..<3000).map { Row(country: countries[$0 % 3], number: $0) }
    let data = try ArchiveEncoder().encode(rows)
    #expect(try ArchiveDecoder().decode([Row].self, from: data) == rows)
    #expect(data.count < 3000 * 12)
    let texts = rows.map(\.country)
    #expect(try roundTrip(texts) == texts)
  }

  @Test("strings that are equal but differ in bytes keep their bytes")
  func equalButNotSame() throws {
    let texts = ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}", "\u{212B}", "\u{C5}", "A\u{30A}"]
    let long = texts.map { String(repeating: $0, count: 20) }
    #expect(try roundTrip(texts).elementsEqual(texts, by: Self.same))
    #expect(try roundTrip(long).elementsEqual(long, by: Self.same))
    let fields = texts.map { ["k": $0] }
    let back = try roundTrip(fields).map { $0["k", default: ""] }
    #expect(back.elementsEqual(texts, by: Self.same))
  }

  @Test("substrings and strings with other storage come back")
  func otherStorage() throws {
    let text = "one two three four five six seven eight nine ten"
    let words = text.split(separator: " ").map { String($0) }
    #expect(try roundTrip(words) == words)
    let substring = String(text.dropFirst(4).prefix(20))
    #expect(try roundTrip(substring) == substring)
    let formatted = String(format: "%05d", 42)
    #expect(try roundTrip([formatted]) == ["00042"])
    let uppercased = try #require(String(bytes: [0x61, 0xC3, 0xA4], encoding: .utf8)).uppercased()
    #expect(try roundTrip(uppercased) == "AÄ")
  }

  @Test("many random strings come back from one archive")
  func random() throws {
    var generator = SeededGenerator("random text")
    let scalars: [ClosedRange<UInt32>] = [
      0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
    ]
    let texts = (0..<2000).map { _ -> String in
      var text = String.UnicodeScalarView()
      let range = scalars[Int.random(in: scalars.indices, using: &generator)]
      for _ in 0..<Int.random(in: 0..<60, using: &generator) {
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { text.append(scalar) }
      }
      return String(text)
    }
    let mixed = (texts + texts.prefix(500)).shuffled(using: &generator)
    #expect(try roundTrip(mixed).elementsEqual(mixed, by: Self.same))
    let data = try writeUnkeyed { list in
      for text in mixed { try list.encode(["text": text]) }
    }
    let back = try ArchiveDecoder().decode([[String: String]].self, from: data).map {
      $0["text", default: "missing"]
    }
    #expect(back.elementsEqual(mixed, by: Self.same))
  }

  @Test("text does not read as anything else, nor bytes as text")
  func mismatches() throws {
    #expect(try failure { try transcode("text", to: Int.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode("true", to: Bool.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode("text", to: [String].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(["text"], to: String.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(Data([0x61]), to: String.self) }.kind == .typeMismatch)
  }
}
