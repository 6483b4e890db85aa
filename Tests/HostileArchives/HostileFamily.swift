package import Foundation
internal import Keepsake

/// Hostile archives of one kind and any size: the cost of reading must grow no faster than the size.
package struct HostileFamily: Sendable {
  package let name: String
  private let make: @Sendable (Int) -> Data
  private let decode: @Sendable (Data) throws -> Void

  init<Value: Decodable & SendableMetatype>(
    _ name: String,
    as type: Value.Type,
    _ make: @escaping @Sendable (Int) -> Data
  ) {
    self.name = name
    self.make = make
    decode = { _ = try KeyedUnarchiver.unarchive(type, from: $0) }
  }

  /// An archive of about `byteCount` bytes.
  package func archive(byteCount: Int) -> Data { make(byteCount) }

  /// Reads an archive of the family; throws if it is refused.
  package func read(_ data: Data) throws { try decode(data) }

  /// All families.
  package static let all = own + old

  private static let own: [HostileFamily] = [
    HostileFamily("large structures of one byte each", as: [HostileLarge].self) { count in
      CraftedArchive.archive(of: CraftedArchive.array(Array(repeating: [Tag.empty], count: count)))
    },
    HostileFamily("nil instead of large structures", as: [HostileLarge?].self) { count in
      CraftedArchive.archive(of: CraftedArchive.array(Array(repeating: [Tag.none], count: count)))
    },
    HostileFamily("large objects of few bytes each", as: [HostileHeavy].self) { count in
      objects(count / 15) { _ in [1, Tag.empty] }
    },
    HostileFamily("models without any property", as: [HostileModelObject].self) { count in
      objects(count / 15) { _ in [1, Tag.map, 0] }
    },
    HostileFamily("objects that each contain the next one ten times", as: CraftedTree.self) { count in
      levels(count, width: 10)
    },
    HostileFamily("one object with many references, read as a value", as: CraftedTree.self) { count in
      let body = [1] + CraftedArchive.array(Array(repeating: [0x50], count: count / 2))
      return HandmadeArchive.data(
        bodies: [body],
        topLevel: CraftedArchive.root(
          CraftedArchive.array(Array(repeating: [Tag.objectReference, 1], count: count / 4))
        )
      )
    },
    HostileFamily("overlapping bodies in every other group of the offset table", as: CraftedRing.self) {
      count in
      overlapping(count)
    },
    HostileFamily(
      "nested arrays that all have as many elements as there are bytes",
      as: CraftedLists.self
    ) {
      nested($0 / 4) { rest in [Tag.array] + Bytes.varint(rest) }
    },
    HostileFamily("deeply nested arrays, side by side", as: CraftedTree.self) {
      count in
      let depth = min(count, 30_000)
      let tower = [UInt8](repeating: 0x51, count: depth - 1) + [0x50]
      return CraftedArchive.archive(
        of: CraftedArchive.array(Array(repeating: tower, count: max(1, count / depth)))
      )
    },
    HostileFamily("wrong values whose errors are caught", as: HostileForgiving.self) { count in
      CraftedArchive.archive(of: CraftedArchive.array(Array(repeating: [0x21, 0x61], count: count / 2)))
    },
    HostileFamily("wrong values at many levels whose errors are caught", as: HostileForgiving.self) { count in
      let depth = min(count / 4, 30_000)
      let tower = Bytes.repeating([0x52, 0x21, 0x61], count: depth) + [0x50]
      return CraftedArchive.archive(
        of: CraftedArchive.array(Array(repeating: tower, count: max(1, count / depth / 3)))
      )
    },
    HostileFamily("one large string with many references", as: [String].self) { count in
      HandmadeArchive.data(
        topLevel: CraftedArchive.root(
          CraftedArchive.array(Array(repeating: [Tag.stringReference, 0], count: count / 4))
        ),
        strings: [[UInt8](repeating: 0x61, count: count / 2)]
      )
    },
    HostileFamily("nested maps, read from the last key to the first", as: HostileBackwards.self) {
      count in
      let depth = min(count / 12, 10_000)
      var value: [UInt8] = [Tag.none]
      var parts: [[UInt8]] = []
      for _ in 0..<depth { parts.append([Tag.map, 2, 0x21, 0x61]) }
      value += Bytes.repeating([0x21, 0x62, 0x90], count: depth)
      let tower = parts.flatMap(\.self) + value
      return CraftedArchive.archive(
        of: CraftedArchive.array(Array(repeating: tower, count: max(1, count / tower.count)))
      )
    },
    HostileFamily("nested deferred values", as: HostileLate.self) { count in
      let depth = min(count / 7, 30_000)
      let tower =
        Bytes.repeating([Tag.map, 1, 0x24] + Array("late".utf8), count: depth) + [Tag.none]
      return CraftedArchive.archive(of: tower)
    },
    HostileFamily("a dictionary of many keys", as: [Int: Int].self) { count in
      let entries = (0..<(count / 5)).map { number in
        [Tag.integer + 3] + Bytes.number(UInt64(number), byteCount: 4) + [0x90]
      }
      return CraftedArchive.archive(of: [Tag.map] + Bytes.varint(entries.count) + Array(entries.joined()))
    },
    HostileFamily("Booleans in bits", as: [Bool].self) { count in
      let head: [UInt8] = [Tag.packedArray, 1] + Bytes.varint(count * 8)
      return CraftedArchive.archive(of: head + Array(repeating: 0xFF, count: count))
    },
  ]

  // MARK: Shapes of archives

  private static func objects(_ count: Int, _ body: (Int) -> [UInt8]) -> Data {
    HandmadeArchive.data(
      bodies: (0..<count).map(body),
      topLevel: CraftedArchive.root(CraftedArchive.array((1...count).map(CraftedArchive.reference)))
    )
  }

  private static func levels(_ byteCount: Int, width: Int) -> Data {
    let count = max(2, byteCount / (width * 5 + 12))
    return HandmadeArchive.data(
      bodies: (1...count).map { number in
        let next = number == count ? [] : Array(repeating: CraftedArchive.reference(number + 1), count: width)
        return [1] + CraftedArchive.array(next)
      },
      topLevel: CraftedArchive.root(CraftedArchive.reference(1))
    )
  }

  /// A large body, and groups of the offset table whose first bodies all have its offset; the groups between them,
  /// which lead on to the next ones, are never read.
  private static func overlapping(_ byteCount: Int) -> Data {
    let groups = max(2, byteCount / 2 / (64 * 8 * 2))
    let large = [1] + CraftedArchive.array(Array(repeating: [0x50], count: byteCount / 2))
    let firsts = (0..<groups).map { $0 * 128 + 2 }
    let root = [1] + CraftedArchive.array(firsts.map(CraftedArchive.reference))
    return HandmadeArchive.data(
      bodies: [root] + [large] + Array(repeating: [1, 0x50], count: groups * 128),
      topLevel: CraftedArchive.root(CraftedArchive.reference(1)),
      moving: { places in
        for first in firsts.dropFirst() { places[first / 128 * 128] = places[1] }
      }
    )
  }

  private static func nested(_ depth: Int, _ head: (Int) -> [UInt8]) -> Data {
    HandmadeArchive.data(
      bodies: [[0] + (0..<depth).flatMap { head((depth - $0) * 2) } + [0x50]],
      topLevel: CraftedArchive.root([Tag.valueReference, 1])
    )
  }
}

