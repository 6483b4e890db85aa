import Foundation

/// Clears up when a signal ends the tool in the middle of its work.
///
/// A thread waits for the signals, because within a signal handler hardly anything may be done.
struct Interruption {
  /// What a person at the keyboard, a system that shuts down and a terminal that is closed send.
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  private let awaited: sigset_t

  /// From here on the signals wait, in this thread and in those that it makes.
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

  /// Has `work` done when one of the signals comes, or has come; it ends the process then, as it would without us.
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

  /// Whether the parent process lets this one ignore the signal, as nohup does. Called while the
  /// signal waits: its default is in force for a moment.
  private static func isIgnored(_ number: Int32) -> Bool {
    let handler = signal(number, SIG_DFL)
    // Unsafe: only compared, by its address.
    guard unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else {
      return false
    }
    signal(number, SIG_IGN)
    return true
  }
}
