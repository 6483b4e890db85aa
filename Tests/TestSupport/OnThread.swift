import Foundation
import Synchronization
import Testing

/// Runs the body on a new thread, and waits for its result.
package func onThread<Result: Sendable>(
  stackSize: Int,
  _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let work = Work(body)
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    work.run()
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  done.wait()
  return try #require(work.finish()).get()
}

/// The work of the thread. The thread releases nothing itself: releasing a deep value recurses, and its stack may be
/// too small.
private final class Work<Value: Sendable>: Sendable {
  private let body: Mutex<(@Sendable () throws -> Value)?>
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) { self.body = Mutex(body) }

  func run() {
    guard let body = body.withLock({ $0 }) else { return }
    let value = Result { try body() }
    result.withLock { $0 = value }
  }

  /// The result, once the body has run. Releases both.
  func finish() -> Result<Value, any Error>? {
    body.withLock { $0 = nil }
    return result.withLock { $0.take() }
  }
}

/// A value that is not `Sendable`, for threads and tasks of a test. This is safe if they only read it, including lazy
/// values, or use it one after another.
package struct SharedValue<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
