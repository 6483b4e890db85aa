internal import CKeepsake

/// A second stack for a thread, for recursion that has no room on the first.
///
/// Code on it still runs on the calling thread: only the addresses of its frames differ. So user code finds its
/// actor, its task-local and thread-local values, and the locks that it holds.
final class LargerStack {
  /// The size, in bytes of address space. The recursion takes memory as it goes deeper, and gives it back at the end.
  private static let size = 64 << 20

  private let bounds: KeepsakeStackBounds

  init() throws(ArchiveError) {
    guard keepsake_can_call_on_stack() else {
      throw LargerStack.missing("this processor has no larger one")
    }
    let stack = keepsake_make_stack(LargerStack.size)
    guard stack.error == 0 else {
      throw LargerStack.missing("the system has no memory for a larger one (error \(stack.error))")
    }
    bounds = stack.bounds
  }

  deinit { keepsake_free_stack(bounds) }

  private static func missing(_ reason: String) -> ArchiveError {
    ArchiveError.limitExceeded(
      "The values are nested too deep for the stack of this thread, and \(reason). "
        + "Use a thread with a larger stack"
    )
  }

  /// Calls `body` on this stack, which must not be in use. Calls on different stacks can nest to any depth.
  @inline(never)
  func run<Value>(_ body: () throws -> Value) throws -> Value {
    var outcome: Result<Value, any Error>?
    // The closure does not escape: the call returns before this function does.
    withoutActuallyEscaping({ outcome = Result { try body() } }) { (work: @escaping () -> Void) in
      var work = work
      // The pointer is to a variable that lives until the call returns, and is read as the type that it was made from.
      // This object owns the memory within the bounds.
      unsafe withUnsafeMutablePointer(to: &work) { work in
        unsafe keepsake_call_on_stack(bounds, work) { work in
          unsafe work?.assumingMemoryBound(to: (() -> Void).self).pointee()
        }
      }
    }
    guard let outcome else { throw LargerStack.missing("the call on another one did not take place") }
    return try outcome.get()
  }
}

/// The stack on which values are coded.
struct RecursionStack {
  var bounds = StackGuard()
  /// An idle stack, so that a loop near the end of the stack does not make a new one each time. It holds the memory
  /// that it has used, so it is kept no longer than a call.
  var spare: LargerStack?
}

/// Code that recurses as deep as values are nested, and continues on a larger stack where its stack ends.
protocol DeepRecursion: AnyObject {
  var stack: RecursionStack { get set }

  /// The error to throw if there is no larger stack, for the reason that `error` gives.
  func noLargerStack(_ error: ArchiveError) -> any Error
}

extension DeepRecursion {
  /// Runs `body` on a larger stack, then continues on this one.
  @inline(never)
  func onLargerStack<Value>(_ body: () throws -> Value) throws -> Value {
    let larger: LargerStack
    do throws(ArchiveError) {
      larger = if let spare = stack.spare.take() { spare } else { try LargerStack() }
    } catch { throw noLargerStack(error) }
    let outer = stack.bounds
    defer { stack = RecursionStack(bounds: outer, spare: larger) }
    return try larger.run(body)
  }

  func noLargerStack(_ error: ArchiveError) -> any Error { error }
}
