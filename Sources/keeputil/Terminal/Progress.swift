import Foundation
import Synchronization

/// The progress of a long piece of work: a line on standard error that is overwritten, and erased at the end.
final class Progress {
  enum Showing {
    /// After half a second, if standard error is a terminal.
    case whenUseful
    case always
    case never

    /// When to show progress while a command writes to `path`. On a terminal, the line would mix with the output.
    static func whileWriting(to path: String) -> Showing {
      path == "-" && isatty(STDOUT_FILENO) != 0 ? .never : .whenUseful
    }
  }

  private static let patience = Duration.milliseconds(500)
  /// More frequent updates would cost more than they are worth.
  static let usualPause = Duration.milliseconds(100)

  private let label: String
  private var isShown: Bool
  private let start = ContinuousClock.now
  private let patience: Duration
  private var lastShown: ContinuousClock.Instant?
  private var lastText = ""
  /// The shortest time for which a line stays.
  private let pause: Duration
  private let put: (String) -> Void

  /// - Parameter label: a name for the work, safe for a terminal.
  init(
    _ label: String,
    _ showing: Showing,
    pause: Duration = Progress.usualPause,
    put: @escaping (String) -> Void = Progress.putOnStandardError
  ) {
    self.label = label
    self.pause = pause
    self.put = put
    let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
    switch showing {
    case .whenUseful: isShown = isatty(STDERR_FILENO) != 0 && !isDumb
    case .always: isShown = true
    case .never: isShown = false
    }
    patience = showing == .always ? .zero : Progress.patience
  }

  /// Shows that `done` of `total` is done, if an update is due.
  func update(_ done: Int, of total: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    guard now - start >= patience else { return }
    if let lastShown, now - lastShown < pause { return }
    lastShown = now
    let percent = total > 0 ? Int((Double(min(max(done, 0), total)) / Double(total) * 100).rounded(.down)) : 0
    write("\(label) \(percent) %")
  }

  /// Clears the line, and shows nothing more afterwards.
  func finish() {
    isShown = false
    guard !lastText.isEmpty else { return }
    write("")
    put("\r")
  }

  /// Ends the progress if the output goes to a terminal, where the output itself shows the progress.
  func makeWay() {
    if isatty(STDOUT_FILENO) != 0 { finish() }
  }

  /// Calls `work`, which reports no progress. After half a second, the line names the work.
  func wait<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard isShown else { return try work() }
    let line = WaitingLine("\(label) …", put: Progress.putOnStandardError)
    DispatchQueue.global().asyncAfter(deadline: .now() + patience / .seconds(1)) { line.show() }
    defer { line.erase() }
    return try work()
  }

  private func write(_ text: String) {
    let blank = String(repeating: " ", count: max(0, columnCount(lastText) - columnCount(text)))
    put("\r" + text + blank)
    lastText = text
  }

  @Sendable private static func putOnStandardError(_ text: String) {
    // If the line cannot be written, the work continues.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}

/// A line about work that reports no progress. Another thread shows it unless the work ends earlier.
final class WaitingLine: Sendable {
  private enum State {
    case awaited, shown, over
  }

  private let text: String
  private let put: @Sendable (String) -> Void
  private let state = Mutex(State.awaited)

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

  /// Clears the line, and does not show it again.
  func erase() {
    state.withLock { state in
      if state == .shown { put("\r\(String(repeating: " ", count: columnCount(text)))\r") }
      state = .over
    }
  }
}
