import Synchronization

/// How many objects of the random graphs there are. After a graph was let go of it is as before; more is a leak.
public enum LiveObjects {
  private static let counter = Atomic<Int>(0)
  private static let total = Atomic<Int>(0)

  /// The objects that live now, in all threads.
  public static var count: Int { counter.load(ordering: .sequentiallyConsistent) }

  /// The objects that ever were made.
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
