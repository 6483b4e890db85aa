/// Compares the counts of a run with the committed counts.
///
/// It compares only Keepsake's figures. The floor's figures are committed for readers, and to show whether it is the
/// machine that differs.
struct CountsComparison {
  /// The figures from the file.
  let committed: CountsFile

  /// The figures of this run.
  let counted: CountsFile

  /// The path of the file.
  let path: String

  /// Allocations are exact, except for those of Foundation, which differ between machines by some percent, and for
  /// those that depend on hashes, which differ in each process: tables grow at another time, and a graph whose
  /// dictionaries have another order closes its cycles elsewhere. `analyser` takes 0.30 to 0.32 for each object.
  private static let allocationTolerance = 0.05

  /// The additional allocations that a whole operation may make. One more growth of a buffer, as with another version
  /// of the runtime, is not a regression, even if it exceeds the tolerance for a small count.
  private static let allocationSlack = 4.0

  /// Instructions vary with the C library, which chooses its copying functions by the features of the processor, and
  /// with the memory that the allocator finds for large buffers. The same code took up to 5 % more in another run.
  private static let instructionTolerance = 0.08

  private enum Outcome { case same, worse, better }

  /// Prints the differences. Returns false if Keepsake got worse.
  func report() -> Bool {
    let comparesInstructions = sayWhetherInstructionsCompare()
    var worse: [String] = []
    var better: [String] = []
    for (name, now) in counted.workloads.sorted(by: { $0.key < $1.key }) {
      guard let then = committed.workloads[name], then.count == now.count else {
        Terminal.say("\(name): no figures for this data are committed.")
        continue
      }
      for direction in Direction.allCases {
        guard let now = now.keepsake?[direction], let then = then.keepsake?[direction] else { continue }
        let slack = Self.allocationSlack / Double(counted.workloads[name]?.count ?? 1)
        var pairs = [("allocations", now.allocations, then.allocations, Self.allocationTolerance, slack)]
        if comparesInstructions {
          pairs.append(("instructions", now.instructions, then.instructions, Self.instructionTolerance, 0))
        }
        for (what, now, then, tolerance, slack) in pairs {
          guard let now, let then else { continue }
          let line =
            "\(name), \(direction.rawValue): \(Figure.number(now)) \(what) instead of \(Figure.number(then))"
            + (then > 0 ? " (\(Self.percent(now / then - 1)))" : "")
          switch Self.outcome(now: now, then: then, tolerance: tolerance, slack: slack) {
          case .same: break
          case .worse: worse.append(line)
          case .better: better.append(line)
          }
        }
      }
    }
    if !better.isEmpty {
      Terminal.say((["Better than committed:"] + better).joined(separator: "\n  "))
      Terminal.say(
        "Better: run swift run -c release keepsake-benchmarks --counts --write \(path) to commit the new figures."
      )
    }
    guard worse.isEmpty else {
      Terminal.complain((["Keepsake got worse than \(path) says:"] + worse).joined(separator: "\n  "))
      return false
    }
    Terminal.say("No more than \(path) says.")
    return true
  }

  /// Returns whether instructions can be compared. If they cannot, prints the reason.
  private func sayWhetherInstructionsCompare() -> Bool {
    let here = "Swift \(counted.swift ?? "of an unknown version") on \(counted.architecture)"
    let there = "Swift \(committed.swift ?? "of an unknown version") on \(committed.architecture)"
    guard counted.workloads.values.contains(where: { $0.keepsake?.hasInstructions == true }) else {
      Terminal.say("Instructions were not counted: only allocations are compared.")
      return false
    }
    guard counted.swift != nil, here == there else {
      Terminal.say("This is \(here), the figures are of \(there): only allocations are compared.")
      return false
    }
    return true
  }

  private static func outcome(now: Double, then: Double, tolerance: Double, slack: Double) -> Outcome {
    let allowed = then * tolerance + slack
    if now > then + allowed { return .worse }
    return now < then - allowed ? .better : .same
  }

  private static func percent(_ share: Double) -> String {
    let tenths = (share * 1_000).rounded() / 10
    return "\(tenths > 0 ? "+" : "")\(tenths) %"
  }
}

extension ContenderCounts {
  /// Whether any instructions were counted.
  fileprivate var hasInstructions: Bool {
    encode?.instructions != nil || decode?.instructions != nil
  }
}