/// Eight values in a row. An `InlineArray` needs macOS 26.
private enum Eight {
  static func of<Value>(_ value: Value) -> (Value, Value, Value, Value, Value, Value, Value, Value) {
    (value, value, value, value, value, value, value, value)
  }
}

/// A structure of half a kilobyte, for which an archive needs one byte.
private struct HostileLarge: Decodable {
  private let fields = Eight.of(Eight.of(0))

  init(from decoder: any Decoder) throws {}
}

/// An object of half a kilobyte.
private final class HostileHeavy: Decodable {
  private let fields = Eight.of(Eight.of(0))

  init(from decoder: any Decoder) throws {}
}

/// A model with ten properties, which the archive does not have.
private final class HostileModelObject: ArchivedModel {
  var a = 0
  var b = 0
  var c = 0
  var d = 0
  var e = 0
  var f = 0
  var g = 0
  var h = 0
  var i = 0
  var j = 0
}

/// Reads a value that is no integer as a list, or as nothing.
private struct HostileForgiving: Decodable {
  init(from decoder: any Decoder) throws {
    guard var elements = try? decoder.unkeyedContainer() else { return }
    while !elements.isAtEnd {
      if (try? elements.decode(Int.self)) != nil || (try? elements.decode(HostileForgiving.self)) != nil {
        continue
      }
      return
    }
  }
}

/// Reads the last key first.
private struct HostileBackwards: Decodable {
  init(from decoder: any Decoder) throws {
    if var elements = try? decoder.unkeyedContainer() {
      while !elements.isAtEnd { _ = try elements.decode(HostileBackwards.self) }
      return
    }
    let container = try decoder.container(keyedBy: FuzzedKey.self)
    _ = try container.decode(Int.self, forKey: FuzzedKey(stringValue: "b"))
    _ = try container.decodeIfPresent(HostileBackwards.self, forKey: FuzzedKey(stringValue: "a"))
  }
}

/// A structure that defers an object, which defers another one like it.
private struct HostileLate: Decodable {
  @Deferred var late: HostileBox?
}

private final class HostileBox: Decodable {
  @Deferred var late: HostileBox?
}
