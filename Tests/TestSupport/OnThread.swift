import Foundation
import Synchronization
import Testing

/// Runs the body on a thread of its own and waits for what it gives.
package func onThread<Result: Sendable>(
  stackSize: Int,
  _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let outcome = Outcome<Result>()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let result = Swift.Result { try body() }
    outcome.result.withLock { $0 = result }
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  done.wait()
  return try #require(outcome.result.withLock { $0 }).get()
}

private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
}
