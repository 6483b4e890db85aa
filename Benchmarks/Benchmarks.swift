import Foundation

/// `swift run -c release keepsake-benchmarks`: times Keepsake against its peers and against the floor of Codable.
@main
struct Benchmarks {
  static func main() {
    do {
      let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
      if options.wantsHelp {
        print(Options.help)
      } else if options.wantsList {
        print(Workload.all.map(\.name).joined(separator: "\n"))
      } else if let contender = options.profiledContender {
        try profile(contender, options: options)
      } else if try !run(options) {
        exit(1)
      }
    } catch let error as Options.UsageError {
      complain(error.message)
      exit(64)
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  /// Runs the chosen workloads and prints their tables; false when Keepsake failed one of its checks.
  private static func run(_ options: Options) throws -> Bool {
    let chosen = Workload.all.filter { options.workloads.isEmpty || options.workloads.contains($0.name) }
    let scale = Scale(isQuick: options.isQuick)
    let interleavedRun = InterleavedRun(rounds: options.rounds)
    var report = Report(options: options)
    var isSound = true
    say(report.head)
    for workload in chosen {
      let prepared = try workload.prepare(scale)
      let measurements = try interleavedRun.measure(prepared.contenders)
      say(report.add(name: workload.name, workload: prepared, measurements: measurements))
      for contender in prepared.contenders where contender.role == .keepsake {
        guard let failure = contender.failure else { continue }
        complain("\(workload.name): \(contender.name) \(failure)")
        isSound = false
      }
    }
    if let path = options.markdownPath {
      try report.markdown.write(toFile: path, atomically: true, encoding: .utf8)
    }
    return isSound
  }

  /// Runs one contender without timing it. Making the data and checking the contenders comes before.
  private static func profile(_ name: String, options: Options) throws {
    for workload in Workload.all where options.workloads.contains(workload.name) {
      let contenders = try workload.prepare(Scale(isQuick: options.isQuick)).contenders
      let contender = contenders.first { $0.name == name }
      let operation = options.profiledDirection == .encode ? contender?.encode : contender?.decode
      guard let operation else {
        let names = contenders.map { "'\($0.name)'" }.joined(separator: ", ")
        throw Options.UsageError(
          message: "'\(name)' does not \(options.profiledDirection.rawValue) here; there are \(names)"
        )
      }
      for _ in 0..<options.operations {
        _ = try operation()
      }
    }
  }

  /// Prints at once, so that a run whose output goes to a file can be watched.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data("keepsake-benchmarks: \(message)\n".utf8))
  }
}
