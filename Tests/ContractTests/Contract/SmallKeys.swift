import Foundation
import Keepsake
import TestSupport
import Testing

/// Keys of at most one byte that are not enumerations: their bytes do not determine their names.
@Suite struct SmallKeys {
  /// The number of a name in a list.
  private struct ListedKey: CodingKey {
    @TaskLocal static var names = ["a", "b", "c"]
    let number: UInt8

    var stringValue: String { ListedKey.names[Int(number)] }
    var intValue: Int? { nil }

    init(_ number: Int) { self.number = UInt8(number) }
    init?(stringValue: String) {
      guard let number = ListedKey.names.firstIndex(of: stringValue) else { return nil }
      self.init(number)
    }
    init?(intValue: Int) { nil }
  }

  /// A key whose name is set for the current task.
  private struct CurrentKey: CodingKey {
    @TaskLocal static var name = ""

    var stringValue: String { CurrentKey.name }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { guard stringValue == CurrentKey.name else { return nil } }
    init?(intValue: Int) { nil }
  }

  private struct Listed: Codable {
    var values: [Int]

    init(_ values: [Int]) { self.values = values }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: ListedKey.self)
      values = try container.allKeys.sorted { $0.number < $1.number }.map {
        try container.decode(Int.self, forKey: $0)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: ListedKey.self)
      for (number, value) in values.enumerated() { try container.encode(value, forKey: ListedKey(number)) }
    }
  }

  private struct OneByOne: Codable, Equatable {
    var values: [String: Int]

    init(_ values: [String: Int]) { self.values = values }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CurrentKey.self)
      values = [:]
      for name in ["x", "y", "z"] {
        values[name] = try CurrentKey.$name.withValue(name) {
          try container.decodeIfPresent(Int.self, forKey: CurrentKey())
        }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CurrentKey.self)
      for (name, value) in values {
        try CurrentKey.$name.withValue(name) { try container.encode(value, forKey: CurrentKey()) }
      }
    }
  }

  @Test("successive archives have their own names for the same keys") func names() throws {
    for names in [["a", "b", "c"], ["c", "a", "b"], ["d", "e", "f"], ["a", "b", "c"]] {
      try ListedKey.$names.withValue(names) {
        let data = try ArchiveEncoder().encode([Listed([1, 2, 3]), Listed([4])])
        #expect(
          try ArchiveDecoder().decode([[String: Int]].self, from: data)
            == [[names[0]: 1, names[1]: 2, names[2]: 3], [names[0]: 4]]
        )
        #expect(try ArchiveDecoder().decode([Listed].self, from: data).map(\.values) == [[1, 2, 3], [4]])
      }
    }
  }

  @Test("one container may have several names for one key") func oneByOne() throws {
    for values in [["x": 1, "y": 2], ["z": 3], ["y": 4, "z": 5, "x": 6]] {
      let data = try ArchiveEncoder().encode(OneByOne(values))
      #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == values)
      #expect(try ArchiveDecoder().decode(OneByOne.self, from: data).values == values)
      #expect(try transcode(values, to: OneByOne.self).values == values)
    }
  }
}
