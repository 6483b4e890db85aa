import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Random calls of containers, in every order that `JSONEncoder` allows, make the same tree here. Values throw, and
/// callers catch; containers are kept, and written while other values are being encoded.
///
/// Containers are kept while the value that requested them is being encoded. Afterwards, `JSONEncoder` has copied their
/// content and silently loses later writes; Keepsake writes them (`NestedContainers`).
@Suite struct RandomCalls {
  private static let scriptCount = 400

  /// Earlier versions of `JSONEncoder` end the program for more orders.
  private static let comparesWithJSON: Bool = {
    #if compiler(>=6.3)
      return true
    #else
      return false
    #endif
  }()

  @Test(
    "random calls make the same tree as JSON, or throw if a failed value's writes cannot be undone",
    .enabled(if: comparesWithJSON)
  )
  func sameTree() throws {
    var seeds = SeededGenerator("random calls")
    var (compared, refused) = (0, 0)
    for _ in 0..<RandomCalls.scriptCount {
      let seed = seeds.next()
      let script = Script(seed, isForJSON: true)
      let json = try JSONEncoder().encode(script.root())
      let expected = try JSONDecoder().decode(Tree.self, from: json)
      let repeated = Script(seed)
      if script.mustFail {
        #expect("script \(seed)") {
          try ArchiveEncoder().encode(repeated.root())
        } throws: { error in
          Failure(error)?.description.contains("an outer container") == true
        }
        refused += 1
      } else {
        do {
          let data = try ArchiveEncoder().encode(repeated.root())
          let tree = try KeyedUnarchiver.unarchive(Tree.self, from: data, verification: .everything)
          #expect(tree == expected, "script \(seed)")
        } catch {
          Issue.record("script \(seed): \(error)")
        }
        compared += 1
      }
    }
    #expect(compared > RandomCalls.scriptCount / 2 && refused > 0)
  }
}

/// The content of a value of any kind.
private indirect enum Tree: Decodable, Equatable {
  case null, bool(Bool), number(Int), text(String), list([Tree]), keyed([String: Tree])

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let number = try? single.decode(Int.self) {
      self = .number(number)
    } else if let bool = try? single.decode(Bool.self) {
      self = .bool(bool)
    } else if let text = try? single.decode(String.self) {
      self = .text(text)
    } else if let keyed = try? decoder.container(keyedBy: AnyKey.self) {
      var values: [String: Tree] = [:]
      for key in keyed.allKeys { values[key.stringValue] = try keyed.decode(Tree.self, forKey: key) }
      self = .keyed(values)
    } else {
      var list = try decoder.unkeyedContainer()
      var values: [Tree] = []
      while !list.isAtEnd { values.append(try list.decode(Tree.self)) }
      self = .list(values)
    }
  }
}

/// An object in several values.
private final class Shared: Encodable {
  let name: String
  init(_ name: String) { self.name = name }
}

/// What a script knows about a value, so that it requests only what `JSONEncoder` allows.
private final class Shadow {
  enum Kind { case nothing, scalar, keyed, unkeyed, object }

  var kind = Kind.nothing
  var values: [String: Shadow] = [:]
  let parent: Shadow?
  /// The time at which it was made.
  let birth: Int

  init(_ parent: Shadow?, _ birth: Int, _ kind: Kind = .nothing) {
    self.parent = parent
    self.birth = birth
    self.kind = kind
  }

  /// Takes over the content of `other`, which was encoded through a single-value container.
  func adopt(_ other: Shadow) {
    (kind, values) = (other.kind == .nothing ? .keyed : other.kind, other.values)
  }
}

/// Calls of containers, derived from a seed.
private final class Script {
  private enum Container {
    case keyed(KeyedEncodingContainer<AnyKey>)
    case unkeyed(any UnkeyedEncodingContainer)
  }

  private struct Held {
    var container: Container
    let shadow: Shadow
  }

  private static let texts = [
    "", "ab", "a text", "another text", "a text that is longer than thirty-one bytes",
  ]

  private var numbers: SplitMix
  private var time = 0
  private var held: [Held] = []
  /// The values and containers in which a value is being encoded.
  private var busy: [Shadow] = []
  /// Whether a container is being written out of turn.
  private var isElsewhere = false
  private var writes: [(time: Int, birth: Int)] = []
  private var callsLeft = 60
  private let shared = (0..<4).map { Shared("shared \($0)") }
  /// The oldest outer container into which a value wrote before it threw.
  private var lost: Int?
  /// Whether anything was written after that.
  private(set) var mustFail = false

  private let isForJSON: Bool

