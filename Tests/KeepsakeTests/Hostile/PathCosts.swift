import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// The cost of coding paths is in proportion to the archive, however many errors a program catches.
@Suite struct PathCosts {
  private final class Sum: @unchecked Sendable {
    static let key = CodingUserInfoKey.named("sum")
    var steps = 0
    var keyBytes = 0
    var errors = 0

    func add(_ path: [any CodingKey]) {
      errors += 1
      steps += path.count
      keyBytes += path.reduce(0) { $0 + $1.stringValue.utf8.count }
    }
  }

  private static let tries = sized(20_000, inDebug: 4_000)

  /// Decodes down to the last array, and requests a wrong type there many times.
  private struct Stubborn: Decodable {
    init(from decoder: any Decoder) throws {
      let sum = try #require(decoder.userInfo[Sum.key] as? Sum)
      if let keyed = try? decoder.container(keyedBy: AnyKey.self), let key = keyed.allKeys.first {
        _ = try keyed.decode(Stubborn.self, forKey: key)
        return
      }
      var list = try decoder.unkeyedContainer()
      if (try? list.decode(Stubborn.self)) != nil { return }
      for _ in 0..<PathCosts.tries {
        do {
          _ = try list.decode(Int.self)
        } catch DecodingError.typeMismatch(_, let context) {
          sum.add(context.codingPath)
        }
      }
    }
  }

  private func sum(of data: Data) throws -> Sum {
    let sum = Sum()
    _ = try KeyedUnarchiver.unarchive(Stubborn.self, from: data, userInfo: [Sum.key: sum])
    #expect(sum.errors == Self.tries)
    return sum
  }

  @Test("caught errors have whole coding paths up to a limit, and short ones from then on")
  func forgivenErrors() throws {
    let value = [UInt8](repeating: Tag.shortArray + 1, count: 250) + [0x21, 0x61]
    let data = HandmadeArchive.data(topLevel: CraftedArchive.root(value))
    let sum = try sum(of: data)
    // The first paths are whole.
    #expect(sum.steps > 250 * 100)
    #expect(sum.steps <= 1 << 17 + 16 * data.count + 300 + 9 * sum.errors)
  }

  @Test("long keys of maps are copied into coding paths only in proportion to the archive")
  func longKeys() throws {
    let key = String(repeating: "k", count: 100_000)
    let data = HandmadeArchive.data(
      topLevel: CraftedArchive.root(
        CraftedArchive.map((key, CraftedArchive.array([CraftedArchive.text("a")])))
      )
    )
    let sum = try sum(of: data)
    #expect(sum.keyBytes > 10 * key.utf8.count)
    #expect(sum.keyBytes <= 70 * data.count + 1 << 20)
  }

  private final class Node: Codable {
    @Deferred var next: Node?
    init(_ next: Node?) { self.next = next }

    init(from decoder: any Decoder) throws {
      (decoder.userInfo[Sum.key] as? Sum)?.add(decoder.codingPath)
      _next = try decoder.container(keyedBy: CodingKeys.self).decode(Deferred<Node?>.self, forKey: .next)
    }
    private enum CodingKeys: CodingKey { case next }
  }

  @Test("coding paths through a chain of objects are limited")
  func deferredChain() throws {
    let count = 1_000
    var first: Node?
    for _ in 0..<count { first = Node(first) }
    let data = try KeyedArchiver.archivedData(withRootObject: #require(first))
    let sum = Sum()
    _ = try KeyedUnarchiver.unarchive(Node.self, from: data, userInfo: [Sum.key: sum])
    #expect(sum.errors == count)
    #expect(sum.steps <= 258 * count)
  }

  // MARK: Encoding

  /// An object that requests its coding path; the next one waits for a body of its own.
  private final class Asking: Encodable {
    let next: Asking?
    let sum: Sum
    init(_ next: Asking?, _ sum: Sum) { (self.next, self.sum) = (next, sum) }

    func encode(to encoder: any Encoder) throws {
      sum.add(encoder.codingPath)
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encodeIfPresent(next, forKey: "next")
    }
  }

  /// Nested values, each of which requests its coding path.
  private struct Nested: Encodable {
    let level: Int
    let sum: Sum

    func encode(to encoder: any Encoder) throws {
      sum.add(encoder.codingPath)
      var container = encoder.unkeyedContainer()
      if level > 0 { try container.encode(Nested(level: level - 1, sum: sum)) }
    }
  }

  @Test("coding paths while encoding are limited, in a chain of objects and in nested values")
  func whileEncoding() throws {
    let count = sized(10_000, inDebug: 3_000)
    let sum = Sum()
    var first: Asking?
    for _ in 0..<count { first = Asking(first, sum) }
    let data = try KeyedArchiver.archivedData(withRootObject: #require(first))
    #expect(sum.errors == count)
    // Whole paths at first; all of them would be `count * count / 2` steps.
    #expect(sum.steps > 256 * 100)
    #expect(sum.steps <= 1 << 17 + 16 * data.count + 300 + 9 * count)

    let nested = Sum()
    // A new archiver: a reused one reserves as many bytes for a head as its last array needed, and these count while
    // the array is open.
    let archiver = KeyedArchiver()
    try archiver.encode(Nested(level: 5_000, sum: nested), forKey: "nested")
    let other = try archiver.encodedData
    #expect(nested.errors == 5_001 && nested.steps > 256 * 100)
    #expect(nested.steps <= 1 << 17 + 16 * other.count + 300 + 9 * nested.errors)
  }

  /// Tries one type after the other.
  private struct Guessed: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if (try? container.decode([Int].self)) != nil { return }
      if (try? container.decode([Date].self)) != nil { return }
      if (try? container.decode([Double].self)) != nil { return }
      if (try? container.decode([Bool].self)) != nil { return }
      _ = try container.decode([String].self)
    }
  }

  @Test("the limit of memory does not count values of types that an initializer tries in vain")
  func triedTypes() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [[String]](repeating: ["a"], count: 10_000))
    var limits = ArchiveLimits()
    limits.maximumAllocation = 64 * data.count
    let guessed = try KeyedUnarchiver.unarchive([Guessed].self, from: data, limits: limits)
    #expect(guessed.count == 10_000)
  }
}
