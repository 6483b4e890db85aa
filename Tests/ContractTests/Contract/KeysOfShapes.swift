import Keepsake
import TestSupport
import Testing

/// `allKeys` of records of many shapes, which the library keeps for the next record of a shape.
@Suite struct KeysOfShapes {
  private enum Letter: String, CodingKey, CaseIterable { case a, b, c, d, e, f, g, h }
  private enum Vowel: String, CodingKey { case a, e, i }

  /// A record with the letters whose bits are set in `mask`.
  private struct Word: Encodable {
    let mask: Int

    var letters: [Letter] {
      Letter.allCases.enumerated().filter { mask >> $0.offset & 1 == 1 }.map(\.element)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Letter.self)
      for letter in letters { try container.encode(mask, forKey: letter) }
    }
  }

  private struct Keys: Decodable {
    let letters: [[Letter]]
    let vowels: [[Vowel]]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Letter.self)
      letters = [container.allKeys, container.allKeys]
      let other = try decoder.container(keyedBy: Vowel.self)
      vowels = [other.allKeys, other.allKeys]
    }
  }

  @Test("allKeys is right for records of 256 shapes, in any order and repeatedly") func shapes() throws {
    var generator = SeededGenerator("shapes of words")
    let words = (0..<1_000).map { $0 < 256 ? $0 : Int.random(in: 0..<256, using: &generator) }.map(Word.init)
    let keys = try ArchiveDecoder().decode(
      [Keys].self,
      from: ArchiveEncoder().encode(words.shuffled(using: &generator) + words)
    )
    for (keys, word) in zip(keys.suffix(words.count), words) {
      let vowels = word.letters.compactMap { Vowel(rawValue: $0.rawValue) }
      #expect(keys.letters == [word.letters, word.letters])
      #expect(keys.vowels == [vowels, vowels])
    }
  }
}
