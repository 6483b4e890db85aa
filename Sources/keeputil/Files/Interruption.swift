import Foundation

/// Removes temporary files when a signal ends the tool.
///
/// A thread waits for the signals, because a signal handler may call almost no functions.
struct Interruption {
  /// The signals of the keyboard, of a system that shuts down, and of a terminal that closes.
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  private let awaited: sigset_t

  /// Blocks the signals, in this thread and in those that it creates from now on.
  init() {
    var held = sigset_t()
    var awaited = sigset_t()
    unsafe sigemptyset(&held)
    unsafe sigemptyset(&awaited)
    for number in Interruption.signals { unsafe sigaddset(&held, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &held, nil)
    for number in Interruption.signals where !Interruption.isIgnored(number) {
      unsafe sigaddset(&awaited, number)
    }
    self.awaited = awaited
  }

  /// Calls `work` when one of the signals arrives or has arrived. Then the signal ends the process as usual.
  func clearUp(_ work: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [awaited] in
      var awaited = awaited
      var number: Int32 = 0
      guard unsafe sigwait(&awaited, &number) == 0 else { return }
      work()
      unsafe pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
      raise(number)
    }
  }

  /// Whether the parent process made this one ignore the signal, as nohup does. Call it while the signal is blocked,
  /// since it sets the default action for a moment.
  private static func isIgnored(_ number: Int32) -> Bool {
    let handler = signal(number, SIG_DFL)
    // Unsafe: the handler is only compared, by its address.
    guard unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else {
      return false
    }
    signal(number, SIG_IGN)
    return true
  }
}
