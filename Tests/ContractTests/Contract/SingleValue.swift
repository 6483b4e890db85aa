import Foundation
import Keepsake
import TestSupport
import Testing

/// A single-value container takes one value, an encoder one kind of container, and both end with `encode(to:)`.
/// Breaking these rules throws.
@Suite struct SingleValue {
  @Test("a value of every kind goes through a single-value container")
  func everyKind() throws {
    func pass<T: Codable & Equatable>(_ value: T) throws {
      let data = try write { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(value)
      }
      #expect(try ArchiveDecoder().decode(T.self, from: data) == value)
      #expect(try transcode([value], to: [T].self) == [value])
    }
    try pass(true)
    try pass("text")
    try pass(1.5)
    try pass(Float(2.5))
    try pass(Int.min)
    try pass(Int8(-8))
    try pass(Int16(-16))
    try pass(Int32(-32))
    try pass(Int64(-64))
    try pass(UInt.max)
    try pass(UInt8(8))
    try pass(UInt16(16))
    try pass(UInt32(32))
    try pass(UInt64.max)
    try pass([1, 2, 3])
    try pass(["a": ["b": 1]])
    try pass(Int?.none)
  }

  @Test("nested single-value wrappers come back")
  func wrappers() throws {
    struct Wrapper<T: Codable & Equatable>: Codable, Equatable {
      var value: T
      init(_ value: T) { self.value = value }
      init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(T.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
      }
    }
    let value = [Wrapper(Wrapper(Wrapper("in"))), Wrapper(Wrapper(Wrapper("deep")))]
    #expect(try roundTrip(value) == value)
    #expect(try transcode(value, to: [String].self) == ["in", "deep"])
  }

  @Test("a second value in one container throws")
  func usedTwice() throws {
    let found = try failure {
      try write { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      }
    }
    #expect(found.kind == .invalidValue && found.code == .misuse)
  }

  @Test("a second value in a second container of the same encoder throws")
  func secondContainer() throws {
    let found = try failure {
      try write { encoder in
        var first = encoder.singleValueContainer()
        var second = encoder.singleValueContainer()
        try first.encode("one")
        try second.encode("two")
      }
    }
    #expect(found.kind == .invalidValue && found.code == .misuse)
  }

  @Test("a value after a nil in one container throws")
  func nilTwice() throws {
    let found = try failure {
      try write { encoder in
        var container = encoder.singleValueContainer()
        try container.encodeNil()
        try container.encode([1])
      }
    }
    #expect(found.kind == .invalidValue && found.code == .misuse)
  }

  /// Ways to write to an encoder, each by its own container.
  enum Way: CaseIterable {
    case keyed, unkeyed, single

    func write(to encoder: any Encoder) throws {
      switch self {
      case .keyed:
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(1, forKey: "k")
      case .unkeyed:
        var container = encoder.unkeyedContainer()
        try container.encode(1)
      case .single:
        var container = encoder.singleValueContainer()
        try container.encode(1)
      }
    }
  }

  @Test("containers of two kinds on one encoder throw", arguments: Way.allCases, Way.allCases)
  func twoKinds(first: Way, second: Way) throws {
    guard first != second else { return }
    let top = try failure {
      try write { encoder in
        try first.write(to: encoder)
        try second.write(to: encoder)
      }
    }
    #expect(top.kind == .invalidValue && top.code == .misuse)
    let nested = try failure {
      try writeKeyed { container in
        let inner = container.superEncoder(forKey: "inner")
        try first.write(to: inner)
        try second.write(to: inner)
      }
    }
    #expect(nested.kind == .invalidValue && nested.code == .misuse && nested.path.hasPrefix("inner"))
  }

  @Test("containers of two kinds on the archiver throw", arguments: Way.allCases, Way.allCases)
  func twoKindsOnTheArchiver(first: Way, second: Way) throws {
    guard first != second else { return }
    let archiver = KeyedArchiver()
    try first.write(to: archiver)
    #expect(try failure { try second.write(to: archiver) }.code == .misuse)
  }

