import Foundation
import Keepsake

/// The context of user code deep in a graph: the thread, the task-local values, the locks and the actor of the caller.
struct DeepCaller: Sendable {
  @TaskLocal static var current: DeepCaller?

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// The actor to which the code is isolated, if any.
  enum Isolation: Sendable {
    case none, main, own(DeepActor)
  }

  private let thread = ObjectIdentifier(Thread.current)
  private let lock = NSRecursiveLock()
  private let isolation: Isolation

  /// Calls `body` with a task-local value set and a recursive lock held, which ``check()`` verifies.
  static func calling(_ isolation: Isolation, _ body: () -> String) -> String {
    let caller = DeepCaller(isolation: isolation)
    return caller.lock.withLock { $current.withValue(caller, operation: body) }
  }

  private init(isolation: Isolation) {
    self.isolation = isolation
  }

  /// Throws on another thread than the caller's, or without its context. Ends the program on another actor.
  static func check() throws {
    guard let caller = current else { throw Missing(description: "no task-local value") }
    let isSameThread = ObjectIdentifier(Thread.current) == caller.thread
    guard isSameThread else { throw Missing(description: "another thread") }
    guard caller.lock.try() else { throw Missing(description: "the lock is held by another thread") }
    caller.lock.unlock()
    switch caller.isolation {
    case .none: break
    case .main: MainActor.assumeIsolated {}
    case .own(let actor): actor.assumeIsolated { $0.visits += 1 }
    }
  }
}

actor DeepActor {
  var visits = 0

  func run(_ body: @Sendable (DeepActor) -> String) -> String { body(self) }
}

/// Objects that check their context at each level. Their decoding nests.
final class DeepCallerNode: DeepNode {
  var following: DeepCallerNode?

  init() {}

  private enum CodingKeys: CodingKey {
    case following
  }

  init(from decoder: any Decoder) throws {
    try DeepCaller.check()
    following = try decoder.container(keyedBy: CodingKeys.self)
      .decodeIfPresent(DeepCallerNode.self, forKey: .following)
    try DeepCaller.check()
  }

  func encode(to encoder: any Encoder) throws {
    try DeepCaller.check()
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(following, forKey: .following)
  }
}

/// Values that do the same, and whose encoding nests, too.
struct DeepCallerValue: Codable {
  private var inner: [DeepCallerValue] = []

  static func counted(_ count: Int, _ limits: ArchiveLimits) throws -> Int {
    var value = DeepCallerValue()
    for _ in 1..<count { value = DeepCallerValue(inner: [value]) }
    defer { takeApart(&value) }
    let data = try ArchiveEncoder().encode(value)
    var decoder = ArchiveDecoder()
    decoder.limits = limits
    var back = try decoder.decode(DeepCallerValue.self, from: data)
    return takeApart(&back)
  }

  @discardableResult
  private static func takeApart(_ value: inout DeepCallerValue) -> Int {
    var count = 1
    while let inner = value.inner.first {
      value = inner
      count += 1
    }
    return count
  }

  private init(inner: [DeepCallerValue] = []) {
    self.inner = inner
  }

  private enum CodingKeys: CodingKey {
    case inner
  }

  init(from decoder: any Decoder) throws {
    try DeepCaller.check()
    inner = try decoder.container(keyedBy: CodingKeys.self).decode([DeepCallerValue].self, forKey: .inner)
    try DeepCaller.check()
  }

  func encode(to encoder: any Encoder) throws {
    try DeepCaller.check()
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(inner, forKey: .inner)
    try DeepCaller.check()
  }
}

/// A type behind a protocol, with a conformance that only the main actor may use.
protocol DeepLink: AnyObject, Codable {
  var following: (any DeepLink)? { get set }
}

@MainActor final class DeepIsolatedItem: @MainActor DeepLink {
  @Polymorphic var following: (any DeepLink)?

  static func counted(_ count: Int, _ limits: ArchiveLimits) throws -> Int {
    let first = DeepIsolatedItem()
    var last = first
    for _ in 1..<count {
      let next = DeepIsolatedItem()
      last.following = next
      last = next
    }
    let data: Data = try KeyedArchiver.archivedData(withRootObject: first)
    let back = try KeyedUnarchiver.unarchive(DeepIsolatedItem.self, from: data, limits: limits)
    return takeApart(first) == count ? takeApart(back) : 0
  }

  private static func takeApart(_ first: any DeepLink) -> Int {
    var count = 0
    var item: (any DeepLink)? = first
    while let current = item {
      count += 1
      item = current.following
      current.following = nil
    }
    return count
  }
}
