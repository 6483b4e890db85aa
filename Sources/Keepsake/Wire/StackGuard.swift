internal import KeepsakeStack

/// Tells whether the stack that the code runs on has room for further recursion.
///
/// It only compares addresses. Where the stack begins and ends is asked when a look finds an address that is not in the
/// stack asked for last; after that a look is two comparisons, so that it can be taken at each level.
struct StackGuard {
  /// What must be left for a level of user code and all that it calls, until the next check.
  static let reserve: UInt = 128 << 10
  /// What must be left before a collection is begun, so that it goes to a larger stack as a whole.
  static let collectionReserve: UInt = 160 << 10
  /// What must be left when an error is already being described.
  static let lastReserve: UInt = 48 << 10

  /// The stack of the last look. No address is in it before the first.
  private var lowest = UInt.max
  private var highest: UInt = 0

  /// Whether more than `reserve` bytes are left.
  ///
  /// An address within the stack that is known is taken for one of that stack. So where a session is entered, it begins
  /// with a new guard: by then another thread may have a stack where one was that is gone.
  @inline(__always)
  mutating func hasRoom(_ reserve: UInt = StackGuard.reserve) -> Bool {
    let here = keepsake_current_frame()
    if here < highest, here > lowest, here &- lowest > reserve { return true }
    return lookAgain(here, reserve)
  }

  /// Another stack, or really the end.
  @inline(never)
  private mutating func lookAgain(_ here: UInt, _ reserve: UInt) -> Bool {
    let stack = keepsake_stack_around(here)
    // Where the system does not tell, or on a stack that other code has made, nothing can be said.
    guard here < stack.end, here > stack.lowest else { return true }
    lowest = stack.lowest
    highest = stack.end
    return here &- lowest > reserve
  }
}
