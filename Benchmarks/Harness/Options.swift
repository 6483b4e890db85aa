/// The options of the command line.
struct Options {
  /// The names of the workloads to run. If there are none, all run.
  var workloads: [String] = []

  /// How often each contender is timed in each direction.
  var rounds = 11

  /// The amount and the source of the data.
  var scale = Scale()

  /// The file for the tables as Markdown, if they are wanted.
  var markdownPath: String?

  /// The folder for tables and charts, if they are wanted.
  var resultsPath: String?

  /// Whether to count instead of timing, and what to do with the counts.
  var wantsCounts = false
  var countsToWrite: String?
  var countsToCompare: String?

  /// The contender to run alone for a profiler, instead of timing all of them.
  var profiledContender: String?

  /// The direction of the profiled contender, both if nil, and the number of operations.
  var profiledDirection: Direction?
  var operations = 1

  /// Whether to print the help text, or the names of the workloads, instead of running.
  var wantsHelp = false
  var wantsList = false

  /// Thrown if the command line is not valid.
  struct UsageError: Error {
    var message: String
  }

  /// The workloads that the command line names, or all.
  var chosenWorkloads: [Workload] {
    Workload.all.filter { workloads.isEmpty || workloads.contains($0.name) }
  }

  /// Whether the data is reduced.
  var isReduced: Bool { scale.divisor > 1 }

  /// Reads the arguments that follow the name of the program.
  init(arguments: [String]) throws {
    var chosenRounds: Int?
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      switch argument {
      case "--workload":
        let name = try Self.value(of: argument, from: &remaining)
        guard Workload.all.contains(where: { $0.name == name }) else {
          throw UsageError(message: "there is no workload '\(name)' (--list names them)")
        }
        workloads.append(name)
      case "--small": workloads += Workload.small.map(\.name)
      case "--rounds": chosenRounds = try Self.count(of: argument, from: &remaining)
      case "--quick": scale.divisor = 10
      case "--divide": scale.divisor = try Self.count(of: argument, from: &remaining)
      case "--tweets": scale.tweetsPath = try Self.value(of: argument, from: &remaining)
      case "--markdown": markdownPath = try Self.value(of: argument, from: &remaining)
      case "--results": resultsPath = try Self.value(of: argument, from: &remaining)
      case "--counts": wantsCounts = true
      case "--write": countsToWrite = try Self.value(of: argument, from: &remaining)
      case "--compare": countsToCompare = try Self.value(of: argument, from: &remaining)
      case "--profile": profiledContender = try Self.value(of: argument, from: &remaining)
      case "--direction": profiledDirection = try Self.direction(of: argument, from: &remaining)
      case "--operations": operations = try Self.count(of: argument, from: &remaining, atLeast: 0)
      case "--list": wantsList = true
      case "--help", "-h": wantsHelp = true
      default: throw UsageError(message: "unknown argument '\(argument)' (--help explains)")
      }
    }
    if profiledContender != nil, workloads.count != 1 {
      throw UsageError(message: "--profile needs exactly one --workload")
    }
    if !wantsCounts, countsToWrite != nil || countsToCompare != nil {
      throw UsageError(message: "--write and --compare belong to --counts")
    }
    rounds = chosenRounds ?? (isReduced ? 3 : rounds)
  }

  private static func direction(
    of option: String,
    from remaining: inout ArraySlice<String>
  ) throws -> Direction {
    let text = try value(of: option, from: &remaining)
    guard let direction = Direction(rawValue: text) else {
      throw UsageError(message: "\(option) takes encode or decode, not '\(text)'")
    }
    return direction
  }

  private static func value(of option: String, from remaining: inout ArraySlice<String>) throws -> String {
    guard let value = remaining.popFirst() else {
      throw UsageError(message: "\(option) needs a value")
    }
    return value
  }

  private static func count(
    of option: String,
    from remaining: inout ArraySlice<String>,
    atLeast least: Int = 1
  ) throws -> Int {
    let text = try value(of: option, from: &remaining)
    guard let count = Int(text), count >= least else {
      throw UsageError(message: "\(option) takes a number from \(least), not '\(text)'")
    }
    return count
  }
}
