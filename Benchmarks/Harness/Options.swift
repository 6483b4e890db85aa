/// What the command line asks for.
struct Options {
  /// The workloads to run, by name; all when empty.
  var workloads: [String] = []

  /// How often each contender is timed in each direction.
  var rounds = 11

  /// Whether a tenth of the data and three rounds are enough.
  var isQuick = false

  /// Where the tables go as Markdown, if anywhere.
  var markdownPath: String?

  /// The contender to run on its own for a profiler, instead of timing all of them.
  var profiledContender: String?

  /// What the profiled contender does, and how often.
  var profiledDirection = Direction.encode
  var operations = 1

  /// One half of a contender's work.
  enum Direction: String {
    case encode, decode
  }

  /// Whether to print the help text, or the names of the workloads, instead of running.
  var wantsHelp = false
  var wantsList = false

  /// A command line that cannot be understood.
  struct UsageError: Error {
    var message: String
  }

  static let help = """
    USAGE: swift run -c release keepsake-benchmarks [options]

    Times Keepsake against other coders, the floor of Codable and plain copying,
    all in turns, and prints medians, ratios, sizes and allocations.

      --workload NAME   run this workload only (may be repeated; see --list)
      --rounds N        time each contender N times (default 11)
      --quick           a tenth of the data, three rounds unless --rounds is given
      --markdown FILE   write the tables to FILE as Markdown, too
      --profile NAME    run this contender of one workload alone, without timing,
                        for `perf` and `valgrind`; with --direction and --operations
      --direction D     encode (default) or decode
      --operations N    how often (default 1): what two counts differ by, in
                        instructions or allocations, is the cost of the operations
      --list            print the names of the workloads
      --help            print this text
    """

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
      case "--rounds":
        chosenRounds = try Self.count(of: argument, from: &remaining)
      case "--profile":
        profiledContender = try Self.value(of: argument, from: &remaining)
      case "--direction":
        let text = try Self.value(of: argument, from: &remaining)
        guard let direction = Direction(rawValue: text) else {
          throw UsageError(message: "--direction takes encode or decode, not '\(text)'")
        }
        profiledDirection = direction
      case "--operations":
        operations = try Self.count(of: argument, from: &remaining)
      case "--markdown":
        markdownPath = try Self.value(of: argument, from: &remaining)
      case "--quick":
        isQuick = true
      case "--list":
        wantsList = true
      case "--help", "-h":
        wantsHelp = true
      default:
        throw UsageError(message: "unknown argument '\(argument)' (--help explains)")
      }
    }
    if profiledContender != nil, workloads.count != 1 {
      throw UsageError(message: "--profile needs exactly one --workload")
    }
    rounds = chosenRounds ?? (isQuick ? 3 : rounds)
  }

  private static func value(of option: String, from remaining: inout ArraySlice<String>) throws -> String {
    guard let value = remaining.popFirst() else {
      throw UsageError(message: "\(option) needs a value")
    }
    return value
  }

  private static func count(of option: String, from remaining: inout ArraySlice<String>) throws -> Int {
    let text = try value(of: option, from: &remaining)
    guard let count = Int(text), count > 0 else {
      throw UsageError(message: "\(option) takes a positive number, not '\(text)'")
    }
    return count
  }
}
