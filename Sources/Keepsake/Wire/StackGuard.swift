internal import CKeepsake

/// Checks whether the current stack has room for further recursion.
///
/// It only compares addresses. It asks for the bounds of a stack when an address is outside the stack that it asked for
/// last. All other checks are a few comparisons, so every level can afford one.
struct StackGuard {
  /// The bytes that must be left for a level of user code and all that it calls, until the next check.
  static let reserve: UInt = 128 << 10
  /// The bytes that must be left to begin a collection, so that it moves to a larger stack as a whole.
  static let collectionReserve: UInt = 160 << 10
  /// The bytes that must be left to describe an error.
  static let lastReserve: UInt = 48 << 10
  /// The most that is added for large values, so that the largest, too, have room on a stack of the library's own.
  private static let mostForValues: UInt = 4 << 20

  /// The bounds of the last stack. Before the first check, they contain no address.
  private var lowest = UInt.max
  private var highest: UInt = 0

  /// Whether more than `reserve` bytes are left.
  ///
  /// An address within the known bounds counts as part of that stack. So each entry into a session begins with a new
  /// guard: by then, another thread may have a stack where an old one was.
  @inline(__always)
  mutating func hasRoom(_ reserve: UInt = StackGuard.reserve) -> Bool {
    let here = keepsake_current_frame()
    if here < highest, here > lowest, here &- lowest > reserve { return true }
    return lookAgain(here, reserve)
  }

  /// Whether more than `reserve` bytes are left besides those for values of `type`, of which code that is not optimized
  /// copies many to the stack.
  @inline(__always)
  mutating func hasRoom<Value>(_ reserve: UInt = StackGuard.reserve, holding type: Value.Type) -> Bool {
    hasRoom(reserve &+ min(UInt(bitPattern: MemoryLayout<Value>.size &<< 4), StackGuard.mostForValues))
  }

  /// This is another stack, or the end of the known one.
  @inline(never)
  private mutating func lookAgain(_ here: UInt, _ reserve: UInt) -> Bool {
    let stack = keepsake_stack_around(here)
    // If the system does not tell, or other code made this stack, its end is unknown.
    guard here < stack.end, here > stack.lowest else { return true }
    lowest = stack.lowest
    highest = stack.end
    return here &- lowest > reserve
  }
}
