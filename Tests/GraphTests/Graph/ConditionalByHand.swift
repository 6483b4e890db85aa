import Foundation
import Keepsake
import TestSupport
import Testing

/// `encodeConditional` in hand-written code, and how its references are read.
@Suite struct ConditionalByHand {
  @Test("conditional references to an object and to an optional are nil if nothing else archives it")
  func optionalOrNot() throws {
    let part = Part("part")
    let optional: Part? = part
    let data = try writeKeyed { container in
      try container.encodeConditional(part, forKey: "object")
      try container.encodeConditional(optional, forKey: "optional")
      var list = container.nestedUnkeyedContainer(forKey: "list")
      try list.encodeConditional(part)
      try list.encodeConditional(optional)
    }
    try readKeyed(data) { container throws in
      for key in ["object", "optional"] as [AnyKey] {
        #expect(try container.decodeIfPresent(Part.self, forKey: key) == nil, "\(key.stringValue)")
      }
      let list = try container.decode([Part?].self, forKey: "list")
      #expect(list.count == 2 && list.allSatisfy { $0 == nil })
    }
  }

  @Test("decodeIfPresent reads conditional references, keyed and unkeyed")
  func readPlainly() throws {
    let (kept, lost) = (Part("kept"), Part("lost"))
    let data = try writeKeyed { container in
      try container.encodeConditional(kept, forKey: "kept")
      try container.encodeConditional(lost, forKey: "lost")
      try container.encodeConditional(nil as Part?, forKey: "nil")
      var list = container.nestedUnkeyedContainer(forKey: "list")
      try list.encodeConditional(lost)
      try list.encodeConditional(kept)
      try list.encodeConditional(nil as Part?)
      try list.encode(7)
      try container.encode(kept, forKey: "strong")
    }
    try readKeyed(data) { container throws in
      let part = try container.decodeIfPresent(Part.self, forKey: "kept")
      #expect(part?.name == "kept")
      #expect(try container.decodeIfPresent(Part.self, forKey: "lost") == nil)
      #expect(try container.decodeIfPresent(Part.self, forKey: "nil") == nil)
      #expect(try container.decodeNil(forKey: "lost") && !container.decodeNil(forKey: "kept"))
      #expect(container.contains("kept") && !container.contains("lost") && !container.contains("nil"))
      #expect(try container.decode(Part.self, forKey: "kept") === part)
      #expect(try container.decode(Part.self, forKey: "strong") === part)
      let found = try failure { try container.decode(Part.self, forKey: "lost") }
      #expect(found.kind == .valueNotFound && found.path == "lost")
      var list = try container.nestedUnkeyedContainer(forKey: "list")
      #expect(list.count == 4)
      #expect(try list.decodeIfPresent(Part.self) == nil)
      #expect(try list.decodeIfPresent(Part.self) === part)
      #expect(try list.decodeNil())
      #expect(try list.decode(Int.self) == 7)
    }
  }

