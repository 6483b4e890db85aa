import Foundation
import Keepsake
import TestSupport
import Testing

/// The archiver never writes a graph that no reader can build: the error gives the reason, and no trace
/// remains.
@Suite struct UnreadableGraphs {
  @Test("cycles of strong references that cannot wait are refused", arguments: RingKind.allCases)
  func rings(kind: RingKind) throws {
    let found = try failure { try ArchiveEncoder().encode(kind.graph()) }
    #expect(found.kind == .invalidValue && found.code == .cycle)
    for word in ["@Deferred", "ArchivedModel", "SelfRegistering", "Ring"] {
      #expect(found.description.contains(word), "\(word) in \(found.description)")
    }
    #expect(found.path == kind.path)
    for station in kind.stations {
      #expect(found.description.contains(station), "\(station) in \(found.description)")
    }
  }

  @Test("a cycle far from the root and a very long one are refused")
  func farAndLong() throws {
    let ring = Ring()
    ring.next = Ring()
    ring.next?.next = ring
    let owner = Ring()
    owner.list = [Ring(), ring]
    let found = try failure { try ArchiveEncoder().encode(["first": ["second": [owner]]]) }
    #expect(found.code == .cycle && found.path == "first/second/[0]/list/[1]")
    #expect(found.description.contains("Ring.next"))

    let long = (0..<2000).map { _ in Ring() }
    for (index, one) in long.enumerated() { one.next = long[(index + 1) % long.count] }
    let message = try failure { try ArchiveEncoder().encode(long[7]) }
    #expect(message.code == .cycle && message.description.utf8.count < 6000)
    for one in long { one.next = nil }
  }

  @Test("the error for a cycle through many properties names the first ones and counts the others")
  func manyProperties() throws {
    let rows = (0..<15).map { _ in Row() }
    for (index, row) in rows.enumerated() {
      row.cells = Array(repeating: nil, count: index) + [rows[(index + 1) % rows.count]]
    }
    defer { for row in rows { row.cells = [] } }
    let found = try failure { try ArchiveEncoder().encode(rows[0]) }
    #expect(found.code == .cycle && found.description.contains("Row[11] → … 3 more …."), "\(found)")
    for index in 0..<12 { #expect(found.description.contains("Row[\(index)] → ")) }
    #expect(!found.description.contains("Row[12] →"))
    // The reference back comes first in the advice, which covers three properties.
    #expect(found.description.contains("Encode [14] of Row with encodeDeferred"))
    #expect(
      found.description.contains("or encode [12] of Row") && !found.description.contains("ncode [11] of")
    )
    #expect(try roundTrip([Row(), Row()]).map(\.cells.count) == [0, 0])
  }

  @Test("the error for a property encoded as another type gives advice that works")
  func otherType() throws {
    let carrier = HeavyCarrier()
    carrier.load = carrier
    defer { carrier.load = nil }
    let found = try failure { try ArchiveEncoder().encode(Carrier(carrier, asIs: false)) }
    #expect(found.code == .cycle)
    let advice = "Encode HeavyCarrier.load as the Optional<Carrier> that it is, not as HeavyCarrier."
    #expect(found.description.contains(advice), "\(found)")
    carrier.asIs = true
    let back = try roundTrip(Carrier(carrier, asIs: true))
    #expect(back.load != nil && back.load?.load === back.load)
    back.load?.load = nil
  }

  @Test("the advice for a wrapper that cannot be encoded works")
  func otherWrapper() throws {
    let watcher = Watcher(isDeferred: false)
    watcher.other = watcher
    let found = try failure { try ArchiveEncoder().encode(watcher) }
    let advice =
      "Encode Watcher.other with encodeDeferred(_:forKey:) and decode it with decodeDeferred(_:forKey:_:)."
    #expect(found.code == .cycle && found.description.contains(advice), "\(found)")
    watcher.isDeferred = true
    let back = try roundTrip(watcher)
    #expect(back.other === back)
    (watcher.other, back.other) = (nil, nil)
  }

