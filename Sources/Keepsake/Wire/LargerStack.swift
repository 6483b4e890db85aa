internal import KeepsakeStack

/// A stack beside that of the thread, for recursion that has no room there.
///
/// What runs on it runs on the thread that called: only the address at which frames are made is another one. So the code
/// of users finds its actor, its task-local and thread-local values and the locks that it holds.
final class LargerStack {
  /// How large it is. It is address space: memory is used as far as the recursion goes, and given back at the end.
  private static let size = Int.bitWidth > 32 ? 64 << 20 : 16 << 20

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

  /// Calls `body` on this stack, which must not be in use. Calls on different stacks may be in each other to any depth.
  @inline(never)
  func run<Value>(_ body: () throws -> Value) throws -> Value {
    var outcome: Result<Value, any Error>?
    // The closure does not escape: the call has returned when this does.
    withoutActuallyEscaping({ outcome = Result { try body() } }) { (work: @escaping () -> Void) in
      var work = work
      // The pointer is to a variable that lives until the call returns, and is read as what it was made from. The bounds
      // are those of memory that this object owns.
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
  /// A stack that is not in use: what needs one again and again, a loop near the end of the stack, does not have to make
  /// it each time. The memory that it has used is given back with it, so it is not kept for longer than a call.
  var spare: LargerStack?
}

/// What recurses as deep as values are nested, and continues on a larger stack where one ends.
protocol DeepRecursion: AnyObject {
  var stack: RecursionStack { get set }

  /// What is thrown where there is no larger stack, for the reason that `error` gives.
  func noLargerStack(_ error: ArchiveError) -> any Error
}

extension DeepRecursion {
  /// Runs `body` on a larger stack, and continues on this one.
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
