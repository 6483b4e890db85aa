import Foundation

/// `--first`: times the first value that a process encodes and decodes.
///
/// This is the cost for a tool or an app that reads a few files when it starts. The runtime searches for each
/// conformance for the first time, and every coder learns about the types.
enum FirstRun {
  private static let workloads = ["messages", "tweets", "subclasses", "protocols", "models", "enum"]
  private static let divisor = 10_000
  private static let rounds = 11

  /// Runs the measurement if `arguments` ask for it, and returns whether they do.
  static func run(_ arguments: [String]) throws -> Bool {
    switch arguments.first {
    case "--first-question": try answer(Array(arguments.dropFirst()))
    case "--first": try measure()
    default: return false
    }
    return true
  }

  /// Prints the nanoseconds of the first round trip of a contender in this process, and of the next one. A round trip
  /// includes the comparison of both values.
  private static func answer(_ arguments: [String]) throws {
    guard arguments.count == 2, let contender = try contenders(of: arguments[0])[arguments[1]] else {
      throw Options.UsageError(message: "--first-question takes a workload and a contender")
    }
    let times = (0..<2).map { _ in
      let start = ContinuousClock.now
      _ = contender.prepare()
      return (ContinuousClock.now - start) / .nanoseconds(1)
    }
    print(times.map { "\($0)" }.joined(separator: " "))
  }

  private static func measure() throws {
    var table = Table(header: ["value", "coder", "first, µs", "× Keepsake", "second, µs"])
    for workload in workloads {
      let names = try contenders(of: workload).keys.sorted()
      var times: [String: [[Double]]] = [:]
      for _ in 0..<rounds {
        for name in names {
          times[name, default: []].append(try ScaleProcess.ask([workload, name], "--first-question"))
        }
      }
      let medians = times.mapValues { rounds in
        (0..<2).map { index in InterleavedRun.median(rounds.map { $0[index] }) }
      }
      guard let own = medians["Keepsake"]?[0] else { continue }
      for name in names {
        guard let median = medians[name] else { continue }
        table.rows.append([
          workload, name, Figure.number(median[0] / 1e3), Figure.number(median[0] / own),
          Figure.number(median[1] / 1e3),
        ])
      }
    }
    table.textColumns = (leading: 2, trailing: 0)
    print("A round trip of one small value in a new process, median of \(rounds) processes\n\(table.plain)")
  }

  /// The coders among the contenders, by name.
  private static func contenders(of name: String) throws -> [String: Contender] {
    guard let workload = Workload.all.first(where: { $0.name == name }) else { return [:] }
    let contenders = try workload.prepare(Scale(divisor: divisor)).contenders
    return Dictionary(contenders.filter { $0.role == .keepsake || $0.role == .other }.map { ($0.name, $0) }) {
      first,
      _ in
      first
    }
  }
}
