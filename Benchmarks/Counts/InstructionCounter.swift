import Foundation

/// Counts the instructions of an operation by running this program under valgrind.
struct InstructionCounter {
  private let valgrind: String
  private let executable: String

  /// How often each operation runs. A run without operations counts everything else: the start, making the data, and
  /// the check, which does everything once, so that no operation does anything for the first time.
  private static let operations = 2

  /// Thrown if valgrind does not give a count, or if a contender fails.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Finds valgrind. nil if it is not installed.
  init?() {
    guard let valgrind = Subprocess.find("valgrind"), let executable = Bundle.main.executablePath else {
      return nil
    }
    self.valgrind = valgrind
    self.executable = executable
  }

  /// The instructions of one operation in each direction, including the release of its result.
  func instructions(
    workload: Workload,
    contender: Contender,
    directions: [Direction],
    divisor: Int
  ) throws -> [Direction: Double] {
    func start(_ direction: Direction, operations: Int) throws -> Subprocess {
      try Subprocess(
        path: valgrind,
        arguments: [
          "--tool=callgrind", "--callgrind-out-file=/dev/null", executable,
          "--workload", workload.name, "--divide", "\(divisor)", "--profile", contender.name,
          "--direction", direction.rawValue, "--operations", "\(operations)",
        ],
        // Sets and dictionaries have the same order each time, so the work is the same.
        environment: ["SWIFT_DETERMINISTIC_HASHING": "1"]
      )
    }
    guard let any = directions.first else { return [:] }
    // Run all at once: with two processors, that takes half the time, and no times are measured.
    let idle = try start(any, operations: 0)
    let busy = try directions.map { ($0, try start($0, operations: Self.operations)) }
    let base = try Self.collected(in: idle.finish())
    var result: [Direction: Double] = [:]
    for (direction, run) in busy {
      let count = try Self.collected(in: run.finish())
      result[direction] = Double(count - base) / Double(Self.operations)
    }
    return result
  }

  /// The number after "Collected :" at the end of callgrind's output.
  private static func collected(in result: (status: Int32, output: String)) throws -> Int {
    let line = result.output.split(separator: "\n").last { $0.contains("Collected :") }
    guard result.status == 0, let number = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
      throw Failure(description: "valgrind ended with status \(result.status):\n\(result.output)")
    }
    return number
  }
}