  init(_ seed: UInt64, isForJSON: Bool = false) {
    self.isForJSON = isForJSON
    numbers = SplitMix(seed: seed)
  }

  func root() -> Writing {
    Writing { encoder in
      let shadow = Shadow(nil, self.tick())
      try self.fill(encoder, shadow, 0, mayBeScalar: false)
      if self.lost != nil { self.mustFail = true }
    }
  }

  private func tick() -> Int {
    time += 1
    return time
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

  private func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &numbers)]
  }

  /// Notes that `shadow` is being written.
  private func note(_ shadow: Shadow, isCall: Bool = true) {
    writes.append((tick(), shadow.birth))
    if isCall, lost != nil { mustFail = true }
  }

  // MARK: Values

  private func fill(_ encoder: any Encoder, _ shadow: Shadow, _ depth: Int, mayBeScalar: Bool = true) throws {
    busy.append(shadow)
    defer { busy.removeLast() }
    if chance(15) { _ = encoder.singleValueContainer() }
    switch Int.random(in: 0..<10, using: &numbers) {
    case 0 where mayBeScalar:
      var single = encoder.singleValueContainer()
      note(shadow)
      try single.encode(pick(Script.texts))
      shadow.kind = .scalar
    case 1 where mayBeScalar: break
    case 2:
      // Flattened through a single-value container.
      let inner = Shadow(shadow.parent, tick())
      var single = encoder.singleValueContainer()
      if try encode(inner, depth, in: shadow, { try single.encode($0) }) { shadow.adopt(inner) }
      if shadow.kind != .scalar { try add(to: encoder, shadow, depth) }
    case 3:
      // Flattened by hand.
      try fill(encoder, shadow, depth, mayBeScalar: false)
      if shadow.kind != .scalar { try add(to: encoder, shadow, depth) }
    case 4:
      var single = encoder.singleValueContainer()
      note(shadow)
      try single.encode([1, -500])
      shadow.kind = .unkeyed
      try add(to: encoder, shadow, depth)
    case 5:
      var single = encoder.singleValueContainer()
      note(shadow)
      try single.encode(["a": 1, "b": 2])
      shadow.kind = .keyed
      for key in ["a", "b"] { shadow.values[key] = Shadow(shadow, tick(), .scalar) }
      try add(to: encoder, shadow, depth)
    default: try add(to: encoder, shadow, depth)
    }
  }

  /// Writes into a container of `encoder`, of the kind that its value has.
  private func add(to encoder: any Encoder, _ shadow: Shadow, _ depth: Int) throws {
    if shadow.kind == .nothing { shadow.kind = chance(60) ? .keyed : .unkeyed }
    var container: Container =
      shadow.kind == .keyed
      ? .keyed(encoder.container(keyedBy: AnyKey.self)) : .unkeyed(encoder.unkeyedContainer())
    for _ in 0..<Int.random(in: 0..<6, using: &numbers) { try call(&container, shadow, depth) }
  }

  /// Encodes `shadow`, which is filled during the call, by `encode`, and catches its error.
  ///
  /// - Returns: whether it did not throw.
  private func encode(
    _ shadow: Shadow,
    _ depth: Int,
    in container: Shadow,
    _ encode: (Writing) throws -> Void
  ) throws -> Bool {
    note(container)
    let start = tick()
    let firstHeld = held.count
    let count = busy.count
    busy.append(container)
    defer { busy.removeLast(busy.count - count) }
    let fails = chance(25)
    let value = Writing { encoder in
      try self.fill(encoder, shadow, depth + 1)
      if fails { throw Refusal() }
    }
    do {
      // A `JSONEncoder` may end the program after a caught error, so use another one here; nothing is kept.
      if fails, isForJSON { _ = try JSONEncoder().encode(value) } else { try encode(value) }
      // These are not kept any longer (see above).
      held.removeLast(max(0, held.count - firstHeld))
      return true
    } catch is Refusal {
      // The containers of the value are gone with it.
      held.removeLast(max(0, held.count - firstHeld))
      if let oldest = writes.filter({ $0.time > start }).map(\.birth).min(), oldest < shadow.birth {
        lost = min(lost ?? oldest, oldest)
      } else {
        lost = nil
      }
      return false
    }
  }

  // MARK: Calls

  private func call(_ container: inout Container, _ shadow: Shadow, _ depth: Int) throws {
    callsLeft -= 1
    guard callsLeft > 0 else { return }
    if !isElsewhere, !held.isEmpty, chance(20) { return try callElsewhere(depth) }
    switch container {
    case .keyed(var keyed):
      try call(&keyed, shadow, depth)
      container = .keyed(keyed)
    case .unkeyed(var unkeyed):
      try call(&unkeyed, shadow, depth)
      container = .unkeyed(unkeyed)
    }
  }

  /// Writes into a kept container in which no value is being encoded.
  private func callElsewhere(_ depth: Int) throws {
    let index = Int.random(in: 0..<held.count, using: &numbers)
    var one = held[index]
    var ancestors: [Shadow] = busy
    var seen: Set<ObjectIdentifier> = []
    while let next = ancestors.popLast() {
      if seen.insert(ObjectIdentifier(next)).inserted, let parent = next.parent { ancestors.append(parent) }
    }
    guard !seen.contains(ObjectIdentifier(one.shadow)) else { return }
    isElsewhere = true
    defer { isElsewhere = false }
    try call(&one.container, one.shadow, depth)
  }

  private func keep(_ container: Container, _ shadow: Shadow) {
    if chance(40) { held.append(Held(container: container, shadow: shadow)) }
  }

  private func call(_ keyed: inout KeyedEncodingContainer<AnyKey>, _ shadow: Shadow, _ depth: Int) throws {
    let name = pick(["a", "b", "c", "d"])
    let key = AnyKey(name)
    let old = shadow.values[name]
    switch Int.random(in: 0..<(depth < 4 ? 8 : 4), using: &numbers) {
    case 0:
      note(shadow)
      try keyed.encode(Int.random(in: -1_000...1_000, using: &numbers), forKey: key)
      shadow.values[name] = Shadow(shadow, tick(), .scalar)
    case 1:
      note(shadow)
      try keyed.encode(pick(Script.texts), forKey: key)
      shadow.values[name] = Shadow(shadow, tick(), .scalar)
    case 2:
      note(shadow)
      try keyed.encode(pick(shared), forKey: key)
      shadow.values[name] = Shadow(shadow, tick(), .object)
    case 3:
      note(shadow)
      try keyed.encode([[true, false], [], [false]][Int.random(in: 0..<3, using: &numbers)], forKey: key)
      shadow.values[name] = Shadow(shadow, tick(), .unkeyed)
    case 4:
      guard old == nil || old?.kind == .keyed || old?.kind == .nothing else { return }
      note(shadow, isCall: false)
      let inner = old ?? Shadow(shadow, tick())
      inner.kind = .keyed
      shadow.values[name] = inner
      var nested = keyed.nestedContainer(keyedBy: AnyKey.self, forKey: key)
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) {
        var container = Container.keyed(nested)
        try call(&container, inner, depth + 1)
        if case .keyed(let changed) = container { nested = changed }
      }
      keep(.keyed(nested), inner)
    case 5:
      guard old == nil || old?.kind == .unkeyed else { return }
      note(shadow, isCall: false)
      let inner = old ?? Shadow(shadow, tick())
      inner.kind = .unkeyed
      shadow.values[name] = inner
      var container = Container.unkeyed(keyed.nestedUnkeyedContainer(forKey: key))
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) { try call(&container, inner, depth + 1) }
      keep(container, inner)
    default:
      let inner = Shadow(shadow, tick())
      if try encode(inner, depth, in: shadow, { try keyed.encode($0, forKey: key) }) {
        if inner.kind == .nothing { inner.kind = .keyed }
        shadow.values[name] = inner
      }
    }
  }

  private func call(_ list: inout any UnkeyedEncodingContainer, _ shadow: Shadow, _ depth: Int) throws {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 4), using: &numbers) {
    case 0:
      note(shadow)
      try list.encode(Int.random(in: -1_000...1_000, using: &numbers))
    case 1:
      note(shadow)
      try list.encode(pick(Script.texts))
    case 2:
      note(shadow)
      try list.encode(pick(shared))
    case 3:
      note(shadow)
      try list.encodeNil()
    case 4:
      note(shadow, isCall: false)
      let inner = Shadow(shadow, tick(), .keyed)
      var container = Container.keyed(list.nestedContainer(keyedBy: AnyKey.self))
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) { try call(&container, inner, depth + 1) }
      keep(container, inner)
    case 5:
      note(shadow, isCall: false)
      let inner = Shadow(shadow, tick(), .unkeyed)
      var container = Container.unkeyed(list.nestedUnkeyedContainer())
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) { try call(&container, inner, depth + 1) }
      keep(container, inner)
    default:
      let inner = Shadow(shadow, tick())
      _ = try encode(inner, depth, in: shadow) { try list.encode($0) }
    }
  }
}
