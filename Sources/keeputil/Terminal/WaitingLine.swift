import Synchronization

/// A line about work that cannot tell how far it is. Another thread shows it, if it comes to that before the work is done.
final class WaitingLine: Sendable {
  private enum State {
    case awaited, shown, over
  }

  private let text: String
  private let put: @Sendable (String) -> Void
  private let state = Mutex(State.awaited)

  /// - Parameter put: where it is shown.
  init(_ text: String, put: @escaping @Sendable (String) -> Void) {
    self.text = text
    self.put = put
  }

  func show() {
    state.withLock { state in
      guard state == .awaited else { return }
      state = .shown
      put("\r\(text)")
    }
  }

  /// Leaves the line as it was before. It is not shown any more.
  func erase() {
    state.withLock { state in
      if state == .shown { put("\r\(String(repeating: " ", count: text.count))\r") }
      state = .over
    }
  }
}
