import Foundation
import Synchronization
import Testing

@testable import Keepsake

/// Where the stack would end, recursion goes on on a thread with a larger one.
@Suite struct LargerStacks {
  static let levels = 200_000

  /// The depth that was reached, by recursion that uses some stack on each level and hops where there is no room.
  private static func descend(_ levels: Int, _ guarding: inout StackGuard, _ hops: inout Int) throws -> Int {
    guard levels > 0 else { return 0 }
    guard guarding.hasRoom() else {
      hops += 1
      return try onLargerStack { try descend(levels, &guarding, &hops) }
    }
    // What is added after the call keeps it from being a jump.
    return try descend(levels - 1, &guarding, &hops) + 1
  }

  private static func descend() throws -> (depth: Int, hops: Int) {
    var guarding = StackGuard()
    var hops = 0
    let depth = try descend(levels, &guarding, &hops)
    return (depth, hops)
  }

  @Test("a result comes back")
  func result() throws {
    let text = "from here"
    #expect(try onLargerStack { text + " and back" } == "from here and back")
    #expect(try onLargerStack { nil as Int? } == nil)
    try onLargerStack {}
  }

  @Test("an error comes back")
  func error() {
    #expect(throws: Refusal(reason: "no")) { try onLargerStack { throw Refusal(reason: "no") } }
  }

  @Test("the body runs once, on another thread, and what it wrote is seen")
  func elsewhere() throws {
    let here = ObjectIdentifier(Thread.current)
    var threads: [ObjectIdentifier] = []
    try onLargerStack { threads.append(ObjectIdentifier(Thread.current)) }
    #expect(threads.count == 1 && threads[0] != here)
  }

  @Test("the body and what it holds are gone when the call returns, also after an error")
  func released() throws {
    final class Item {
      let name: String
      init(_ name: String) { self.name = name }
    }
    weak var kept: Item?
    do {
      let item = Item("held")
      kept = item
      #expect(try onLargerStack { item.name } == "held")
      #expect(throws: Refusal.self) { try onLargerStack { throw Refusal(reason: item.name) } }
    }
    #expect(kept == nil)
  }

  @Test("hops within hops")
  func nested() throws {
    func hop(_ count: Int) throws -> Int {
      count == 0 ? 0 : try onLargerStack { try hop(count - 1) + 1 }
    }
    #expect(try hop(50) == 50)
    func fail(_ count: Int) throws -> Int {
      guard count > 0 else { throw Refusal(reason: "deep") }
      return try onLargerStack { try fail(count - 1) }
    }
    #expect(throws: Refusal(reason: "deep")) { try fail(50) }
  }

  @Test("hops one after the other give their memory back")
  func repeated() throws {
    for number in 0..<2_000 { #expect(try onLargerStack { number } == number) }
  }

  @Test("the larger stack is as large as is said, up to the reserve")
  func size() throws {
    try onLargerStack {
      var guarding = StackGuard()
      let rooms = [
        guarding.hasRoom(UInt(Int.bitWidth > 32 ? 60 << 20 : 15 << 20)), guarding.hasRoom(65 << 20),
      ]
      #expect(rooms == [true, false])
    }
  }

  @Test("recursion on a thread of 512 KB")
  func smallThread() throws {
    let reached = try onThread(stackSize: 512 << 10) { try Self.descend() }
    #expect(reached.depth == Self.levels)
    #expect(reached.hops > 0)
  }

  @Test("recursion on the main thread")
  func mainThread() async throws {
    let reached = try await MainActor.run { try Self.descend() }
    #expect(reached.depth == Self.levels)
  }

  @Test("recursion in a task")
  func task() async throws {
    let reached = try await Task.detached { try Self.descend() }.value
    #expect(reached.depth == Self.levels)
  }

  @Test("an error from the deepest level passes all hops")
  func deepError() throws {
    @Sendable func fail(_ levels: Int, _ guarding: inout StackGuard) throws -> Int {
      guard levels > 0 else { throw Refusal(reason: "bottom") }
      guard guarding.hasRoom() else { return try onLargerStack { try fail(levels, &guarding) } }
      return try fail(levels - 1, &guarding) + 1
    }
    let found = try onThread(stackSize: 512 << 10) {
      var guarding = StackGuard()
      do { return "\(try fail(Self.levels, &guarding))" } catch { return "\(error)" }
    }
    #expect(found == "\(Refusal(reason: "bottom"))")
  }

  @Test("many threads at once")
  func manyThreads() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<32 {
        group.addTask {
          try onThread(stackSize: 512 << 10) {
            var guarding = StackGuard()
            var hops = 0
            return try Self.descend(20_000 + number, &guarding, &hops) - number
          }
        }
      }
      for try await depth in group { #expect(depth == 20_000) }
    }
  }
}

/// How much room the guard finds on the stack.
@Suite struct StackGuards {
  @Test("there is room on a fresh thread, as much as it has and no more")
  func fresh() throws {
    try onThread(stackSize: 512 << 10) {
      var guarding = StackGuard()
      // A refusal does not spoil what follows. The system may give a thread a stack some times as large as asked for.
      let reserves = [StackGuard.reserve, StackGuard.lastReserve, 256 << 10, 32 << 20, StackGuard.reserve]
      let rooms = reserves.map { guarding.hasRoom($0) }
      #expect(rooms == [true, true, true, false, true])
    }
  }

  @Test("a guard that was moved to another thread measures the stack of that one, and back again")
  func moved() throws {
    var guarding = StackGuard()
    var rooms = [guarding.hasRoom()]
    #expect(rooms == [true])
    for _ in 0..<20 {
      guarding = try onThread(stackSize: 512 << 10) { [guarding] in
        var guarding = guarding
        let rooms = [guarding.hasRoom(), guarding.hasRoom(32 << 20)]
        #expect(rooms == [true, false])
        return guarding
      }
      // The thread is gone and may be any other's memory by now, which is what a session says on entry.
      guarding.checkThread()
      rooms = try [guarding.hasRoom(), onLargerStack { guarding.hasRoom(32 << 20) }]
      #expect(rooms == [true, true])
    }
  }

  @Test("two threads that live at the same time may hand one guard to and fro without a word")
  func handedOver() throws {
    var guarding = StackGuard()
    for _ in 0..<20 {
      let (inner, outer) = try onThread(stackSize: 512 << 10) { [guarding] in
        var guarding = guarding
        guarding.checkThread()
        var rooms = [guarding.hasRoom(), guarding.hasRoom(32 << 20)]
        try onLargerStack { rooms += [guarding.hasRoom(), guarding.hasRoom(32 << 20)] }
        rooms += [guarding.hasRoom(), guarding.hasRoom(32 << 20)]
        return (guarding, rooms)
      }
      #expect(outer == [true, false, true, true, true, false])
      guarding = inner
    }
  }

  @Test("deep recursion is refused before the stack ends")
  func refused() throws {
    @Sendable func descend(_ guarding: inout StackGuard) -> Int {
      guarding.hasRoom() ? descend(&guarding) + 1 : 0
    }
    for stackSize in [256 << 10, 512 << 10, 4 << 20] {
      let depth = try onThread(stackSize: stackSize) {
        var guarding = StackGuard()
        return descend(&guarding)
      }
      #expect(depth > 50)
    }
  }
}
