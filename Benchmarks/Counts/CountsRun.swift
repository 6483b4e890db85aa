import Foundation

/// `--counts`: counts the work of Keepsake and the floor, which is the same in each run, unlike times.
struct CountsRun {
  /// The options of the command line.
  let options: Options

  private let counter = InstructionCounter()

  /// Creates a run.
  init(options: Options) {
    self.options = options
  }

  /// Counts, prints, writes and compares. Returns false if Keepsake got worse than the file says. Throws if it failed.
  func run() throws -> Bool {
    if !Allocations.areCounted { Terminal.say("Allocations are not counted on this system.") }
    if counter == nil { Terminal.say("There is no valgrind: instructions are not counted.") }
    // If the file cannot be read, fail now and not after minutes.
    let committed = try options.countsToCompare.map { try CountsFile(contentsOfFile: $0) }

    var counted: [String: WorkloadCounts] = [:]
    for workload in options.chosenWorkloads where workload.isCounted {
      let counts = try count(workload)
      counted[workload.name] = counts
      Terminal.say(Self.lines(name: workload.name, counts).joined(separator: "\n"))
    }

    if let path = options.countsToWrite { try write(counted, to: path) }
    guard let committed, let path = options.countsToCompare else { return true }
    return CountsComparison(committed: committed, counted: CountsFile(workloads: counted), path: path)
      .report()
  }

  /// Counts in both directions.
  private func count(_ workload: Workload) throws -> WorkloadCounts {
    let divisor = options.isReduced ? options.scale.divisor : workload.countingDivisor
    let prepared = try workload.prepare(Scale(divisor: divisor))
    var counts = WorkloadCounts(unit: prepared.unit.element, count: prepared.unit.count)
    // The floor's figures are not compared, and valgrind takes as long for them as for Keepsake's.
    let isOnlyCompared = options.countsToCompare != nil && options.countsToWrite == nil
    for role in isOnlyCompared ? [Contender.Role.keepsake] : [.floor, .keepsake] {
      guard let contender = prepared.contenders.first(where: { $0.role == role }) else { continue }
      let trial = contender.prepare()
      if let failure = trial.failure {
        throw InstructionCounter.Failure(description: "\(workload.name): \(contender.name) \(failure)")
      }
      let directions = Direction.allCases.filter { trial.operation($0) != nil }
      let instructions = try counter?.instructions(
        workload: workload,
        contender: contender,
        directions: directions,
        divisor: divisor
      )
      var figures = ContenderCounts()
      for direction in directions {
        guard let operation = trial.operation(direction) else { continue }
        figures[direction] = OperationCounts(
          allocations: try Allocations.made(by: operation),
          instructions: instructions?[direction],
          count: prepared.unit.count
        )
      }
      if role == .floor { counts.floor = figures } else { counts.keepsake = figures }
    }
    return counts
  }

  /// The lines to print about a workload.
  private static func lines(name: String, _ counts: WorkloadCounts) -> [String] {
    Direction.allCases.compactMap { direction in
      guard let keepsake = counts.keepsake?[direction] else { return nil }
      let floor = counts.floor?[direction]
      func text(_ what: String, _ figure: KeyPath<OperationCounts, Double?>) -> String {
        let own = keepsake[keyPath: figure]
        let other = floor?[keyPath: figure]
        var ratio: String?
        if let own, let other, other > 0 { ratio = " = × \(Figure.number(own / other))" }
        return "\(what) \(Figure.number(own)) / \(Figure.number(other))\(ratio ?? "")"
      }
      let head = "\(name), \(direction.rawValue), each \(counts.unit), Keepsake / floor: "
      return head + text("allocations", \.allocations) + "; " + text("instructions", \.instructions)
    }
  }

  /// Writes the counts. If the run had only some workloads, the counts of the others stay as they are.
  private func write(_ counted: [String: WorkloadCounts], to path: String) throws {
    var all = counted
    if !options.workloads.isEmpty, FileManager.default.fileExists(atPath: path) {
      let former = try CountsFile(contentsOfFile: path)
      guard former.swift == Machine.swiftVersion, former.architecture == Machine.architecture else {
        throw Options.UsageError(message: "\(path) was made elsewhere: write all workloads anew")
      }
      all.merge(former.workloads) { new, _ in new }
    }
    try CountsFile(workloads: all).write(toFile: path)
    Terminal.say("Wrote \(path)\(counter == nil ? ", without instructions" : "").")
  }
}
