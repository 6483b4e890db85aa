internal import Dispatch
internal import Synchronization

/// Keeps saves of one file in the order of their calls while some of them run in the background. Each such file has a
/// queue, for which a synchronous save waits. The spelling of the path does not matter.
final class SaveOrder: Sendable {
  static let shared = SaveOrder()

  private struct File: Hashable {
    let folder: FileIdentity
    let name: String

    init?(_ target: SaveTarget) {
      guard let folder = try? target.folder.status().identity else { return nil }
      (self.folder, name) = (folder, target.name)
    }
  }

  private struct Line {
    let queue: DispatchQueue
    var waiting: Int
  }

  private let lines = Mutex<[File: Line]>([:])
  /// Set on every queue of this kind.
  private let isOwnQueue = DispatchSpecificKey<Bool>()

  /// Runs `work` on another thread after all earlier work for the same file.
  func enqueue(_ target: SaveTarget, _ work: @escaping @Sendable () -> Void) {
    guard let file = File(target) else { return DispatchQueue.global().async(execute: work) }
    let queue = lines.withLock { lines in
      if lines[file] == nil {
        let queue = DispatchQueue(label: "keepsake.save")
        queue.setSpecific(key: isOwnQueue, value: true)
        lines[file] = Line(queue: queue, waiting: 0)
      }
      lines[file]?.waiting += 1
      return lines[file]?.queue
    }
    queue?.async {
      work()
      self.lines.withLock { lines in
        lines[file]?.waiting -= 1
        if lines[file]?.waiting == 0 { lines[file] = nil }
      }
    }
  }

  /// Waits until all earlier background saves of the file are done.
  ///
  /// - Returns: whether there may have been any.
  func wait(for target: SaveTarget) -> Bool {
    // Code that a save in the background calls must not wait for that save.
    guard DispatchQueue.getSpecific(key: isOwnQueue) == nil, let file = File(target),
      let queue = lines.withLock({ $0[file]?.queue })
    else { return false }
    queue.sync {}
    return true
  }
}
