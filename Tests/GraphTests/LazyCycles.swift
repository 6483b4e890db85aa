import Foundation
import Keepsake
import Synchronization
import TestSupport
import Testing

/// Lazy values that lead into one cycle, which a reader can enter at only some of its objects.
@Suite struct LazyCycles {
  private final class Knots: Codable {
    @Lazy var early: OrderKnot?
    @Lazy var late: OrderKnot?
    @Lazy var other: [Int] = []
    weak var awaited: OrderKnot?
    @WeakReference var watched: OrderKnot?
    var number = 0
  }

  /// The same properties when they were not lazy.
  private final class DeferredKnots: Codable {
    @Deferred var early: OrderKnot?
    @Deferred var late: OrderKnot?
    var other = [1, 2]
    var number = 0
  }

  /// A cycle that a reader can enter only at the first object.
  private func cycle() -> (early: EarlyOrderKnot, late: OrderKnot) {
    let (early, late) = (EarlyOrderKnot(), OrderKnot())
    (early.tight, late.tight) = ([late], [early])
    return (early, late)
  }

  private static func cut(_ knots: OrderKnot?...) { for knot in knots { knot?.cut() } }

  @Test("lazy values in a cycle can be read in any order", arguments: [true, false], [true, false])
  func anyOrder(wereLazy: Bool, lateFirst: Bool) throws {
    let (early, late) = cycle()
    defer { Self.cut(early) }
    let data: Data
    if wereLazy {
      let knots = Knots()
      (knots.early, knots.late, knots.other) = (early, late, [1, 2])
      data = try KeyedArchiver.archivedData(withRootObject: knots)
    } else {
      let knots = DeferredKnots()
      (knots.early, knots.late) = (early, late)
      data = try KeyedArchiver.archivedData(withRootObject: knots)
    }
    let back = try KeyedUnarchiver.unarchive(Knots.self, from: data)
    let first = try lateFirst ? back.$late.load() : back.$early.load()
    let second = try lateFirst ? back.$early.load() : back.$late.load()
    let (readEarly, readLate) = lateFirst ? (second, first) : (first, second)
    #expect(readEarly is EarlyOrderKnot && readLate?.tight.first === readEarly)
    #expect(readEarly?.tight.first === readLate && back.late === readLate && back.early === readEarly)
    #expect(back.other == [1, 2] && back.$late.error == nil && back.$early.error == nil)
    Self.cut(back.early)
  }

  @Test("a lazy value that leads into an unreadable cycle is refused unless another one makes it readable")
  func noOrder() throws {
    let (early, late) = cycle()
    defer { Self.cut(early) }
    let knots = Knots()
    knots.late = late
    #expect(try failure { try KeyedArchiver.archivedData(withRootObject: knots) }.code == .cycle)
    knots.early = early
    let data = try KeyedArchiver.archivedData(withRootObject: knots)
    #expect(!data.isEmpty)
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }

  /// An object in a program that no longer registers its objects.
  private final class Unregistered: OrderKnot {
    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      (decoder.userInfo[.named("counter")] as? Counter)?.add()
      try super.init(from: decoder)
    }
  }

  private struct ManyKnots: Codable {
    @Lazy var early: OrderKnot?
    @Lazy var late: OrderKnot?
    @Lazy var other: [Int] = []
  }

  @Test("unreadable lazy values keep their errors, and cost a few attempts each")
  func unreadable() throws {
    let count = 40
    let cycles = (0..<count).map { _ in cycle() }
    defer { for cycle in cycles { cycle.early.cut() } }
    let knots = cycles.map { ManyKnots(early: $0.early, late: $0.late, other: [3]) }
    let archiver = KeyedArchiver()
    archiver.setClassName("LazyCycles.Early", for: EarlyOrderKnot.self)
    try archiver.encode(knots, forKey: "knots")
    let counter = Counter()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo = [.named("counter"): counter]
    unarchiver.setClass(Unregistered.self, forClassName: "LazyCycles.Early")
    let back = try unarchiver.decode([ManyKnots].self, forKey: "knots")
    for knots in back {
      for _ in 0..<3 {
        #expect(try failure { try knots.$late.load() }.code == .cycle)
        #expect(try failure { try knots.$early.load() }.code == .cycle)
      }
      #expect(knots.late == nil && knots.$late.error != nil && knots.other == [3])
    }
    // Each value by itself, and all twice after the first error.
    #expect(counter.value <= 7 * count, "\(counter.value)")
  }

  @Test(
    "a save reads objects for waiting weak references, though only one order of lazy values works"
  )
  func awaited() throws {
    let folder = try TemporaryFolder()
    let (early, late) = cycle()
    defer { Self.cut(early) }
    let knots = Knots()
    (knots.early, knots.awaited, knots.watched, knots.other) = (early, late, late, [1])
    try ArchiveDocument(creating: folder("knots"), root: knots).close()
    let document = try ArchiveDocument<Knots>(opening: folder("knots"))
    document.root.number = 1
    #expect(try document.save())
    #expect(!document.root.$other.isLoaded || document.root.other == [1])
    let awaited = document.root.awaited
    #expect(
      awaited != nil && awaited === document.root.watched && awaited === document.root.early?.tight.first
    )
    let back = try KeyedUnarchiver.unarchive(Knots.self, fromFile: folder("knots"))
    #expect(back.number == 1 && back.awaited == nil)
    let tight = back.early?.tight.first
    #expect(tight != nil && back.awaited === tight && back.watched === tight)
    Self.cut(back.early, document.root.early)
  }
}
