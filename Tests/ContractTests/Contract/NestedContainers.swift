import Foundation
import Keepsake
import TestSupport
import Testing

/// Nested containers may be written alternately, in any order, after their siblings, or not at all.
@Suite struct NestedContainers {
  @Test("3,000 nested containers may all be kept and written late")
  func keptContainers() throws {
    let depth = 3_000
    let data = try write { encoder in
      var containers: [any UnkeyedEncodingContainer] = [encoder.unkeyedContainer()]
      for _ in 1..<depth { containers.append(containers[containers.count - 1].nestedUnkeyedContainer()) }
      for index in containers.indices { try containers[index].encode(index) }
    }
    let count = try read(data) { decoder in
      var found = 0
      var container = try decoder.unkeyedContainer()
      while true {
        var inner: (any UnkeyedDecodingContainer)?
        if found + 1 < depth { inner = try container.nestedUnkeyedContainer() }
        #expect(try container.decode(Int.self) == found)
        found += 1
        guard let next = inner else { return found }
        container = next
      }
    }
    #expect(count == depth)
  }

  @Test("two nested containers are written alternately")
  func inTurns() throws {
    let data = try writeKeyed { container in
      var left = container.nestedContainer(keyedBy: AnyKey.self, forKey: "left")
      var right = container.nestedUnkeyedContainer(forKey: "right")
      for number in 0..<20 {
        try left.encode(number, forKey: AnyKey("n\(number)"))
        try right.encode("\(number)")
        try container.encode(number, forKey: AnyKey("own \(number)"))
      }
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.count == 22)
      let left = try container.decode([String: Int].self, forKey: "left")
      #expect(left == Dictionary(uniqueKeysWithValues: (0..<20).map { ("n\($0)", $0) }))
      #expect(try container.decode([String].self, forKey: "right") == (0..<20).map { "\($0)" })
      #expect(try container.decode(Int.self, forKey: "own 19") == 19)
    }
  }

  @Test("a kept nested container stays valid while others of its type are created")
  func keptAmongOthers() throws {
    let data = try writeKeyed { container in
      var kept: KeyedEncodingContainer<AnyKey>?
      for number in 0..<10 {
        var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("n\(number)"))
        try nested.encode(number, forKey: "own")
        try kept?.encode(number, forKey: AnyKey("from \(number)"))
        if number == 2 || number == 6 { kept = nested }
        var inner = nested.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
        try inner.encode(-number, forKey: "own")
      }
    }
    try readKeyed(data) { container throws in
      for number in 0..<10 {
        let nested = try container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("n\(number)"))
        #expect(try nested.decode(Int.self, forKey: "own") == number)
        #expect(try nested.decode([String: Int].self, forKey: "inner") == ["own": -number])
        let late = number == 2 ? 3...6 : number == 6 ? 7...9 : nil
        #expect(nested.allKeys.count == 2 + (late?.count ?? 0))
        for other in late.map(Array.init) ?? [] {
          #expect(try nested.decode(Int.self, forKey: AnyKey("from \(other)")) == other)
        }
      }
    }
  }

  @Test("a container is written after those within it and after those around it")
  func outsideIn() throws {
    let data = try writeKeyed { a in
      var b = a.nestedContainer(keyedBy: AnyKey.self, forKey: "b")
      var c = b.nestedContainer(keyedBy: AnyKey.self, forKey: "c")
      var d = c.nestedUnkeyedContainer(forKey: "d")
      try d.encode("deep")
      try c.encode("middle", forKey: "value")
      try d.encode("deeper")
      try b.encode("near", forKey: "value")
      try a.encode("top", forKey: "value")
      try c.encode("late", forKey: "late")
    }
    struct A: Codable, Equatable { var value: String, b: B }
    struct B: Codable, Equatable { var value: String, c: C }
    struct C: Codable, Equatable { var value: String, late: String, d: [String] }
    let c = C(value: "middle", late: "late", d: ["deep", "deeper"])
    let expected = A(value: "top", b: B(value: "near", c: c))
    #expect(try ArchiveDecoder().decode(A.self, from: data) == expected)
  }

  @Test("containers nested in an unkeyed one keep their index")
  func placesInUnkeyed() throws {
    let data = try writeUnkeyed { list in
      var first = list.nestedUnkeyedContainer()
      try list.encode(1)
      var second = list.nestedContainer(keyedBy: AnyKey.self)
      #expect(list.count == 3)
      try list.encode(2)
      try second.encode("late", forKey: "k")
      try first.encode(true)
      try list.encode(3)
      try first.encode(false)
    }
    try readUnkeyed(data) { list throws in
      #expect(list.count == 5)
      #expect(try list.decode([Bool].self) == [true, false])
      #expect(try list.decode(Int.self) == 1)
      #expect(try list.decode([String: String].self) == ["k": "late"])
      #expect(try list.decode(Int.self) == 2)
      #expect(try list.decode(Int.self) == 3)
      #expect(list.isAtEnd)
    }
  }

  @Test("a container that is never written is archived as empty")
  func neverWritten() throws {
    let data = try writeKeyed { container in
      _ = container.nestedContainer(keyedBy: AnyKey.self, forKey: "keyed")
      _ = container.nestedUnkeyedContainer(forKey: "unkeyed")
      var list = container.nestedUnkeyedContainer(forKey: "list")
      _ = list.nestedUnkeyedContainer()
      _ = list.nestedContainer(keyedBy: AnyKey.self)
      try container.encode(1, forKey: "after")
    }
    try readKeyed(data) { container throws in
      #expect(container.allKeys.count == 4)
      #expect(try !container.decodeNil(forKey: "keyed"))
      #expect(try container.nestedContainer(keyedBy: AnyKey.self, forKey: "keyed").allKeys.isEmpty)
      #expect(try container.nestedUnkeyedContainer(forKey: "unkeyed").isAtEnd)
      #expect(try container.decode([String: Int].self, forKey: "keyed").isEmpty)
      #expect(try container.decode([Int].self, forKey: "unkeyed").isEmpty)
      var list = try container.nestedUnkeyedContainer(forKey: "list")
      #expect(list.count == 2)
      #expect(try list.nestedUnkeyedContainer().count == 0)
      #expect(try list.nestedContainer(keyedBy: AnyKey.self).allKeys.isEmpty)
      #expect(try container.decode(Int.self, forKey: "after") == 1)
    }
  }

  @Test("values encoded while nested containers are open keep their positions")
  func valuesBetween() throws {
    struct Pair: Codable, Equatable { var x: [Int], y: String }
    let pairs = (0..<5).map { Pair(x: Array(0..<$0), y: "y\($0)") }
    let data = try writeKeyed { container in
      var open = container.nestedUnkeyedContainer(forKey: "open")
      var other = container.nestedContainer(keyedBy: AnyKey.self, forKey: "other")
      for (number, pair) in pairs.enumerated() {
        try open.encode(pair)
        try container.encode(pair, forKey: AnyKey("\(number)"))
        try other.encode([pair, pair], forKey: AnyKey("\(number)"))
      }
    }
    try readKeyed(data) { container throws in
      #expect(try container.decode([Pair].self, forKey: "open") == pairs)
      #expect(try container.decode(Pair.self, forKey: "3") == pairs[3])
      let other = try container.decode([String: [Pair]].self, forKey: "other")
      #expect(other["4"] == [pairs[4], pairs[4]] && other.count == 5)
    }
  }

  @Test("a nested container survives the container that it came from")
  func survivingItsParent() throws {
    let data = try write { encoder in
      func open() -> any UnkeyedEncodingContainer {
        var outer = encoder.container(keyedBy: AnyKey.self)
        var inner = outer.nestedContainer(keyedBy: AnyKey.self, forKey: "inner")
        return inner.nestedUnkeyedContainer(forKey: "list")
      }
      var list = open()
      try list.encode(1)
      try list.encode(2)
    }
    #expect(
      try ArchiveDecoder().decode([String: [String: [Int]]].self, from: data) == ["inner": ["list": [1, 2]]]
    )
  }

  @Test("a hundred nested containers are written from the innermost and from the outermost")
  func deep() throws {
    let data = try writeKeyed { container in
      var chain = [container]
      for _ in 0..<100 {
        var last = chain[chain.count - 1]
        chain.append(last.nestedContainer(keyedBy: AnyKey.self, forKey: "next"))
      }
      for index in chain.indices.reversed() { try chain[index].encode(index, forKey: "inside") }
      for index in chain.indices { try chain[index].encode(-index, forKey: "outside") }
    }
    final class Level: Decodable {
      let inside: Int
      let outside: Int
      let next: [Level]
      enum CodingKeys: CodingKey { case inside, outside, next }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        inside = try container.decode(Int.self, forKey: .inside)
        outside = try container.decode(Int.self, forKey: .outside)
        next = try container.decodeIfPresent(Level.self, forKey: .next).map { [$0] } ?? []
      }
    }
    var level = try ArchiveDecoder().decode(Level.self, from: data)
    for index in 0...100 {
      #expect(level.inside == index && level.outside == -index)
      if let next = level.next.first { level = next } else { #expect(index == 100) }
    }
  }

  @Test("trees of containers are written in random order", arguments: 0..<20)
  func randomOrder(round: Int) throws {
    var generator = SeededGenerator("trees of containers \(round)")
    let tree = Tree.random(depth: 5, using: &generator)
    let data = try write { encoder in
      var order = generator
      try tree.write(to: encoder, using: &order)
    }
    let back = try ArchiveDecoder().decode(Tree.self, from: data)
    #expect(back == tree)
  }
}