  @Test("a refused value leaves no trace in the archiver")
  func nothingIsLeft() throws {
    let shared = Named("shared")
    let archiver = KeyedArchiver()
    try archiver.encode(shared, forKey: "before")
    let ring = Ring()
    ring.next = ring
    ring.name = shared
    for _ in 0..<3 {
      #expect(try failure { try archiver.encode(["ring": ring], forKey: "ring") }.code == .cycle)
      #expect(try failure { try archiver.encode(ring, forKey: "bare") }.code == .cycle)
    }
    let chain = Ring()
    chain.next = Ring()
    chain.next?.name = shared
    try archiver.encode(chain, forKey: "after")
    ring.next = nil
    try archiver.encode(ring, forKey: "ring")
    let data = try archiver.encodedData
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, verification: .everything)
    #expect(unarchiver.allKeys == ["before", "after", "ring"])
    let before = try unarchiver.decode(Named.self, forKey: "before")
    #expect(try unarchiver.decode(Ring.self, forKey: "after").next?.name === before)
    #expect(try unarchiver.decode(Ring.self, forKey: "ring").name === before)

    let fresh = KeyedArchiver()
    try fresh.encode(shared, forKey: "before")
    try fresh.encode(chain, forKey: "after")
    try fresh.encode(ring, forKey: "ring")
    #expect(try fresh.encodedData == data)
  }

  @Test("a cycle in a nested top-level container is refused, and finishing throws")
  func nestedAtTheTop() throws {
    let ring = Ring()
    ring.next = ring
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    // The container may get more.
    try nested.encode(ring, forKey: "ring")
    let found = try failure { try container.encode([1], forKey: "later") }
    #expect(found.code == .cycle && found.description.contains("Ring.next"), "\(found)")
    #expect(try failure { try archiver.finishEncoding() }.code == .cycle)
    let again = try? archiver.encodedData
    #expect(again == nil, "the archive contains the cycle")
  }

  @Test("a cycle in a failed value that the caller catches leaves no trace")
  func refusedInACollection() throws {
    let ring = Ring()
    ring.next = ring
    let data = try writeKeyed { container in
      // The cycle is found when the whole value is complete, not here.
      try container.encode(1, forKey: "one")
      try? container.encode(
        Writing { encoder in
          var inner = encoder.unkeyedContainer()
          try inner.encode(ring)
          throw Refusal()
        },
        forKey: "ring"
      )
    }
    #expect(try ArchiveDecoder().decode([String: Int].self, from: data) == ["one": 1])
  }

  @Test("shared objects, diamonds and chains are not cycles")
  func noRings() throws {
    let end = Ring()
    let left = Ring()
    let right = Ring()
    left.next = end
    right.next = end
    let top = Ring()
    top.list = [left, right, end, left]
    let back = try roundTrip(top)
    #expect(back.list[0].next === back.list[1].next && back.list[2] === back.list[0].next)
    #expect(back.list[3] === back.list[0])
  }

  @Test("a cycle closed by a weak or deferred reference is accepted")
  func softRings() throws {
    let soft = Soft()
    soft.next = Soft()
    soft.next?.back = soft
    soft.next?.weak = soft
    let back = try roundTrip(soft)
    #expect(back.next?.back === back && back.next?.weak === back)
    soft.next?.next = soft
    #expect(try failure { try ArchiveEncoder().encode(soft) }.code == .cycle)
  }

  @Test("a long chain of strong references is archived")
  func deep() throws {
    let count = sized(100_000, inDebug: 10_000)
    let size = try withLine(of: count) { try ArchiveEncoder().encode($0).count }
    #expect(size > count)
  }

  @Test(
    "a chain deeper than the limit is refused",
    .enabled(if: sized(1, inDebug: 0) == 1, "takes long, and shows nothing more without optimization")
  )
  func tooDeep() throws {
    try withLine(of: ArchiveLimits().maximumDepth + 10_000) { first in
      let archiver = KeyedArchiver()
      let found = try failure { try archiver.encode(first, forKey: "line") }
      #expect(found.code == .limitExceeded && found.description.contains("@Deferred"))
      #expect(found.description.utf8.count < 10_000_000)
      try archiver.encode(Ring(), forKey: "after")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      #expect(
        try unarchiver.decode(Ring.self, forKey: "after").next == nil && unarchiver.allKeys == ["after"]
      )
    }
  }

  @Test("content beside a chain does not count for its depth")
  func besideTheWay() throws {
    let objects = (0..<sized(60_000, inDebug: 25_000)).map { _ in Bulky() }
    for (index, object) in objects.dropLast().enumerated() { object.next = objects[index + 1] }
    defer { for object in objects { object.next = nil } }
    // Two levels per object, and ten more only at its end: far below the limit.
    let data = try? ArchiveEncoder().encode(objects[0])
    #expect(data != nil)
  }
}

