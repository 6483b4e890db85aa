import TestSupport
import Testing

@testable import Keepsake

/// The tables with an entry for each object of an archive, compared with plain ones.
@Suite struct CompactTableTests {
  private final class Thing {}

  @Test func numbersOfObjects() throws {
    var generator = SeededGenerator("numbers of objects")
    var registry = ObjectRegistry()
    var expected: [Thing?] = []
    let things = (0..<20_000).map { _ in Thing() }
    var numbers: [ObjectIdentifier: Int] = [:]
    for step in 0..<60_000 {
      switch Int.random(in: 0..<1_000, using: &generator) {
      case 0:
        let count = Int.random(in: max(0, expected.count - 6_000)...expected.count, using: &generator)
        for thing in expected[count...] { if let thing { numbers[ObjectIdentifier(thing)] = nil } }
        expected.removeLast(expected.count - count)
        registry.truncate(to: count)
      case 1..<20:
        expected.append(nil)
        let number = registry.numberForValue()
        #expect(number == expected.count)
      default:
        let thing = things[Int.random(in: 0..<min(things.count, step + 1), using: &generator)]
        let known = numbers[ObjectIdentifier(thing)]
        #expect(registry.knownNumber(of: thing) == known)
        let answer = registry.number(for: thing)
        let (number, isNew) = try #require(answer)
        #expect(isNew == (known == nil))
        if known == nil {
          expected.append(thing)
          numbers[ObjectIdentifier(thing)] = expected.count
        }
        #expect(number == numbers[ObjectIdentifier(thing)])
      }
    }
    #expect(registry.count == expected.count)
    for (index, thing) in expected.enumerated() { #expect(registry.object(index + 1) === thing) }
    #expect(registry.object(0) == nil)
    #expect(registry.object(expected.count + 1) == nil)
  }

  @Test func numbersOfObjectsAmongManyValues() throws {
    var registry = ObjectRegistry()
    let things = (0..<50).map { _ in Thing() }
    for (index, thing) in things.enumerated() {
      for _ in 0..<1_000 { _ = registry.numberForValue() }
      let answer = registry.number(for: thing)
      #expect(answer?.number == (index + 1) * 1_001)
    }
    for (index, thing) in things.enumerated() {
      #expect(registry.knownNumber(of: thing) == (index + 1) * 1_001)
    }
  }

  @Test func numbersThatACopyHasGivenOut() throws {
    var registry = ObjectRegistry()
    let things = (0..<5_000).map { _ in Thing() }
    _ = registry.numberForValue()
    for thing in things[..<100] { _ = registry.number(for: thing) }
    var copy = registry
    for thing in things[100...] { _ = copy.number(for: thing) }
    var prefix = registry.prefix(101)
    #expect(prefix.count == 101)
    #expect(prefix.object(1) == nil)
    for (index, thing) in things.enumerated() {
      #expect(prefix.knownNumber(of: thing) == (index < 100 ? index + 2 : nil))
      #expect(copy.knownNumber(of: thing) == index + 2)
    }
    let next = prefix.number(for: things[4_000])
    #expect(next?.number == 102)
    #expect(copy.object(102) === things[100])
  }

  private enum Entry: Equatable {
    case reference(Int, depth: Int, property: Int)
    case bodyDepth(Int)
    case group([Entry])
  }

  private func entries(_ cursor: ReferenceCursor, _ list: ReferenceList) -> [Entry] {
    var cursor = cursor
    var found: [Entry] = []
    while let step = cursor.next(list) {
      switch step {
      case .reference(let number, let depth, let property):
        found.append(.reference(number, depth: depth, property: property))
      case .bodyDepth(let depth): found.append(.bodyDepth(depth))
      case .group(let place):
        found.append(.group(entries(ReferenceCursor(list, groupAt: place, body: cursor.body), list)))
      }
    }
    return found
  }

  private func write(
    _ list: inout ReferenceList,
    nesting: Int,
    using generator: inout SeededGenerator
  ) -> [Entry] {
    var written: [Entry] = []
    for _ in 0..<Int.random(in: 0..<20, using: &generator) {
      let before = list.mark
      let bits = Int.random(in: 0..<30, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0 where nesting < 3:
        let group = list.beginGroup()
        let inner = write(&list, nesting: nesting + 1, using: &generator)
        list.end(group)
        if !inner.isEmpty { written.append(.group(inner)) }
      case 1:
        let depth = Int.random(in: 0..<300_000, using: &generator)
        list.append(bodyDepth: depth)
        written.append(.bodyDepth(depth))
      case 2:
        _ = write(&list, nesting: 3, using: &generator)
        list.truncate(to: before)
      default:
        let number = 1 + Int.random(in: 0..<(1 << bits), using: &generator)
        let depth = Int.random(in: 0...4, using: &generator) == 0 ? bits * bits * bits : 1
        let property = Int.random(in: 0...3, using: &generator) == 0 ? bits * bits : 0
        list.append(number, depth: depth, property: property)
        written.append(.reference(number, depth: depth, property: property))
      }
    }
    return written
  }

  @Test func references() throws {
    var generator = SeededGenerator("references")
    var list = ReferenceList()
    var bodies: [(range: Range<Int>, entries: [Entry])] = []
    for body in 1...500 {
      list.beginBody(body)
      let start = list.byteCount
      let written = write(&list, nesting: 0, using: &generator)
      bodies.append((start..<list.byteCount, written))
    }
    for (index, body) in bodies.enumerated() {
      #expect(entries(ReferenceCursor(body.range, body: index + 1), list) == body.entries)
    }
  }
}