/// A tree of containers, with numbers for leaves.
private indirect enum Tree: Decodable, Equatable {
  case leaf(Int)
  case keyed([String: Tree])
  case unkeyed([Tree])

  static func random(depth: Int, using generator: inout SeededGenerator) -> Tree {
    guard depth > 0, Int.random(in: 0..<4, using: &generator) > 0 else {
      return .leaf(Int.random(in: -1000...1000, using: &generator))
    }
    let children = (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
      random(depth: depth - 1, using: &generator)
    }
    if Bool.random(using: &generator) { return .unkeyed(children) }
    return .keyed(Dictionary(uniqueKeysWithValues: children.enumerated().map { ("\($0)", $1) }))
  }

  private enum Open {
    case keyed(KeyedEncodingContainer<AnyKey>, [(key: String, value: Tree)])
    case unkeyed(any UnkeyedEncodingContainer, [Tree])
  }

  /// Opens containers and fills all open ones alternately, at random.
  func write(to encoder: any Encoder, using generator: inout SeededGenerator) throws {
    var open: [Open]
    switch self {
    case .leaf(let number):
      var container = encoder.singleValueContainer()
      return try container.encode(number)
    case .keyed(let children):
      open = [.keyed(encoder.container(keyedBy: AnyKey.self), Array(children))]
    case .unkeyed(let children):
      open = [.unkeyed(encoder.unkeyedContainer(), children.reversed())]
    }
    while !open.isEmpty {
      let index = Int.random(in: open.indices, using: &generator)
      switch open[index] {
      case .keyed(var container, var children):
        guard let (key, child) = children.popLast() else {
          open.remove(at: index)
          continue
        }
        switch child {
        case .leaf(let number): try container.encode(number, forKey: AnyKey(key))
        case .keyed(let more):
          let nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key))
          open.append(.keyed(nested, Array(more)))
        case .unkeyed(let more):
          open.append(.unkeyed(container.nestedUnkeyedContainer(forKey: AnyKey(key)), more.reversed()))
        }
        open[index] = .keyed(container, children)
      case .unkeyed(var container, var children):
        guard let child = children.popLast() else {
          open.remove(at: index)
          continue
        }
        switch child {
        case .leaf(let number): try container.encode(number)
        case .keyed(let more):
          open.append(.keyed(container.nestedContainer(keyedBy: AnyKey.self), Array(more)))
        case .unkeyed(let more):
          open.append(.unkeyed(container.nestedUnkeyedContainer(), more.reversed()))
        }
        open[index] = .unkeyed(container, children)
      }
    }
  }

  init(from decoder: any Decoder) throws {
    if let number = try? decoder.singleValueContainer().decode(Int.self) {
      self = .leaf(number)
    } else if let container = try? decoder.container(keyedBy: AnyKey.self) {
      let children = try container.allKeys.map {
        ($0.stringValue, try container.decode(Tree.self, forKey: $0))
      }
      self = .keyed(Dictionary(uniqueKeysWithValues: children))
    } else {
      var container = try decoder.unkeyedContainer()
      var children: [Tree] = []
      while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
      self = .unkeyed(children)
    }
  }
}