  @Test("a super encoder of an expired or suspended container throws", arguments: [false, true])
  func requestedFromUnusable(isInUse: Bool) throws {
    func refusal<Container>(
      _ make: @escaping (any Encoder) -> Container,
      _ nested: @escaping (inout Container) -> any Encoder
    ) throws -> Failure {
      var kept: Container?
      let late = Writing { _ in
        guard var container = kept else { return }
        try Way.unkeyed.write(to: nested(&container))
      }
      return try failure {
        try write { encoder in
          var list = encoder.unkeyedContainer()
          let first = Writing {
            kept = make($0)
            guard isInUse else { return }
            if var keyed = kept as? KeyedEncodingContainer<AnyKey> { try keyed.encode(late, forKey: "value") }
            if var unkeyed = kept as? any UnkeyedEncodingContainer { try unkeyed.encode(late) }
          }
          try list.encode(first)
          try list.encode(late)
        }
      }
    }
    let keyed = try refusal({ $0.container(keyedBy: AnyKey.self) }, { $0.superEncoder(forKey: "late") })
    let unkeyed = try refusal({ $0.unkeyedContainer() }, { $0.superEncoder() })
    for found in [keyed, unkeyed] {
      #expect(found.code == .misuse)
      #expect(
        found.description.contains(isInUse ? "while one of its values" : "after its encode(to:) returned")
      )
    }
  }

  @Test("an encoder and its containers throw after its encode(to:) has returned", arguments: Way.allCases)
  func keptEncoder(way: Way) throws {
    var kept: (any Encoder)?
    let archiver = KeyedArchiver()
    try archiver.encode(
      Writing { encoder in
        kept = encoder
        try Way.keyed.write(to: encoder)
      },
      forKey: "a"
    )
    let encoder = try #require(kept)
    #expect(try failure { try way.write(to: encoder) }.kind == .invalidValue)
    try archiver.encode(1, forKey: "b")
    #expect(try failure { try way.write(to: encoder) }.kind == .invalidValue)
    try archiver.finishEncoding()
    #expect(try failure { try way.write(to: encoder) }.kind == .invalidValue)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode([String: Int].self, forKey: "a") == ["k": 1])
    #expect(try unarchiver.decode(Int.self, forKey: "b") == 1)
  }

  @Test("a container kept by one element does not write into the next")
  func keptContainers() throws {
    var keyed: KeyedEncodingContainer<AnyKey>?
    var unkeyed: (any UnkeyedEncodingContainer)?
    var `super`: (any Encoder)?
    let keeping = Writing { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "a")
      unkeyed = container.nestedUnkeyedContainer(forKey: "list")
      `super` = container.superEncoder()
      keyed = container
    }
    let using = Writing { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(2, forKey: "a")
      #expect(try failure { try keyed?.encode(3, forKey: "b") }.kind == .invalidValue)
      // Nested containers have their own buffers, and stay open until the body is complete.
      try unkeyed?.encode(3)
      try Way.single.write(to: #require(`super`))
      try container.encode(4, forKey: "c")
    }
    let data = try ArchiveEncoder().encode([keeping, using])
    try readUnkeyed(data) { list throws in
      let first = try list.nestedContainer(keyedBy: AnyKey.self)
      #expect(Set(first.allKeys.map(\.stringValue)) == ["a", "list", "super"])
      #expect(try first.decode([Int].self, forKey: "list") == [3])
      #expect(try list.decode([String: Int].self) == ["a": 2, "c": 4])
    }
  }

  @Test("a container of an outer value throws while an inner one is encoded")
  func outerWhileInner() throws {
    let data = try writeKeyed { container in
      var outer = container
      let inner = Writing { encoder in
        var own = encoder.container(keyedBy: AnyKey.self)
        try own.encode(1, forKey: "x")
        #expect(try failure { try outer.encode("intruder", forKey: "intruder") }.code == .misuse)
        try own.encode(2, forKey: "y")
      }
      try container.encode(inner, forKey: "inner")
      try container.encode("end", forKey: "end")
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode([String: Int].self, forKey: "inner") == ["x": 1, "y": 2])
      #expect(try container.decode(String.self, forKey: "end") == "end")
      #expect(!container.contains("intruder"))
    }
  }

  @Test("after finishEncoding, the archiver and its containers throw")
  func afterFinish() throws {
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: AnyKey.self)
    try container.encode(1, forKey: "a")
    var nested = container.nestedUnkeyedContainer(forKey: "nested")
    try archiver.finishEncoding()
    let data = try archiver.encodedData
    #expect(try failure { try container.encode(2, forKey: "b") }.code == .misuse)
    #expect(try failure { try nested.encode(2) }.code == .misuse)
    #expect(try failure { try Way.keyed.write(to: archiver) }.code == .misuse)
    #expect(try failure { try archiver.encode(2, forKey: "b") }.code == .misuse)
    #expect(try archiver.encodedData == data)
    #expect(try KeyedUnarchiver(forReadingFrom: data).decode([Int].self, forKey: "nested").isEmpty)
  }
}
