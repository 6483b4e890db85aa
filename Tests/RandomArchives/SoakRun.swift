public import Foundation
import Synchronization

/// Random graphs in several threads, for a given time.
public final class SoakRun: Sendable {
  /// The totals so far.
  public struct Totals: Sendable {
    /// The number of graphs that came back equal.
    public var graphs = 0
    /// The number of archived objects.
    public var objects = 0
    /// The size of the archives.
    public var bytes = 0
    /// The number of threads that were started.
    public var threads = 0
    /// The first fault, at which all threads stop.
    public var fault: String?
  }

  private let seed: UInt64
  private let folder: URL
  private let totals = Mutex(Totals())

  /// A run whose graphs are determined by a seed, with a folder for files.
  public init(seed: UInt64, folder: URL) {
    self.seed = seed
    self.folder = folder
  }

  /// The totals so far.
  public var state: Totals { totals.withLock { $0 } }

  /// Runs graphs in `threads` threads until the time is over or there is a fault, and returns when all have ended. Each
  /// call runs other graphs.
  public func run(threads: Int, until end: ContinuousClock.Instant) {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      let thread = totals.withLock { totals in
        totals.threads += 1
        return totals.threads
      }
      Thread.detachNewThread {
        self.work(SplitMix.seed(self.seed, part: thread), until: end)
        ended.signal()
      }
    }
    for _ in 0..<threads { ended.wait() }
  }

  private func work(_ seed: UInt64, until end: ContinuousClock.Instant) {
    var number = 0
    // At least one, however slow the machine is.
    repeat {
      var graph = SoakGraph(seed: SplitMix.seed(seed, part: number), folder: folder)
      number += 1
      do {
        try graph.run()
        totals.withLock { totals in
          totals.graphs += 1
          totals.objects += graph.objects
          totals.bytes += graph.bytes
        }
      } catch {
        totals.withLock { totals in
          totals.fault = totals.fault ?? (error is SoakGraph.Fault ? "\(error)" : "\(graph): \(error)")
        }
      }
    } while ContinuousClock.now < end && state.fault == nil
  }
}
