import Foundation

/// Counts the instructions of an operation by running this program under valgrind.
struct InstructionCounter {
  private let valgrind: String
  private let executable: String

  /// How often each operation is run. A run without any tells what all else costs: starting, making the data and the
  /// check, in which everything is done once, so that nothing is done for the first time afterwards.
  private static let operations = 2

  /// Valgrind did not say what was asked.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Finds valgrind; nil where it is not installed.
  init?() {
    guard let valgrind = Subprocess.find("valgrind"), let executable = Bundle.main.executablePath else {
      return nil
    }
    self.valgrind = valgrind
    self.executable = executable
  }

  /// The instructions of one operation in each direction, freeing its result included.
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
        // Sets and dictionaries in the same order each time, so that it is the same work.
        environment: ["SWIFT_DETERMINISTIC_HASHING": "1"]
      )
    }
    guard let any = directions.first else { return [:] }
    // All at once: it takes half the time where there are two processors, and nobody looks at the clock.
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

  /// The number behind "Collected :" in what callgrind prints at its end.
  private static func collected(in result: (status: Int32, output: String)) throws -> Int {
    let line = result.output.split(separator: "\n").last { $0.contains("Collected :") }
    guard result.status == 0, let number = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
      throw Failure(description: "valgrind ended with status \(result.status):\n\(result.output)")
    }
    return number
  }
}
