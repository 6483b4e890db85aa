internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tells whether the stack of the current thread has room for further recursion.
///
/// It only compares addresses: nothing is read or written through them. Where the stack begins and ends is asked once;
/// after that a look is two comparisons, so that it can be taken at each level.
struct StackGuard {
  /// What must be left for a level of user code and all that it calls, until the next look is taken.
  static let reserve: UInt = 128 << 10
  /// What must be left before a collection is begun, so that it goes to a larger stack as a whole and not element
  /// by element.
  static let collectionReserve: UInt = 160 << 10
  /// What must be left when an error is already being described.
  static let lastReserve: UInt = 48 << 10

  /// The stack that was asked for last, and its thread. No address is in it as long as none was.
  private var lowest = UInt.max
  private var highest: UInt = 0
  private var thread: UInt = 0

  /// Whether more than `reserve` bytes are left.
  ///
  /// An address within the stack that is known is taken for one of that stack, so the guard must be told with
  /// ``checkThread()`` when that may be another thread's: memory of a stack may become part of another one.
  @inline(__always)
  mutating func hasRoom(_ reserve: UInt = StackGuard.reserve) -> Bool {
    let here = StackGuard.currentAddress()
    if here < highest, here > lowest, here &- lowest > reserve { return true }
    return lookAgain(here, reserve)
  }

  /// Forgets the stack that is known if it is another thread's. To be called where a session is entered.
  mutating func checkThread() {
    if currentThread() != thread { self = StackGuard() }
  }

  /// Another thread, or really the end.
  @inline(never)
  private mutating func lookAgain(_ here: UInt, _ reserve: UInt) -> Bool {
    let current = currentThread()
    if current != thread || here < lowest || here >= highest {
      // Where the system does not tell, or the code runs on a stack that is not that of its thread (of a coroutine, or
      // of an address sanitizer), nothing can be said, and nothing is remembered.
      guard let stack = currentStack(), stack.contains(here) else { return true }
      lowest = stack.lowerBound
      highest = stack.upperBound
      thread = current
    }
    return here &- lowest > reserve
  }

  /// An address in the frame of the caller, more or less.
  @inline(__always)
  private static func currentAddress() -> UInt {
    var marker: UInt8 = 0
    // The pointer becomes a number at once.
    return unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
  }

  private func currentThread() -> UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      // An opaque pointer, which becomes a number.
      unsafe UInt(bitPattern: pthread_self())
    #endif
  }

  /// From where to where the stack of the current thread goes, or `nil` where the system does not tell.
  private func currentStack() -> Range<UInt>? {
    #if canImport(Darwin)
      // Both are about this thread, which is there.
      let top = unsafe UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
      let size = unsafe UInt(pthread_get_stacksize_np(pthread_self()))
      return top > size ? top - size..<top : nil
    #else
      let isMainThread = Self.threadNumber.map { $0() } == getpid()
      if isMainThread, let stack = Self.mainStack.withLock({ $0 }) { return stack }
      guard let threadAttributes = unsafe Self.threadAttributes else { return nil }
      // The call initializes the attributes; they are this function's own, and destroyed at its end.
      var attributes = pthread_attr_t()
      guard unsafe threadAttributes(pthread_self(), &attributes) == 0 else { return nil }
      defer { _ = unsafe pthread_attr_destroy(&attributes) }
      var address: UnsafeMutableRawPointer?
      var size = 0
      guard unsafe pthread_attr_getstack(&attributes, &address, &size) == 0 else { return nil }
      let bottom = UInt(bitPattern: address)
      let (top, overflow) = bottom.addingReportingOverflow(UInt(bitPattern: size))
      guard !overflow, bottom < top else { return nil }
      if isMainThread { Self.mainStack.withLock { $0 = bottom..<top } }
      return bottom..<top
    #endif
  }

  #if !canImport(Darwin)
    /// The stack of the main thread, which never becomes another's. To find it, the C library reads a file of the
    /// kernel, which takes longer than to read a small archive.
    private static let mainStack = Mutex<Range<UInt>?>(nil)

    private typealias ThreadAttributes =
      @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// `gettid`, which the Swift module of the C library does not show. The number of the main thread is that of the
    /// process.
    private static let threadNumber: (@convention(c) () -> pid_t)? = {
      guard let symbol = unsafe dlsym(nil, "gettid") else { return nil }
      // The signature is that of the manual page, the same in glibc and musl.
      return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    }()

    /// `pthread_getattr_np`, an extension of the C library that its Swift module does not show.
    private static let threadAttributes: ThreadAttributes? = {
      guard let symbol = unsafe dlsym(nil, "pthread_getattr_np") else { return nil }
      // The signature is that of the manual page, the same in glibc and musl.
      return unsafe unsafeBitCast(symbol, to: ThreadAttributes.self)
    }()
  #endif
}
