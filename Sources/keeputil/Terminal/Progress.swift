import Foundation

/// How far a long piece of work is: one line on standard error that is written over, and erased at the end.
///
/// It appears only where somebody can see it, and only when the work takes long.
final class Progress {
  enum Showing {
    /// If standard error is a terminal, and after half a second.
    case whenUseful
    case always
    case never
  }

  private static let patience = Duration.milliseconds(500)
  /// More often would cost more than it tells.
  static let usualPause = Duration.milliseconds(100)

  private let label: String
  private let isShown: Bool
  private let start = ContinuousClock.now
  private let patience: Duration
  private var lastShown: ContinuousClock.Instant?
  private var lastText = ""
  private let pause: Duration
  private let put: (String) -> Void

  /// - Parameters:
  ///   - label: what is being done, in safe characters.
  ///   - pause: how long a line stays at least.
  ///   - put: where it is shown.
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

  /// Shows that `done` of `total` is done, if it is time to.
  func update(_ done: Int, of total: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    guard now - start >= patience else { return }
    if let lastShown, now - lastShown < pause { return }
    lastShown = now
    let percent = total > 0 ? Int((Double(min(max(done, 0), total)) / Double(total) * 100).rounded(.down)) : 0
    write("\(label) \(percent) %")
  }

  /// Leaves the line as it was before.
  func finish() {
    guard !lastText.isEmpty else { return }
    write("")
    put("\r")
  }

  private func write(_ text: String) {
    let blank = String(repeating: " ", count: max(0, lastText.count - text.count))
    put("\r" + text + blank)
    lastText = text
  }

  private static func putOnStandardError(_ text: String) {
    // Where nobody can be told, the work goes on all the same.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
