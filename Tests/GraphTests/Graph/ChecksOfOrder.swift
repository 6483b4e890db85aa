import Foundation
import Keepsake
import TestSupport
import Testing

/// If `encode(to:)` iterates over a set or a dictionary, the copy has another order.
@Suite struct ChecksOfOrder {
  /// Encodes its elements in another order each time, as a loop over a set or a dictionary may.
  private struct Shuffling: Codable {
    var names: Set<String>
    var numbers: Set<Int> = [1, 2, 3, 4, 5]

    init(_ names: Set<String>) { self.names = names }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      var pairs = try container.nestedUnkeyedContainer()
      names = []
      while !pairs.isAtEnd { names.formUnion(try pairs.decode([String: String].self).values) }
      numbers = Set(try container.decode([Int].self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      var pairs = container.nestedUnkeyedContainer()
      for name in names.shuffled() { try pairs.encode(["name": name]) }
      try container.encode(numbers.shuffled())
    }
  }

  @Test("another order of elements is no loss")
  func elements() {
    for _ in 0..<10 {
      let check = KeyedArchiver.check([Shuffling(["ab", "cd", "ef"]), Shuffling(["ab"])])
      #expect(check.isPassed, "\(check)")
    }
  }

  /// Comes back with another element, hidden from reflection.
  private struct Replacing: Codable, CustomReflectable {
    var list: [[String]]
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init(_ list: [[String]]) { self.list = list }

    init(from decoder: any Decoder) throws {
      list = try decoder.singleValueContainer().decode([[String]].self)
      list[1][0] = "other"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(list)
    }
  }

  @Test("another element is a loss")
  func otherElement() {
    let check = KeyedArchiver.check(Replacing([["a", "b"], ["c"]]))
    #expect(check.losses == ["[1][0]: is archived differently by the copy"])
  }

  /// Comes back with two strings exchanged, hidden from reflection. Both are in the string table by then.
  private struct Exchanging: Codable, CustomReflectable {
    var (first, second, third, fourth) = ("one text", "another", "one text", "another")
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      third = try container.decode(String.self, forKey: .fourth)
      fourth = try container.decode(String.self, forKey: .third)
    }

    private enum CodingKeys: CodingKey { case first, second, third, fourth }
  }

  /// Comes back with another number, hidden from reflection.
  private struct Counting: Codable, CustomReflectable {
    var number = 1
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init() {}

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self) + 1
    }

    func encode(to encoder: any Encoder) throws { try number.encode(to: encoder) }
  }

  @Test("an exchanged string and another number at the root are losses")
  func otherTextOrNumber() {
    #expect(KeyedArchiver.check(Exchanging()).losses == ["third: is archived differently by the copy"])
    #expect(KeyedArchiver.check(Counting()).losses == ["the value: is archived differently by the copy"])
  }

  /// Comes back with integers converted through `Double`, hidden from reflection.
  private struct Rounding<Number: Codable & BinaryInteger>: Codable, CustomReflectable {
    var numbers: [Number]
    var customMirror: Mirror { Mirror(self, children: [:]) }

    init(_ numbers: Number...) { self.numbers = numbers }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      numbers = try container.decode([Number].self, forKey: .numbers).map { Number(Double($0)) }
    }

    private enum CodingKeys: CodingKey { case numbers }
  }

  @Test("a rounded integer is a loss")
  func roundedIntegers() {
    let loss = "numbers: is archived differently by the copy"
    #expect(KeyedArchiver.check(Rounding(1, 1 << 60 + 1)).losses == [loss])
    #expect(KeyedArchiver.check(Rounding<UInt64>(1, 1 << 63 + 1)).losses == [loss])
    #expect(KeyedArchiver.check(Rounding(1, 1 << 60)).isPassed)
  }

  // MARK: Third-party collections

  /// An ordered dictionary or set.
  private struct Ordered<Element: Codable, Key: Hashable & Codable>: Codable, CustomReflectable {
    var keys: [Key]
    var elements: [Element]

    var customMirror: Mirror {
      elements.isEmpty
        ? Mirror(self, unlabeledChildren: keys, displayStyle: .set)
        : Mirror(
          self,
          unlabeledChildren: zip(keys, elements).map { (key: $0, value: $1) },
          displayStyle: .dictionary
        )
    }
  }

  private struct Noted: Codable, Hashable {
    var kept = 1
    var note = ""
    private enum CodingKeys: CodingKey { case kept }
  }

  @Test("values of third-party dictionaries are compared, and third-party sets pass")
  func otherCollections() {
    let values = Ordered(keys: ["a", "b"], elements: [Noted(), Noted(note: "lost")])
    #expect(KeyedArchiver.check(values).losses == ["b.note: lost comes back as "])
    #expect(KeyedArchiver.check(Ordered(keys: [1, 2], elements: [Noted]())).isPassed)
    #expect(KeyedArchiver.check(Ordered(keys: [Noted(note: "lost")], elements: [Noted]())).isPassed)
  }

  @Test("NaN is equal in the copy, for any type and in any value")
  func notNumbers() {
    struct Numbers: Codable {
      var float = Float.nan
      var graphics = CGFloat.nan
      var point = CGPoint(x: CGFloat.nan, y: 1)
      var decimal = Decimal.nan
      var interval: TimeInterval? = .nan
    }
    let check = KeyedArchiver.check(Numbers())
    #expect(check.isPassed, "\(check)")
  }

  /// A value that shares its storage with its copies, or keeps all storage without text in one place.
  private struct Shared: Codable {
    final class Storage: Sendable {
      let text: String
      init(_ text: String) { self.text = text }
    }

    static let empty = Storage("")
    let storage: Storage

    init(_ text: String) { storage = Storage(text) }

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      storage = text.isEmpty ? Shared.empty : Storage(text == "lost" ? "" : text)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(storage.text)
    }
  }

  private final class Car: Codable {
    let engine: Shared.Storage

    init(_ engine: Shared.Storage) { self.engine = engine }
    init(from decoder: any Decoder) throws { engine = try Shared(from: decoder).storage }
    func encode(to encoder: any Encoder) throws { try engine.text.encode(to: encoder) }
  }

  @Test("values that share their storage lose nothing, but objects that share a part do")
  func storage() {
    let value = Shared("text")
    for values in [[value, value, Shared("other")], [Shared(""), Shared("")]] {
      let check = KeyedArchiver.check(["key": values, "other": values])
      #expect(check.isPassed, "\(check)")
    }
    let lost = Shared("lost")
    let losses = ["[0].storage.text: lost comes back as ", "[1].storage.text: lost comes back as "]
    #expect(KeyedArchiver.check([lost, lost]).losses == losses)
    let check = KeyedArchiver.check([Car(value.storage), Car(value.storage)])
    #expect(check.losses.count == 1 && check.losses[0].hasPrefix("[1].engine: was an object"), "\(check)")
  }

  /// A value whose reflection shows an object that is made for it.
  private struct Mirrored: Codable, CustomReflectable {
    final class Shown {
      let number: Int
      init(_ number: Int) { self.number = number }
    }

    let number: Int

    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      let read = try Int(from: decoder)
      number = read == 49 ? -1 : read
    }
    func encode(to encoder: any Encoder) throws { try number.encode(to: encoder) }

    var customMirror: Mirror { Mirror(self, children: ["shown": Shown(number)], displayStyle: .struct) }
  }

  @Test("a loss is found in objects that reflection makes")
  func shownObjects() {
    let check = KeyedArchiver.check((0..<60).map { Mirrored($0) })
    #expect(check.losses == ["[49].shown.number: 49 comes back as -1"])
  }
}