  @Test("decodeDeferredIfPresent reads a conditional reference and closes a cycle")
  func readDeferred() throws {
    let owner = ConditionalOwner()
    owner.part = ConditionalPart(owner)
    let back = try roundTrip(owner)
    #expect(back.part?.owner === back && back.part?.calls == 1)
    let part = try roundTrip(try #require(owner.part))
    #expect(part.owner == nil && part.calls == 0)
  }

  @Test("a weak reference reads a conditional reference, and an optional reads a weak one")
  func readWeakly() throws {
    let part = Part("part")
    let data = try writeKeyed { container in
      try container.encodeConditional(part, forKey: "reference")
      try container.encode(part, forKey: "part")
    }
    let weak = try ArchiveDecoder().decode(WeakPart.self, from: data)
    #expect(weak.reference === weak.part)
    let strong = try transcode(weak, to: StrongPart.self)
    #expect(strong.reference === strong.part && strong.part.name == "part")
    let deferred = try transcode(weak, to: DeferredPart.self)
    #expect(deferred.reference === deferred.part && deferred.part.name == "part")
  }

  @Test("a conditional reference is no reason to refuse a cycle")
  func ring() throws {
    let one = ConditionalRing()
    one.other = ConditionalRing()
    one.other?.back = one
    let back = try roundTrip(one)
    #expect(back.other?.back === back)
  }

  @Test("a failed value that is caught leaves no reference, strong or conditional")
  func rolledBack() throws {
    let (one, two, three) = (Part("one"), Part("two"), Part("three"))
    let data = try writeKeyed { container in
      try container.encodeConditional(one, forKey: "one")
      let refused = Writing { encoder in
        var inner = encoder.container(keyedBy: AnyKey.self)
        try inner.encode(one, forKey: "strong")
        try inner.encodeConditional(two, forKey: "two")
        try inner.encodeConditional(three, forKey: "three")
        throw Refusal()
      }
      #expect(throws: Refusal()) { try container.encode(refused, forKey: "refused") }
      try container.encodeConditional(three, forKey: "three")
      try container.encodeConditional(two, forKey: "two")
      try container.encode(three, forKey: "strong three")
    }
    #expect(data.range(of: Data("refused".utf8)) == nil)
    try readKeyed(data) { container throws in
      #expect(try container.decodeIfPresent(Part.self, forKey: "one") == nil)
      #expect(try container.decodeIfPresent(Part.self, forKey: "two") == nil)
      let part = try container.decodeIfPresent(Part.self, forKey: "three")
      #expect(part?.name == "three")
      #expect(try container.decode(Part.self, forKey: "strong three") === part)
    }
  }

  @Test("a failed value at the top level leaves no reference")
  func rolledBackAtTheTop() throws {
    let (one, two) = (Part("one"), Part("two"))
    let archiver = KeyedArchiver()
    try archiver.encode(WeakReference(wrappedValue: one), forKey: "one")
    let refused = Writing { encoder in
      var inner = encoder.unkeyedContainer()
      try inner.encode(one)
      try inner.encodeConditional(two)
      throw Refusal()
    }
    #expect(throws: Refusal()) { try archiver.encode(refused, forKey: "refused") }
    try archiver.encode(WeakReference(wrappedValue: two), forKey: "two")
    try archiver.encode(two, forKey: "strong")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["one", "two", "strong"])
    #expect(try unarchiver.decodeIfPresent(Part.self, forKey: "one") == nil)
    let two2 = try unarchiver.decodeIfPresent(Part.self, forKey: "two")
    #expect(two2?.name == "two")
    #expect(try unarchiver.decode(Part.self, forKey: "strong") === two2)
  }

  @Test("conditional references are right before and after their objects, among failed values")
  func inAnyOrder() throws {
    var random = SeededGenerator("conditional references in any order")
    for _ in 0..<300 {
      let parts = (0..<6).map { Part("\($0)") }
      var written: [(part: Int, isStrong: Bool)] = []
      let data = try writeKeyed { container in
        for _ in 0..<12 {
          let isRefused = Int.random(in: 0..<3, using: &random) == 0
          let choices = (0..<3).map { _ in
            (part: Int.random(in: 0..<6, using: &random), isStrong: Bool.random(using: &random))
          }
          let first = written.count
          let values = Writing { encoder in
            var inner = encoder.container(keyedBy: AnyKey.self)
            for (index, choice) in choices.enumerated() {
              let key = AnyKey("\(index)")
              if choice.isStrong {
                try inner.encode(parts[choice.part], forKey: key)
              } else {
                try inner.encodeConditional(parts[choice.part], forKey: key)
              }
            }
            if isRefused { throw Refusal() }
          }
          do {
            try container.encode(values, forKey: AnyKey("\(first)"))
            written += choices
          } catch is Refusal {}
        }
      }
      let (references, archived) = (written, Set(written.filter(\.isStrong).map(\.part)))
      try readKeyed(data) { container throws in
        var found: [Int: Part] = [:]
        for first in stride(from: 0, to: references.count, by: 3) {
          let inner = try container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("\(first)"))
          for index in 0..<3 {
            let part = references[first + index].part
            let back = try inner.decodeIfPresent(Part.self, forKey: AnyKey("\(index)"))
            #expect((back != nil) == archived.contains(part))
            guard let back else { continue }
            #expect(back.name == parts[part].name && back === (found[part] ?? back))
            found[part] = back
          }
        }
      }
    }
  }
}

// MARK: - Types

private final class Part: Codable, @unchecked Sendable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

private final class ConditionalOwner: Codable {
  var part: ConditionalPart?
}

private final class ConditionalPart: Codable {
  private(set) weak var owner: ConditionalOwner?
  private(set) var calls = 0
  private enum CodingKeys: CodingKey { case owner }

  init(_ owner: ConditionalOwner) {
    self.owner = owner
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.decodeDeferredIfPresent(ConditionalOwner.self, forKey: .owner) { [unowned self] in
      owner = $0
      calls += 1
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeConditional(owner, forKey: .owner)
  }
}

private struct WeakPart: Codable {
  @WeakReference var reference: Part?
  var part: Part
}

private struct StrongPart: Codable {
  var reference: Part?
  var part: Part
}

private struct DeferredPart: Codable {
  @Deferred var reference: Part?
  var part: Part
}

private final class ConditionalRing: Codable {
  var other: ConditionalRing?
  @WeakReference var back: ConditionalRing?
}
