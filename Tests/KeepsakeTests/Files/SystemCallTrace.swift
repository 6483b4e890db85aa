import Foundation
import TestSupport
import Testing

/// The output of strace for a command of `archive-probe` such as `marked-save`: only the library's system calls. Before
/// and after them, the probe looks for a file with the marker's name.
struct SystemCallTrace {
  static let marker = "\"/keepsake-marker\""

  struct Call: CustomStringConvertible, Sendable {
    let thread: String
    let name: String
    /// As strace prints them, with the path of each descriptor behind it.
    let arguments: String
    /// `nil` if the call did not return, or returned an address.
    let result: Int?
    let isInjected: Bool
    /// The number of this call among those of its name in its thread, which strace expects.
    let occurrence: Int

    var description: String { "\(name)(\(arguments)), number \(occurrence)" }
  }

  /// The calls between the markers, or up to the end if there is no second one.
  let calls: [Call]

  private init(_ text: String) throws {
    var counts: [String: Int] = [:]
    var calls: [Call] = []
    var markers = 0
    var begun: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      let (thread, rest) = Self.firstWord(line)
      var call = rest
      if let end = call.range(of: " <unfinished ...>") {
        begun[thread] = call[..<end.lowerBound]
        continue
      }
      if call.hasPrefix("<... "), let end = call.range(of: " resumed>") {
        // Joins the parts, as if no other thread had interrupted the line.
        call = "\(begun[thread] ?? "")\(call[end.upperBound...])"
      }
      guard let parsed = Self.parse(call, thread: thread, counts: &counts) else { continue }
      if parsed.arguments.contains(Self.marker) {
        markers += 1
      } else if markers == 1 {
        calls.append(parsed)
      }
    }
    try #require(markers > 0, "the probe did not come to the marker")
    self.calls = calls
  }

  private static func firstWord(_ line: Substring) -> (word: Substring, rest: Substring) {
    let word = line.prefix { $0 != " " }
    return (word, line[word.endIndex...].drop { $0 == " " })
  }

  /// "name(arguments) = result …"; `nil` for other lines, such as signals and exits.
  private static func parse(_ line: Substring, thread: Substring, counts: inout [String: Int]) -> Call? {
    guard let open = line.firstIndex(of: "("), let equals = line.range(of: " = ", options: .backwards),
      let close = line[..<equals.lowerBound].lastIndex(of: ")"), open < close
    else { return nil }
    let name = String(line[..<open])
    let result = line[equals.upperBound...].prefix { $0 == "-" || $0.isHexDigit || $0 == "x" }
    counts["\(thread) \(name)", default: 0] += 1
    return Call(
      thread: String(thread),
      name: name,
      arguments: String(line[line.index(after: open)..<close]),
      result: Int(result),
      isInjected: line.contains("(INJECTED)"),
      occurrence: counts["\(thread) \(name)", default: 0]
    )
  }

  // MARK: Recording

  /// A run of the probe, and its standard error.
  struct Run {
    let status: Int32
    let outcome: String
    let trace: SystemCallTrace
  }

  /// Runs the probe under strace with further options.
  static func run(_ arguments: [String], options: [String] = []) throws -> Run {
    let folder = try TemporaryFolder()
    let strace = ["/usr/bin/strace", "-f", "-y", "-s", "0", "-o", folder("trace")] + options
    let (status, outcome) = try runCommand(strace + [try #require(probePath)] + arguments)
    return Run(status: status, outcome: outcome, trace: try SystemCallTrace(fileText(folder("trace"))))
  }
}

extension SystemCallTrace.Call {
  /// Whether the call is about a file on a disk, and so may fail.
  var isAboutFiles: Bool {
    // The C library reads these for itself, for example the size of a stack.
    if arguments.contains("/proc/") || arguments.contains("/sys/") { return false }
    if name == "mmap" { return arguments.contains("<") }
    return !Self.others.contains(name)
  }

  /// Memory, threads and time. Calls that are not listed count as calls about files, and are made to fail.
  private static let others: Set = [
    "brk", "mmap", "munmap", "mprotect", "madvise", "mremap", "futex", "rt_sigaction", "rt_sigprocmask",
    "rt_sigreturn", "getrandom", "clock_gettime", "clock_nanosleep", "sched_yield", "sched_getaffinity",
    "gettid",
    "getpid", "prlimit64", "set_robust_list", "rseq", "clone", "clone3", "exit", "sigaltstack",
    "restart_syscall",
  ]
}
