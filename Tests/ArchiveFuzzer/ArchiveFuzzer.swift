internal import Foundation
internal import HostileArchives

#if !LIBFUZZER
  /// Reads mutants of archives by the million, and keeps the inputs that crash the reader, hang it, or cause unexpected
  /// errors (Docs/Testing.md).
  @main
  enum ArchiveFuzzer {
    static func main() {
      do {
        let options = try FuzzerOptions(Array(CommandLine.arguments.dropFirst()))
        exit(try run(options) ? 1 : 0)
      } catch let refusal as FuzzerOptions.Refusal {
        Report.line(refusal.message + "\n\n" + FuzzerOptions.usage)
        exit(2)
      } catch {
        Report.line("\(error)")
        exit(2)
      }
    }

    /// Runs the mutants, and returns whether any failed.
    private static func run(_ options: FuzzerOptions) throws -> Bool {
      if let folder = options.seedFolder { return try writeSeeds(options, folder) }
      if !options.files.isEmpty { return try read(options) }
      if let journal = options.journal {
        return try Worker(options: options, journal: Journal(journal)).run()
      }
      var supervisor = Supervisor(options: options)
      return try supervisor.run()
    }

    private static func read(_ options: FuzzerOptions) throws -> Bool {
      var hasFailed = false
      for path in options.files {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let outcome = HostileReading.read(bytes, as: options.models)
        print("\(path): \(outcome.accepted) accepted, \(outcome.refused) refused, \(outcome.faults)")
        hasFailed = hasFailed || !outcome.faults.isEmpty
      }
      return hasFailed
    }

    private static func writeSeeds(_ options: FuzzerOptions, _ folder: String) throws -> Bool {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for seed in try options.seeds() {
        let name = seed.name.replacingOccurrences(of: " ", with: "-").lowercased() + ".keepsake"
        try Data(seed.bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
      return false
    }
  }
#endif
