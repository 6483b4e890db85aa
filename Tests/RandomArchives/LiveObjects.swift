import Synchronization

/// The number of live objects of random graphs. After a graph is released, it is as before; any more are a leak.
public enum LiveObjects {
  private static let counter = Atomic<Int>(0)
  private static let total = Atomic<Int>(0)

  /// The number of objects that are alive, in all threads.
  public static var count: Int { counter.load(ordering: .sequentiallyConsistent) }

  /// The number of objects that were ever made.
  public static var everMade: Int { total.load(ordering: .sequentiallyConsistent) }

  fileprivate static func change(by number: Int) {
    counter.add(number, ordering: .sequentiallyConsistent)
    if number > 0 { total.add(number, ordering: .relaxed) }
  }
}

/// A property of each object of a random graph, which lives as long as the object and is not archived.
final class LiveToken: Sendable {
  init() {
    LiveObjects.change(by: 1)
  }

  deinit {
    LiveObjects.change(by: -1)
  }
}
