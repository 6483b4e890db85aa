import Foundation

/// Counts the instructions of an operation by running this program under valgrind.
struct InstructionCounter {
  private let valgrind: String
  private let executable: String

  /// How often each operation runs after the check, which does everything once.
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

  /// Runs an operation so that valgrind counts it separately: whenever the program reads the number of its allocations,
  /// valgrind begins a new count.
  static func separated(_ operation: () throws -> Any, _ count: Int) throws {
    _ = Allocations.soFar
    for _ in 0..<count { _ = try operation() }
    _ = Allocations.soFar
  }

  /// The instructions of one operation in each direction, including the release of its result.
  func instructions(
    workload: Workload,
    contender: Contender,
    directions: [Direction],
    divisor: Int
  ) throws -> [Direction: Double] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keepsake-counts-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try Subprocess(
      path: valgrind,
      arguments: [
        "--tool=callgrind", "--dump-before=keepsake_allocation_count", "--dump-line=no",
        "--callgrind-out-file=\(folder.path)/counts", executable,
        "--workload", workload.name, "--divide", "\(divisor)", "--profile", contender.name,
        "--operations", "\(Self.operations)",
      ],
      // Sets and dictionaries have the same order each time, so the work is the same.
      environment: ["SWIFT_DETERMINISTIC_HASHING": "1"]
    )
    .finish()
    // The first count is that of the preparation, and every other one is that between two directions.
    let counts = try directions.indices.map { index in
      (directions[index], try Self.total(inFile: "\(folder.path)/counts.\(2 * index + 2)", result))
    }
    return Dictionary(uniqueKeysWithValues: counts.map { ($0, Double($1) / Double(Self.operations)) })
  }

  /// The number after "totals:" in a file of callgrind.
  private static func total(inFile path: String, _ result: (status: Int32, output: String)) throws -> Int {
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    let line = text?.split(separator: "\n").last { $0.hasPrefix("totals:") }
    guard result.status == 0, let number = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
      throw Failure(description: "valgrind ended with status \(result.status):\n\(result.output)")
    }
    return number
  }
}
