import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Keepsake
import CKeepsake

/// Runs `body` on a new stack.
private func onLargerStack<Value>(_ body: () throws -> Value) throws -> Value { try LargerStack().run(body) }

/// Before the stack ends, recursion continues on a larger one.
@Suite struct LargerStacks {
  static let levels = 200_000

  /// The depth that was reached by recursion that uses some stack on each level, and hops if there is no room.
  private static func descend(_ levels: Int, _ guarding: inout StackGuard, _ hops: inout Int) throws -> Int {
    guard levels > 0 else { return 0 }
    guard guarding.hasRoom() else {
      hops += 1
      return try onLargerStack { try descend(levels, &guarding, &hops) }
    }
    // The addition after the call prevents a tail call.
    return try descend(levels - 1, &guarding, &hops) + 1
  }

  private static func descend() throws -> (depth: Int, hops: Int) {
    var guarding = StackGuard()
    var hops = 0
    let depth = try descend(levels, &guarding, &hops)
    return (depth, hops)
  }

  @Test("a larger stack returns a result")
  func result() throws {
    let text = "from here"
    #expect(try onLargerStack { text + " and back" } == "from here and back")
    #expect(try onLargerStack { nil as Int? } == nil)
    try onLargerStack {}
  }

  @Test("a larger stack passes an error on")
  func error() {
    #expect(throws: Refusal(reason: "no")) { try onLargerStack { throw Refusal(reason: "no") } }
  }

  @Test("the body runs once, on the calling thread, and on another stack")
  func sameThread() throws {
    let here = (thread: ObjectIdentifier(Thread.current), address: keepsake_current_frame())
    var found: [(thread: ObjectIdentifier, address: UInt)] = []
    try onLargerStack { found.append((ObjectIdentifier(Thread.current), keepsake_current_frame())) }
    #expect(found.map(\.thread) == [here.thread])
    #expect(found.allSatisfy { max($0.address, here.address) - min($0.address, here.address) > 64 << 10 })
  }

  @Test("task-local values and a held recursive lock are visible on a larger stack")
  func callersState() throws {
    let lock = NSRecursiveLock()
    try lock.withLock {
      try TaskWord.$word.withValue("said") {
        let found = try onLargerStack {
          let isMine = lock.try()
          if isMine { lock.unlock() }
          return (TaskWord.word, isMine)
        }
        #expect(found.0 == "said" && found.1)
        // A value that is bound there is gone afterwards.
        #expect(try onLargerStack { TaskWord.$word.withValue("inside") { TaskWord.word } } == "inside")
        #expect(TaskWord.word == "said")
      }
    }
  }

  @Test("the main actor keeps its isolation on a larger stack")
  func mainActor() async throws {
    let values = try await MainActor.run { try onLargerStack { MainActor.assumeIsolated { 7 } } }
    #expect(values == 7)
  }

  @Test("an actor keeps its isolation on a larger stack")
  func actor() async throws {
    actor Counter {
      var count = 0
      func add() throws { try onLargerStack { assumeIsolated { $0.count += 1 } } }
    }
    let counter = Counter()
    for _ in 0..<3 { try await counter.add() }
    #expect(await counter.count == 3)
  }

  @Test("unwinding passes through a larger stack to the same callers")
  func unwinding() throws {
    @inline(never) func addresses() -> [NSNumber] { Thread.callStackReturnAddresses }
    let outside = addresses()
    let inside = try onLargerStack { try onLargerStack { addresses() } }
    // The first addresses are of this function and those that it calls.
    #expect(inside.count > outside.count && outside.count > 5)
    #expect(inside.suffix(outside.count - 3) == outside.suffix(outside.count - 3))
  }

  @Test("the body and its captures are released when the call returns, also after an error")
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

  @Test("hops can be nested")
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

