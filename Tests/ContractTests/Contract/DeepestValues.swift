import Foundation
import Keepsake
import TestSupport
import Testing

/// Values as deep as readers accept by default are archived, and one level more is refused: never is something written
/// that cannot be read.
@Suite struct DeepestValues {
  private static let deepest = ArchiveLimits().maximumValueDepth

  /// What is at the bottom, and how many levels it takes.
  enum Leaf: CaseIterable, Codable {
    case nothing, emptyList, someNil, decimal, numbers, strings, url, value, polymorphic, deferred,
      deferredChain

    var levels: Int {
      switch self {
      case .nothing, .someNil, .decimal, .numbers: 0
      case .emptyList, .strings, .url, .value, .deferred: 1
      case .polymorphic: 2
      case .deferredChain: DeepestValues.deepest
      }
    }

    func write(_ list: inout any UnkeyedEncodingContainer) throws {
      switch self {
      case .nothing: try list.encode(1)
      case .emptyList: try list.encode([Empty]())
      case .someNil: try list.encode(Int???.some(.some(nil)))
      case .decimal: try list.encode(Decimal(string: "-1234567.25"))
      case .numbers: try list.encode([1, 2, 300])
      case .strings: try list.encode(["a", "b"])
      case .url: try list.encode(URL(string: "https://example.org"))
      case .value: try list.encode(Empty())
      case .polymorphic: try list.encode(Polymorphic<any Sized>(wrappedValue: Circle()))
      case .deferred: try list.encode(Deferred(wrappedValue: ["a"]))
      case .deferredChain: try list.encode(Deferred(wrappedValue: Chain(levels: levels)))
      }
    }

    func read(_ list: inout any UnkeyedDecodingContainer) throws -> Bool {
      switch self {
      case .nothing: try list.decode(Int.self) == 1
      case .emptyList: try list.decode([Empty].self).isEmpty
      case .someNil: try list.decode(Int???.self) == .some(.some(nil))
      case .decimal: try list.decode(Decimal.self) == Decimal(string: "-1234567.25")
      case .numbers: try list.decode([Int].self) == [1, 2, 300]
      case .strings: try list.decode([String].self) == ["a", "b"]
      case .url: try list.decode(URL.self).absoluteString == "https://example.org"
      case .value: try list.decode(Empty.self) == Empty()
      case .polymorphic: try list.decode(Polymorphic<any Sized>.self).wrappedValue.size == 3
      case .deferred: try DeepestValues.isDeferred(list.decode(Deferred<[String]>.self))
      case .deferredChain: try DeepestValues.isDeferred(list.decode(Deferred<Chain>.self))
      }
    }
  }

  private static func isDeferred<Value>(_ value: Deferred<Value>) -> Bool { true }

  struct Empty: Codable, Equatable {}

  /// Lists in lists, `levels` deep.
  struct Chain: Codable {
    let levels: Int

    init(levels: Int) {
      self.levels = levels
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      if levels > 1 { try list.encode(Chain(levels: levels - 1)) }
    }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      levels = list.isAtEnd ? 1 : try list.decode(Chain.self).levels + 1
    }
  }

  /// Lists in lists, `levels` deep, with a leaf in the innermost: one level for each, and no memory.
  private struct Nest: Codable {
    var levels: Int
    var leaf: Leaf

    init(levels: Int, leaf: Leaf) {
      (self.levels, self.leaf) = (levels, leaf)
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      if levels > 1 { return try list.encode(Nest(levels: levels - 1, leaf: leaf)) }
      try leaf.write(&list)
      try list.encodeNil()
    }

    init(from decoder: any Decoder) throws {
      leaf = try #require(decoder.userInfo[.named("leaf")] as? Leaf)
      var list = try decoder.unkeyedContainer()
      let isLast = list.count == 2
      if isLast {
        let isRight = try leaf.read(&list)
        levels = isRight ? 1 : .min / 2
      } else {
        levels = try list.decode(Nest.self).levels + 1
      }
    }
  }

  @Test("each kind of value at the bottom", arguments: Leaf.allCases.prefix(sized(10, inDebug: 2)))
  func leaves(leaf: Leaf) throws {
    let most = DeepestValues.deepest - leaf.levels
    let data = try KeyedArchiver.archivedData(withRootObject: Nest(levels: most, leaf: leaf))
    let back = try KeyedUnarchiver.unarchive(Nest.self, from: data, userInfo: [.named("leaf"): leaf])
    #expect(back.levels == most)
    let found = try failure {
      try KeyedArchiver.archivedData(withRootObject: Nest(levels: most + 1, leaf: leaf))
    }
    #expect(found.kind == .invalidValue && found.code == .limitExceeded)
  }

  @Test("what is deferred begins again at the top, unless it is very deep already")
  func deferred() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Nest(levels: 1_024, leaf: .deferredChain))
    let back = try KeyedUnarchiver.unarchive(
      Nest.self,
      from: data,
      userInfo: [.named("leaf"): Leaf.deferredChain]
    )
    #expect(back.levels == 1_024)
    let found = try failure {
      try KeyedArchiver.archivedData(withRootObject: Nest(levels: 1_025, leaf: .deferredChain))
    }
    #expect(found.code == .limitExceeded)
  }

  @Test(
    "a little deeper than that, where only each eighth level used to be looked at",
    arguments: [1, 7, 8].prefix(sized(3, inDebug: 1))
  )
  func deeper(by extra: Int) throws {
    let nest = Nest(levels: DeepestValues.deepest + extra, leaf: .nothing)
    #expect(try failure { try KeyedArchiver.archivedData(withRootObject: nest) }.code == .limitExceeded)
  }

  /// A list at the bottom of a nest, and containers in it that are all written out of turn.
  private struct Detached: Encodable {
    let levels: Int
    let detachedLevels: Int

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      guard levels <= 1 else {
        return try list.encode(Detached(levels: levels - 1, detachedLevels: detachedLevels))
      }
      for _ in 0..<detachedLevels {
        let nested = list.nestedUnkeyedContainer()
        try list.encodeNil()
        list = nested
      }
      try list.encodeNil()
    }
  }

  @Test("containers that are written out of turn are as deep as they stand")
  func outOfTurn() throws {
    let levels = DeepestValues.deepest - 10
    _ = try KeyedArchiver.archivedData(withRootObject: Detached(levels: levels, detachedLevels: 10))
    let found = try failure {
      try KeyedArchiver.archivedData(withRootObject: Detached(levels: levels, detachedLevels: 11))
    }
    #expect(found.code == .limitExceeded)
  }

  @Test("after a value that was too deep and was taken back, the next one is looked at again")
  func afterAFailure() throws {
    let data = try writeUnkeyed { list in
      let tooDeep = Nest(levels: DeepestValues.deepest, leaf: .nothing)
      #expect(try failure { try list.encode(tooDeep) }.code == .limitExceeded)
      #expect(try failure { try list.encode(tooDeep) }.code == .limitExceeded)
      try list.encode(Nest(levels: DeepestValues.deepest - 1, leaf: .nothing))
    }
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("leaf")] = Leaf.nothing
    #expect(try decoder.decode([Nest].self, from: data)[0].levels == DeepestValues.deepest - 1)
  }
}

protocol Sized: Codable, Sendable { var size: Int { get } }

struct Circle: Sized, ArchivableClass {
  static var archivedClassName: String { "DeepestValues.Circle" }
  var size = 3
}
