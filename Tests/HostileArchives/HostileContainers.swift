internal import Foundation
internal import Keepsake

// Types with hand-written decoding that request more than there is: other containers, other types, the same value
// twice, keys from the last to the first. They catch errors and continue, which requires the reader to return to a
// valid state.

struct FuzzedKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

/// Requests everything from each value.
struct FuzzedAsker: Decodable {
  var found = 0

  init(from decoder: any Decoder) throws {
    try HostileLeash.step(decoder)
    found += (try? keyed(decoder)) ?? 0
    found += (try? unkeyed(decoder)) ?? 0
    found += try single(decoder)
    found += decoder.codingPath.count
  }

  private func keyed(_ decoder: any Decoder) throws -> Int {
    let container = try decoder.container(keyedBy: FuzzedKey.self)
    var found = 0
    let keys = container.allKeys
    // Backwards, so that values are skipped, and then indexed.
    for key in keys.prefix(40).reversed() {
      try HostileLeash.step(decoder)
      if container.contains(key), (try? container.decodeNil(forKey: key)) == true { found += 1 }
      if (try? container.decode(Int.self, forKey: key)) != nil { found += 1 }
      if (try? container.decodeIfPresent(String.self, forKey: key)) != nil { found += 1 }
      if (try? container.decode(Decimal.self, forKey: key)) != nil { found += 1 }
      if let nested = try? container.nestedContainer(keyedBy: FuzzedKey.self, forKey: key) {
        found += nested.allKeys.count
        if let last = nested.allKeys.last {
          found += (try? nested.decode(Bool.self, forKey: last)) == true ? 1 : 0
        }
      }
      if var nested = try? container.nestedUnkeyedContainer(forKey: key) {
        _ = nested.count
        while !nested.isAtEnd, found < 2_000 {
          found += 1
          guard (try? nested.decode(Double.self)) != nil || (try? nested.decodeNil()) == true else { break }
        }
      }
    }
    for key in keys.prefix(12) {
      let inner = try container.superDecoder(forKey: key)
      found += try FuzzedAsker(from: inner).found
    }
    if let inner = try? container.superDecoder() { found += inner.codingPath.count }
    return found
  }

  private func unkeyed(_ decoder: any Decoder) throws -> Int {
    var container = try decoder.unkeyedContainer()
    var found = 0
    while !container.isAtEnd, container.currentIndex < 12 {
      try HostileLeash.step(decoder)
      if try container.decodeNil() { continue }
      // Each error leaves the container at the same element.
      found += (try? container.decode(UInt8.self)).map { _ in 1 } ?? 0
      if container.isAtEnd { break }
      if let nested = try? container.nestedContainer(keyedBy: FuzzedKey.self) {
        found += nested.allKeys.count
      } else if var nested = try? container.nestedUnkeyedContainer() {
        found += nested.count ?? 0
        _ = try? nested.decode(String.self)
      } else {
        found += try FuzzedAsker(from: container.superDecoder()).found
      }
    }
    return found
  }

  private func single(_ decoder: any Decoder) throws -> Int {
    let container = try decoder.singleValueContainer()
    var found = container.decodeNil() ? 1 : 0
    func ask<Value: Decodable>(_ type: Value.Type) { if (try? container.decode(type)) != nil { found += 1 } }
    ask(Bool.self)
    ask(Int8.self)
    ask(UInt64.self)
    ask(Int128.self)
    ask(Float.self)
    ask(String.self)
    ask(Data.self)
    ask(Date.self)
    ask(UUID.self)
    ask(URL.self)
    ask([Int16].self)
    ask([Bool].self)
    ask([Double].self)
    ask([String: String].self)
    return found
  }
}

/// Reads keys of ``FuzzedRecord`` in another order, one of them by another container, and leaves the rest.
struct FuzzedPart: Decodable {
  private enum CodingKeys: String, CodingKey {
    case deep, text, nested, flag, data, uint8, missing, uint64, double
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _ = try container.decode([[[Int]]].self, forKey: .deep)
    _ = try container.decode(String.self, forKey: .text)
    var nested = try container.nestedUnkeyedContainer(forKey: .nested)
    let count = nested.count ?? 0
    for _ in 0..<min(count, 100) {
      let point = try nested.nestedContainer(keyedBy: FuzzedKey.self)
      _ = try point.decodeIfPresent(Int.self, forKey: FuzzedKey(stringValue: "y"))
      _ = try point.decode(Int.self, forKey: FuzzedKey(stringValue: "x"))
    }
    _ = try container.decode(Bool.self, forKey: .flag)
    let other = try decoder.container(keyedBy: FuzzedKey.self)
    _ = other.allKeys
    _ = try container.decode(UInt8.self, forKey: .uint8)
    _ = try other.decode(Data.self, forKey: FuzzedKey(stringValue: "data"))
    _ = try container.decodeIfPresent(Int.self, forKey: .missing)
    _ = try container.decode(UInt64.self, forKey: .uint64)
    _ = try container.decode(Double.self, forKey: .double)
  }
}

/// Writes and reads by hand: a list of several types, a nested container, and one for a superclass.
struct FuzzedByHand: Codable {
  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FuzzedKey.self)
    var list = try container.nestedUnkeyedContainer(forKey: FuzzedKey(stringValue: "list"))
    _ = try list.decode(Int.self)
    _ = try list.decode(String.self)
    _ = try list.decodeNil()
    let inner = try list.nestedContainer(keyedBy: FuzzedKey.self)
    _ = try inner.decode(Int.self, forKey: FuzzedKey(intValue: 7))
    _ = try FuzzedPoint(from: list.superDecoder())
    _ = try FuzzedPoint(from: container.superDecoder())
    _ = try container.decode(FuzzedTree.self, forKey: FuzzedKey(stringValue: "tree"))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FuzzedKey.self)
    var list = container.nestedUnkeyedContainer(forKey: FuzzedKey(stringValue: "list"))
    try list.encode(5)
    try list.encode("five")
    try list.encodeNil()
    var inner = list.nestedContainer(keyedBy: FuzzedKey.self)
    try inner.encode(7, forKey: FuzzedKey(intValue: 7))
    try FuzzedPoint(x: 1, y: 2).encode(to: list.superEncoder())
    try FuzzedPoint(x: 3, y: 4).encode(to: container.superEncoder())
    let tree = FuzzedTree.pair(.named(name: "n", .leaf, tags: ["a", "b"]), .other(FuzzedPoint()))
    try container.encode(tree, forKey: FuzzedKey(stringValue: "tree"))
  }
}
