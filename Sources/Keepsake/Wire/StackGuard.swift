#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tells whether the stack of the current thread has room for further recursion.
///
/// It only compares addresses: nothing is read or written through them.
struct StackGuard {
  /// What must be left for a few more levels of user code, until the next look is taken.
  static let reserve: UInt = 128 << 10
  /// What must be left when an error is already being described.
  static let lastReserve: UInt = 48 << 10

  private var thread: UInt = 0
  private var lowest: UInt = 0

  /// Whether more than `reserve` bytes are left. The first call on a thread asks the system where its stack
  /// ends.
  mutating func hasRoom(_ reserve: UInt = StackGuard.reserve) -> Bool {
    var marker: UInt8 = 0
    let here = unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
    let current = currentThread()
    if current != thread {
      thread = current
      lowest = lowestStackAddress() ?? 0
    }
    return here > lowest &+ reserve
  }

  private func currentThread() -> UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Where the stack of the current thread ends, or `nil` where the system does not tell.
  private func lowestStackAddress() -> UInt? {
    #if canImport(Darwin)
      let top = unsafe UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
      return top - UInt(pthread_get_stacksize_np(pthread_self()))
    #else
      guard let threadAttributes = unsafe Self.threadAttributes else { return nil }
      var attributes = pthread_attr_t()
      guard unsafe threadAttributes(pthread_self(), &attributes) == 0 else { return nil }
      defer { unsafe pthread_attr_destroy(&attributes) }
      var address: UnsafeMutableRawPointer?
      var size = 0
      guard unsafe pthread_attr_getstack(&attributes, &address, &size) == 0 else { return nil }
      return UInt(bitPattern: address)
    #endif
  }

  #if !canImport(Darwin)
    private typealias ThreadAttributes =
      @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// `pthread_getattr_np`, an extension of the C library that its Swift module does not show.
    private static let threadAttributes: ThreadAttributes? = {
      guard let symbol = unsafe dlsym(nil, "pthread_getattr_np") else { return nil }
      // The signature is that of the manual page, the same in glibc and musl.
      return unsafe unsafeBitCast(symbol, to: ThreadAttributes.self)
    }()
  #endif
}
