import Foundation

/// `swift run -c release keepsake-benchmarks`: times Keepsake against its peers and against the floor of Codable.
@main
struct Benchmarks {
  static func main() {
    do {
      if try FirstRun.run(Array(CommandLine.arguments.dropFirst())) { return }
      if try ScaleRun.run(Array(CommandLine.arguments.dropFirst())) { return }
      if try DocumentRun.run(Array(CommandLine.arguments.dropFirst())) { return }
      if try HostileRun.run(Array(CommandLine.arguments.dropFirst())) { return }
      let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
      if options.wantsHelp {
        print(Options.help)
      } else if options.wantsList {
        print(Workload.all.map(\.name).joined(separator: "\n"))
      } else if let contender = options.profiledContender {
        try profile(contender, options: options)
      } else if options.wantsCounts {
        if try !CountsRun(options: options).run() { exit(1) }
      } else if try !run(options) {
        exit(1)
      }
    } catch let error as Options.UsageError {
      Terminal.complain(error.message)
      exit(64)
    } catch {
      Terminal.complain("\(error)")
      exit(1)
    }
  }

  /// Runs the chosen workloads and prints their tables. Returns false if Keepsake failed one of its checks.
  private static func run(_ options: Options) throws -> Bool {
    let interleavedRun = InterleavedRun(rounds: options.rounds)
    var report = Report(options: options)
    var isSound = true
    Terminal.say(report.head)
    for workload in options.chosenWorkloads {
      let prepared = try workload.prepare(options.scale)
      let measurements = try interleavedRun.measure(prepared.contenders)
      let result = WorkloadResult(name: workload.name, workload: prepared, measurements: measurements)
      Terminal.say(report.add(result))
      for measurement in measurements where measurement.contender.role == .keepsake {
        guard let failure = measurement.trial.failure else { continue }
        Terminal.complain("\(workload.name): \(measurement.contender.name) \(failure)")
        isSound = false
      }
    }
    if let path = options.markdownPath {
      try report.markdown.write(toFile: path, atomically: true, encoding: .utf8)
    }
    if let path = options.resultsPath {
      try ResultFiles(report: report, options: options).write(toFolder: path)
    }
    return isSound
  }

  /// Runs one contender without timing it, after making the data and checking the contender.
  private static func profile(_ name: String, options: Options) throws {
    for workload in options.chosenWorkloads {
      let contenders = try workload.prepare(options.scale).contenders
      let trial = contenders.first { $0.name == name }?.prepare()
      let directions = options.profiledDirection.map { [$0] } ?? Direction.allCases
      let operations = directions.compactMap { trial?.operation($0) }
      guard !operations.isEmpty else {
        let names = contenders.map { "'\($0.name)'" }.joined(separator: ", ")
        let does = options.profiledDirection?.rawValue ?? "run"
        throw Options.UsageError(message: "'\(name)' does not \(does) here; there are \(names)")
      }
      for operation in operations { try InstructionCounter.separated(operation, options.operations) }
    }
  }
}

/// The output of the suite.
enum Terminal {
  /// Prints without buffering, so that you can watch a run whose output goes to a file.
  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  /// Prints to standard error.
  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("keepsake-benchmarks: \(message)\n".utf8))
  }
}
