internal import Foundation
internal import HostileArchives

#if !LIBFUZZER
  /// Starts reading processes, each behind the input at which the previous one died.
  struct Supervisor {
    /// The maximum number of failures; more would be alike.
    private static let mostFailures = 20

    var options: FuzzerOptions

    /// The path for keeping an input that failed.
    static func path(_ failure: String, _ number: Int, _ options: FuzzerOptions) -> String {
      "\(options.folder)/\(failure)-\(options.kind.rawValue)-\(options.seed)-\(number).keepsake"
    }

    /// Reads all mutants, and returns whether one failed.
    mutating func run() throws -> Bool {
      try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
      let journal = FileManager.default.temporaryDirectory
        .appendingPathComponent("archive-fuzzer-\(ProcessInfo.processInfo.processIdentifier)").path
      defer { try? FileManager.default.removeItem(atPath: journal) }
      Report.line("\(options.mutants) mutants, kind \(options.kind.rawValue), seed \(options.seed)")
      let start = Date()
      let firstNumber = options.first
      var total = Journal.Entry()
      var failures = 0
      while options.first < options.mutants, failures < Supervisor.mostFailures {
        let status = try runWorker(journal)
        let (entry, bytes) = Journal.read(journal)
        total.opened += entry.opened
        total.accepted += entry.accepted
        total.refused += entry.refused
        total.peakMemory = max(total.peakMemory, entry.peakMemory)
        failures += entry.faults
        total.number = entry.number
        // A worker that ends by itself has read all mutants.
        if entry.number >= options.mutants { break }
        failures += 1
        let path = Supervisor.path(status == Worker.hangStatus ? "hang" : "crash", entry.number, options)
        try bytes.write(to: URL(fileURLWithPath: path))
        Report.line("FAILED (\(status)): \(path), read as \(try culprits(path, entry.number))")
        options.first = entry.number + 1
      }
      let seconds = max(0.001, Date().timeIntervalSince(start))
      let count = total.number - firstNumber
      print(
        """
        \(options.kind.rawValue): \(count) mutants in \(Int(seconds)) s, \(Int(Double(count) / seconds)) each second, \
        seed \(options.seed)
        opened \(total.opened), reads accepted \(total.accepted), refused \(total.refused)
        peak memory \(total.peakMemory >> 20) MB, failures \(failures)
        """
      )
      return failures > 0
    }

    private func runWorker(_ journal: String) throws -> Int32 {
      var arguments = [
        "--mutants", "\(options.mutants)", "--first", "\(options.first)", "--seed", "\(options.seed)",
        "--kind",
        options.kind.rawValue, "--save-to", options.folder, "--journal", journal,
      ]
      if let corpus = options.corpus { arguments += ["--corpus", corpus] }
      if let model = options.model { arguments += ["--model", model] }
      return try run(arguments, isQuiet: false)
    }

    /// The models of a mutant that it cannot be read as.
    private func culprits(_ path: String, _ number: Int) throws -> String {
      let names = try options.source()[number].models.map(\.name).filter {
        try run(["--read", path, "--model", $0], isQuiet: true) != 0
      }
      return names.isEmpty ? "no model alone" : names.joined(separator: ", ")
    }

    private func run(_ arguments: [String], isQuiet: Bool) throws -> Int32 {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = arguments
      // A backtrace for each crash takes seconds.
      process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
        $1
      }
      if isQuiet {
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
      }
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
  }
#endif