private func withLine<Result>(of count: Int, _ body: (Ring) throws -> Result) rethrows -> Result {
  let line = (0..<count).map { _ in Ring() }
  for index in 1..<count { line[index - 1].next = line[index] }
  // One by one, since releasing the first would release all of them recursively.
  defer { for one in line { one.next = nil } }
  return try body(line[0])
}

/// Encodes its cells by index, so each is another property.
private final class Row: Codable {
  var cells: [Row?] = []

  init() {}

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { cells.append(try container.decode(Row?.self)) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for cell in cells { try container.encode(cell) }
  }
}

class Carrier: Codable {
  var load: Carrier?
  var asIs = true

  init(_ load: Carrier? = nil, asIs: Bool = false) { (self.load, self.asIs) = (load, asIs) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(asIs, forKey: .asIs)
    if asIs {
      try container.encodeIfPresent(load, forKey: .load)
    } else {
      try container.encodeIfPresent(load as? HeavyCarrier, forKey: .load)
    }
  }
}

final class HeavyCarrier: Carrier {}

// MARK: - Graphs

enum RingKind: String, CaseIterable, Sendable {
  case itself, two, array, optionalArray, dictionary, set, structure, enumeration, objectKey, threeFromOutside

  fileprivate func graph() -> [Ring] {
    let ring = Ring()
    let other = Ring()
    switch self {
    case .itself: ring.next = ring
    case .two:
      ring.next = other
      other.next = ring
    case .threeFromOutside:
      ring.next = other
      other.next = Ring()
      other.next?.next = ring
    case .array: ring.list = [other, ring]
    case .optionalArray: ring.gaps = [nil, other, ring]
    case .dictionary: ring.table = ["back": ring]
    case .set: ring.set = [ring]
    case .structure: ring.pair = Pair(number: 1, ring: ring)
    case .enumeration: ring.choice = .ring(ring)
    case .objectKey: ring.keys = [ring: 1]
    }
    return self == .threeFromOutside ? [Ring(), ring] : [ring]
  }

  var path: String { self == .threeFromOutside ? "[1]" : "[0]" }

  var stations: [String] {
    switch self {
    case .itself, .two, .threeFromOutside: ["Ring.next. Write @Deferred before the wrapper of Ring.next."]
    case .array: ["Ring.list. "]
    case .optionalArray: ["Ring.gaps. "]
    case .dictionary: ["Ring.table. "]
    case .set: ["Ring.set. "]
    case .structure: ["Ring.pair. "]
    case .enumeration: ["Ring.choice. Mark Ring.choice @Deferred"]
    case .objectKey: ["Ring.keys. "]
    }
  }
}

private struct Pair: Codable {
  var number: Int
  var ring: Ring
}

private enum Choice: Codable {
  case none, ring(Ring)
}

private final class Ring: Codable, EqualByIdentity {
  @Kept var next: Ring? = nil
  var name: Named?
  @Kept var list: [Ring] = []
  @Kept var gaps: [Ring?]? = nil
  @Kept var table: [String: Ring] = [:]
  @Kept var set: Set<Ring> = []
  @Kept var pair: Pair? = nil
  var choice = Choice.none
  @Kept var keys: [Ring: Int] = [:]

  init() {}
}

private final class Named: Codable {
  let name: String

  init(_ name: String) {
    self.name = name
  }
}

private final class Soft: Codable {
  @Kept var next: Soft? = nil
  @Deferred var back: Soft?
  @WeakReference var weak: Soft?
}

/// Has deeply nested values beside the reference that continues.
private final class Bulky: Codable {
  var next: Bulky?
  var deep = [[[[[[[[[[1, 2]]]]]]]]]]
}

/// A wrapper that is not `Codable`, as `Published` of Combine.
@propertyWrapper private struct Watched<Value> {
  var wrappedValue: Value
}

private final class Watcher: Codable {
  @Watched var other: Watcher? = nil
  var isDeferred: Bool

  init(isDeferred: Bool) { self.isDeferred = isDeferred }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isDeferred = try container.decode(Bool.self, forKey: .isDeferred)
    if isDeferred {
      try container.decodeDeferred(Watcher?.self, forKey: .other) { [weak self] in self?.other = $0 }
    } else {
      other = try container.decodeIfPresent(Watcher.self, forKey: .other)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isDeferred, forKey: .isDeferred)
    if isDeferred {
      try container.encodeDeferred(other, forKey: .other)
    } else {
      try container.encodeIfPresent(other, forKey: .other)
    }
  }

  private enum CodingKeys: CodingKey { case other, isDeferred }
}
