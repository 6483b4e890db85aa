import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Sets and dictionaries of values: each has one archive, though their order in memory varies.
@Suite struct SortedValues {
  /// An element that needs its encoder.
  private struct Spelled: Encodable, Hashable {
    let number: Int

    func encode(to encoder: any Encoder) throws {
      guard let words = encoder.userInfo[.named("words")] as? [String] else { throw Refusal() }
      try words[number].encode(to: encoder)
    }
  }

  @Test("sorting uses the archiver's user info of the moment")
  func userInfo() throws {
    let archiver = KeyedArchiver()
    archiver.outputFormatting = .sortedKeys
    let elements = Set((0..<4).map(Spelled.init))
    for words in [["d", "a", "c", "b"], ["e", "h", "g", "f"]] {
      archiver.userInfo[.named("words")] = words
      try archiver.encode(elements, forKey: words[0])
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode([String].self, forKey: "d") == ["a", "b", "c", "d"])
    #expect(try unarchiver.decode([String].self, forKey: "e") == ["e", "f", "g", "h"])
  }

  @Test("nested sets with objects of a class whose keys are read last give one archive")
  func keysReadLast() throws {
    let archives = try (0..<20).map { round in
      let (one, other) = (Linked("a"), Linked("b"))
      (one.other, other.other) = (other, one)
      let start = String(repeating: " ", count: 80)
      let elements = (0..<6).map { index in
        let inner = (0..<3).map { number in
          Holder(name: start + "\(number)", object: Linked("\(index)\(number)"), inner: [])
        }
        return Holder(name: start, object: index % 2 == 0 ? one : nil, inner: Set(inner))
      }
      var numbers = SplitMix(seed: UInt64(round))
      let archiver = KeyedArchiver()
      archiver.outputFormatting = .sortedKeys
      try archiver.encode(one, forKey: "cycle")
      try archiver.encode(Set(elements.shuffled(using: &numbers)), forKey: "elements")
      return try archiver.encodedData
    }
    #expect(Set(archives).count == 1)
  }

  @Test("strings of all lengths and numbers give one archive in any order")
  func primitives() throws {
    let texts = (0..<200).map { String(repeating: "a", count: 20 * ($0 % 60)) + "\($0)" }
    let decimals = (0..<40).map { Decimal($0) / 7 }
    let keys = (0..<40).map { Int128($0) << ($0 * 3) }
    var archives: Set<Data> = []
    for round in 0..<8 {
      // The capacity determines the order of a set.
      var (names, amounts) = (Set<String>(minimumCapacity: 1 << (8 + round)), Set(decimals.prefix(round)))
      names.formUnion(texts)
      amounts.formUnion(decimals)
      let numbers = Dictionary(uniqueKeysWithValues: (keys[round...] + keys[..<round]).map { ($0, 0) })
      archives.insert(try sorted(Primitives(names: names, amounts: amounts, numbers: numbers)))
    }
    #expect(archives.count == 1)
  }

  private struct Primitives: Codable {
    var names: Set<String>
    var amounts: Set<Decimal>
    var numbers: [Int128: Int]
  }
}

private final class Linked: Codable, ArchivableClass {
  static var archivedClassName: String { "SortedValues.Linked" }
  let name: String
  var other: Linked?

  init(_ name: String) { self.name = name }
}

/// A value with an object of a class whose name is in the archive.
private struct Holder: Codable, Hashable {
  let name: String
  @Polymorphic var object: (any AnyObject & Codable)?
  let inner: Set<Holder>

  static func == (one: Holder, other: Holder) -> Bool {
    one.name == other.name && one.object === other.object && one.inner == other.inner
  }
  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(inner)
  }
}