  @Test("2,000 hops in turn return their results")
  func repeated() throws {
    for number in 0..<2_000 { #expect(try onLargerStack { number } == number) }
  }

  @Test("a larger stack has the stated size, up to the reserve")
  func size() throws {
    try onLargerStack {
      var guarding = StackGuard()
      let rooms = [
        guarding.hasRoom(UInt(Int.bitWidth > 32 ? 60 << 20 : 15 << 20)), guarding.hasRoom(64 << 20),
      ]
      #expect(rooms == [true, false])
    }
  }

  @Test("deep recursion works on a thread of 512 KB")
  func smallThread() throws {
    let reached = try onThread(stackSize: 512 << 10) { try Self.descend() }
    #expect(reached.depth == Self.levels)
    #expect(reached.hops > 0)
  }

  @Test("deep recursion works on the main thread")
  func mainThread() async throws {
    let reached = try await MainActor.run { try Self.descend() }
    #expect(reached.depth == Self.levels)
  }

  @Test("deep recursion works in a task")
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

  @Test("an archiver that is called near the end of a larger stack gets another one")
  func archiverInside() throws {
    /// Archives nested values where less than 200 KB are left.
    func descend(_ guarding: inout StackGuard) throws -> Int {
      guard !guarding.hasRoom(200 << 10) else { return try descend(&guarding) + 1 }
      let levels = try Nested.levels(3_000) {
        try ArchiveDecoder().decode(Nested.self, from: ArchiveEncoder().encode($0))
      }
      #expect(levels == 3_000)
      return 0
    }
    let depth = try onLargerStack {
      var guarding = StackGuard()
      return try descend(&guarding)
    }
    #expect(depth > 1_000)
    // Once more on a stack that is in use, with an error that returns from it.
    try onLargerStack {
      #expect(throws: Refusal.self) { try onLargerStack { throw Refusal(reason: "inside") } }
      let seven = try onLargerStack { 7 }
      #expect(seven == 7)
    }
  }

  @Test("repeated hops reuse a larger stack, which is released at the end of the call")
  func spare() throws {
    final class User: DeepRecursion {
      var stack = RecursionStack()
    }
    let user = User()
    try user.onLargerStack {}
    let stack = try #require(user.stack.spare)
    for _ in 0..<100 {
      // A stack in use is not given out again.
      try user.onLargerStack {
        #expect(user.stack.spare == nil)
        try user.onLargerStack { #expect(user.stack.spare == nil) }
      }
      #expect(throws: Refusal.self) { try user.onLargerStack { throw Refusal(reason: "again") } }
    }
    #expect(user.stack.spare === stack)

    let levels = try onThread(stackSize: 512 << 10) {
      try Nested.levels(3_000) { nested in
        let encoding = EncodingSession(userInfo: [:], hidesRootKey: false)
        try encoding.encode(nested, forKey: ArchiveCodingKey(stringValue: "root"))
        #expect(encoding.stack.spare == nil)
        let unarchiver = try KeyedUnarchiver(forReadingFrom: ArchiveEncoder().encode(nested))
        let decoding = try unarchiver.valueDecoder.session
        defer { #expect(decoding.stack.spare == nil) }
        return try unarchiver.decode(Nested.self, forKey: "root")
      }
    }
    #expect(levels == 3_000)
  }

  @Test("many threads can hop at once")
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

/// The room that the guard finds on the stack.
@Suite struct StackGuards {
  @Test("a fresh thread has as much room as its stack, and no more")
  func fresh() throws {
    try onThread(stackSize: 512 << 10) {
      var guarding = StackGuard()
      // A refusal does not affect later requests. The system may give a thread a stack several times as large as
      // requested.
      let reserves = [StackGuard.reserve, StackGuard.lastReserve, 256 << 10, 32 << 20, StackGuard.reserve]
      let rooms = reserves.map { guarding.hasRoom($0) }
      #expect(rooms == [true, true, true, false, true])
    }
  }

  @Test("a guard measures the stack that it is on, also after visiting others")
  func moved() throws {
    try onThread(stackSize: 512 << 10) {
      var guarding = StackGuard()
      for _ in 0..<20 {
        var rooms = [guarding.hasRoom(32 << 20)]
        try onLargerStack {
          rooms.append(guarding.hasRoom(32 << 20))
          rooms.append(try onLargerStack { guarding.hasRoom(63 << 20) })
          rooms.append(guarding.hasRoom(63 << 20))
        }
        rooms.append(guarding.hasRoom(32 << 20))
        #expect(rooms == [false, true, true, true, false])
      }
    }
  }

  @Test("a guard measures the stack of each thread that it is passed to")
  func handedOver() throws {
    var guarding = StackGuard()
    for _ in 0..<20 {
      let (inner, outer) = try onThread(stackSize: 512 << 10) { [guarding] in
        var guarding = guarding
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

private enum TaskWord {
  @TaskLocal static var word = ""
}

/// Nested values, without a class.
private struct Nested: Codable {
  private var inner: [Nested] = []

  /// The number of levels that come back, of `count`.
  static func levels(_ count: Int, through copy: (Nested) throws -> Nested) rethrows -> Int {
    var nested = (0..<count).reduce(Nested()) { nested, _ in Nested(inner: [nested]) }
    defer { nested.takeApart() }
    var back = try copy(nested)
    return back.takeApart()
  }

  /// Releases the levels one by one, which takes no stack, and counts them.
  @discardableResult
  private mutating func takeApart() -> Int {
    var count = 0
    while let next = inner.first { (count, self) = (count + 1, next) }
    return count
  }
}
