import Foundation
import Keepsake
import TestSupport
import Testing

/// Values as deep as readers accept by default are archived, and one level more is refused, so the archiver writes
/// nothing that cannot be read.
@Suite struct DeepestValues {
  private static let deepest = ArchiveLimits().maximumValueDepth

  /// The innermost value, and how many levels it takes.
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

  /// Nested lists, `levels` deep.
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

  /// Nested lists, `levels` deep, with a leaf in the innermost: each takes one level, and no memory.
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

  @Test(
    "each kind of value is accepted at the depth limit and refused one level deeper",
    arguments: Leaf.allCases.prefix(sized(10, inDebug: 2))
  )
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

  @Test("a deferred value counts its depth from zero at up to 1,024 levels, and is refused deeper")
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
    "values one to eight levels beyond the limit are refused",
    arguments: [1, 7, 8].prefix(sized(3, inDebug: 1))
  )
  func deeper(by extra: Int) throws {
    let nest = Nest(levels: DeepestValues.deepest + extra, leaf: .nothing)
    #expect(try failure { try KeyedArchiver.archivedData(withRootObject: nest) }.code == .limitExceeded)
  }

  /// A list at the bottom of a nest, with containers in it that are written out of turn.
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

  @Test("containers written out of turn count at their actual depth")
  func outOfTurn() throws {
    let levels = DeepestValues.deepest - 10
    _ = try KeyedArchiver.archivedData(withRootObject: Detached(levels: levels, detachedLevels: 10))
    let found = try failure {
      try KeyedArchiver.archivedData(withRootObject: Detached(levels: levels, detachedLevels: 11))
    }
    #expect(found.code == .limitExceeded)
  }

  /// Nested dictionaries.
  private struct Shelves: Codable {
    var inner: [String: Shelves] = [:]

    init(levels: Int) {
      for _ in 1..<levels {
        var outer = self
        outer.inner = ["shelf": self]
        self = outer
      }
    }

    init(from decoder: any Decoder) throws {
      inner = try decoder.singleValueContainer().decode([String: Shelves].self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(inner)
    }

    var levels: Int {
      var (levels, shelves) = (1, self)
      while let next = shelves.inner["shelf"] { (levels, shelves) = (levels + 1, next) }
      return levels
    }
  }

  @Test(
    "1,500 nested dictionaries are coded on a stack of 1 MB",
    arguments: [[], .sortedKeys] as [ArchiveFormatting]
  )
  func dictionaries(formatting: ArchiveFormatting) throws {
    let levels = 1_500
    let found = try onThread(stackSize: 1 << 20) {
      var encoder = ArchiveEncoder()
      encoder.outputFormatting = formatting
      let data = try encoder.encode(Shelves(levels: levels))
      return try ArchiveDecoder().decode(Shelves.self, from: data).levels
    }
    #expect(found == levels)
  }

  /// Runs `body` with tens of kilobytes more of the stack in use, as initializers may use them.
  private static func deeper<Result>(_ levels: Int = 160, _ body: () throws -> Result) rethrows -> Result {
    guard levels > 0 else { return try body() }
    let buffer = (levels, levels + 1, levels + 2, levels + 3, levels + 4, levels + 5, levels + 6, levels + 7)
    let result = try deeper(buffer.0 - 1, body)
    return withExtendedLifetime(buffer) { result }
  }

  /// Nested fields, with much of the stack in use between them.
  private struct Crate: ArchivedFields {
    var number = 0
    var inner: [Wrapping] = []

    struct Wrapping: Codable {
      let crate: Crate

      init(_ crate: Crate) { self.crate = crate }

      init(from decoder: any Decoder) throws {
        crate = try deeper { try decoder.singleValueContainer().decode(Crate.self) }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try deeper { try container.encode(crate) }
      }
    }

    var numbers: [Int] { [number] + inner.flatMap(\.crate.numbers) }
  }

  /// An array of at most one object, read as a value.
  private final class Sheet: Encodable {
    let next: Sheet?

    init(_ next: Sheet?) { self.next = next }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if let next { try container.encode(next) }
    }
  }

  private struct Stack: Decodable {
    let levels: Int

    init(from decoder: any Decoder) throws {
      levels = try deeper { try decoder.singleValueContainer().decode([Stack].self).first?.levels ?? 0 } + 1
    }
  }

  @Test("user code may use much of the stack at each level", arguments: 0..<4)
  func largeFrames(offset: Int) throws {
    let found = try onThread(stackSize: 1 << 20 + offset << 15) {
      let crate = (1..<40).reduce(Crate()) { Crate(number: $1, inner: [.init($0)]) }
      let back = try ArchiveDecoder().decode(Crate.self, from: ArchiveEncoder().encode(crate))
      let sheet = (1..<40).reduce(Sheet(nil)) { next, _ in Sheet(next) }
      let levels = try ArchiveDecoder().decode([Stack].self, from: ArchiveEncoder().encode(sheet)).first?
        .levels
      return (back.numbers, levels)
    }
    #expect(found.0 == (0..<40).reversed() && found.1 == 39)
  }

  private struct Flat: ArchivedFields { var number = 1 }
  private struct Full: ArchivedFields { var numbers: [Int?] = [1, nil] }
  private struct Plain: Codable { var number = 1 }

  /// Nested lists, `levels` deep, with a record in the innermost.
  private struct Tower<Top: Codable>: Codable {
    var levels: Int
    var top: Top

    init(_ levels: Int, _ top: Top) { (self.levels, self.top) = (levels, top) }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(levels)
      if levels > 1 { try list.encode(Tower(levels - 1, top)) } else { try list.encode(top) }
    }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      levels = try list.decode(Int.self)
      top = try levels > 1 ? list.decode(Tower.self).top : list.decode(Top.self)
    }
  }

  @Test(
    "a record counts the same depth read by a container and in memory",
    arguments: [1, 2, 30, 1_040]
  )
  func records(limit: Int) throws {
    func isRead<Top: Codable>(_ tower: Tower<Top>) throws -> Bool {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: KeyedArchiver.archivedData(withRootObject: tower))
      unarchiver.limits.maximumValueDepth = limit
      do {
        let back = try unarchiver.decode(Tower<Top>.self, forKey: KeyedArchiver.rootKey)
        return back.levels == tower.levels
      } catch {
        #expect(Failure(error)?.code == .limitExceeded)
        return false
      }
    }
    for levels in max(1, limit - 3)...limit + 2 {
      let isDeepEnough = levels < limit
      #expect(try isRead(Tower(levels, Plain())) == isDeepEnough, "\(levels) levels")
      #expect(try isRead(Tower(levels, Flat())) == isDeepEnough, "\(levels) levels")
      #expect(try isRead(Tower(levels, Full())) == (levels < limit - 1), "\(levels) levels")
    }
  }

  @Test("depth is checked again after a value that was too deep")
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

  private struct Level: Codable {
    var inner: [Level] = []
    var text = "text"
  }

  @Test("damage below many levels is reported as damage, with a coding path")
  func damaged() throws {
    var level = Level(text: "the bottom")
    for _ in 0..<1_000 { level = Level(inner: [level]) }
    var encoder = ArchiveEncoder()
    encoder.outputFormatting = .withoutChecksums
    var data = try encoder.encode(level)
    let bottom = try #require(data.firstRange(of: Data("the bottom".utf8)))
    data[bottom.lowerBound - 1] = 0x74
    let found = try failure { try ArchiveDecoder().decode(Level.self, from: data) }
    #expect(found.kind == .dataCorrupted && found.code == .damaged)
    #expect(found.description.contains("(at byte \(bottom.lowerBound - 1))"))
    #expect(found.path.contains("inner/[0]/inner"))
  }
}

protocol Sized: Codable, Sendable { var size: Int { get } }

struct Circle: Sized, ArchivableClass {
  static var archivedClassName: String { "DeepestValues.Circle" }
  var size = 3
}
