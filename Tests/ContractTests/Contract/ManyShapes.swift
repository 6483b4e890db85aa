import Foundation
import Keepsake
import TestSupport
import Testing

/// Records of many shapes: later shapes have longer heads, and the lengths change from one record to the next.
@Suite struct ManyShapes {
  /// Nine optionals make 512 shapes, whose numbers take one or two bytes after the tag.
  private struct Sparse: Codable, Equatable {
    var a, b, c, d, e, f, g, h, i: Int?

    init(bits: Int) {
      func value(_ bit: Int) -> Int? { bits >> bit & 1 == 1 ? bits * 1_000 + bit : nil }
      (a, b, c) = (value(0), value(1), value(2))
      (d, e, f) = (value(3), value(4), value(5))
      (g, h, i) = (value(6), value(7), value(8))
    }
  }

  private struct Pair: Codable, Equatable {
    var left: Sparse
    var text: String
    var right: [Sparse]
  }

  @Test("records of 512 shapes come back, in order and at random, alone and nested")
  func shapes() throws {
    var generator = SeededGenerator("many shapes")
    let order = Array(0..<512) + (0..<2_000).map { _ in Int.random(in: 0..<512, using: &generator) }
    let sparse = order.map(Sparse.init)
    #expect(try ArchiveDecoder().decode([Sparse].self, from: ArchiveEncoder().encode(sparse)) == sparse)
    let pairs = order.map { bits in
      Pair(
        left: Sparse(bits: bits),
        text: "\(bits)",
        right: (0..<(bits % 40)).map { Sparse(bits: ($0 * 37 + bits) % 512) }
      )
    }
    #expect(try ArchiveDecoder().decode([Pair].self, from: ArchiveEncoder().encode(pairs)) == pairs)
  }

  @Test("arrays and dictionaries of changing counts come back from nested containers")
  func lengths() throws {
    let lengths = [0, 15, 16, 3, 127, 128, 129, 0, 16_383, 16_384, 1]
    let data = try writeUnkeyed { container in
      for length in lengths {
        var inner = container.nestedUnkeyedContainer()
        for number in 0..<length { try inner.encode(number) }
        var keyed = container.nestedContainer(keyedBy: AnyKey.self)
        for number in 0..<length { try keyed.encode(number, forKey: AnyKey("key \(number)")) }
      }
    }
    let read = try ArchiveDecoder().decode(Lengths.self, from: data)
    #expect(read.arrays == lengths && read.dictionaries == lengths)
  }

  private struct Lengths: Decodable {
    var arrays: [Int] = []
    var dictionaries: [Int] = []

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd {
        let array = try container.decode([Int].self)
        guard array == Array(0..<array.count) else { throw CocoaError(.coderInvalidValue) }
        arrays.append(array.count)
        let dictionary = try container.decode([String: Int].self)
        guard dictionary.allSatisfy({ $0.key == "key \($0.value)" }) else {
          throw CocoaError(.coderInvalidValue)
        }
        dictionaries.append(dictionary.count)
      }
    }
  }
}
