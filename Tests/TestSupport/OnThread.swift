import Foundation
import Synchronization
import Testing

/// Runs the body on a thread of its own and waits for what it gives.
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

/// What the thread does. It lets go of nothing by itself: releasing a deep value recurses, for which its stack may be too
/// small.
private final class Work<Value: Sendable>: Sendable {
  private let body: Mutex<(@Sendable () throws -> Value)?>
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) { self.body = Mutex(body) }

  func run() {
    guard let body = body.withLock({ $0 }) else { return }
    let value = Result { try body() }
    result.withLock { $0 = value }
  }

  /// The result, once the body has run. Lets go of both.
  func finish() -> Result<Value, any Error>? {
    body.withLock { $0 = nil }
    return result.withLock { $0.take() }
  }
}

/// What threads and tasks of a test share that is not `Sendable`. Safe where they only read it, lazy values included, or
/// use it one after the other.
package struct SharedValue<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
