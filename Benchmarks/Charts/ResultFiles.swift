import Foundation

/// `--results`: the tables of a run as Markdown, with its charts beside them.
struct ResultFiles {
  private let report: Report
  private let options: Options

  /// Creates the files of a finished report.
  init(report: Report, options: Options) {
    self.report = report
    self.options = options
  }

  /// Writes all files to a folder, and creates the folder if it does not exist.
  func write(toFolder path: String) throws {
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let charts = ResultCharts(results: report.results, origin: origin)
    let files = [
      ("encode.svg", charts.times(.encode).svg),
      ("decode.svg", charts.times(.decode).svg),
      ("sizes.svg", charts.sizes.svg),
      ("Results.md", markdown(losses: charts.losses)),
    ]
    for (name, text) in files {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    Terminal.say("\nWrote \(files.map(\.0).joined(separator: ", ")) to \(path).")
  }

  /// When and where the run was made, in one line.
  private var origin: String {
    let part = options.isReduced ? ", one \(options.scale.divisor)th of the data" : ""
    return
      "\(Machine.today), \(Machine.processor), \(Machine.system), Swift \(Machine.swiftVersion ?? "unknown"), "
      + "\(options.rounds) \(options.rounds == 1 ? "round" : "rounds")\(part)"
  }

  /// The command that repeats the run. It has placeholders for paths, which are the maintainer's own.
  private var command: String {
    var words = ["swift run -c release keepsake-benchmarks"]
    if options.scale.divisor > 1 { words.append("--divide \(options.scale.divisor)") }
    words.append("--rounds \(options.rounds)")
    words += options.workloads.map { "--workload \($0)" }
    if options.scale.tweetsPath != nil { words.append("--tweets FILE") }
    return (words + ["--results FOLDER"]).joined(separator: " ")
  }

  private func markdown(losses: [String]) -> String {
    let lost =
      losses.isEmpty
      ? "Keepsake is the fastest and the smallest in all of them."
      : losses.map { "- \($0)" }.joined(separator: "\n")
    return """
      # Results

      ```sh
      \(command)
      ```

      \(report.head)

      ![Encoding times](encode.svg)

      ![Decoding times](decode.svg)

      ![Sizes](sizes.svg)

      ## Where Keepsake loses

      Coders that take less time or space than Keepsake, and their share of its time or space. The floor and plain \
      copying are not coders.

      \(lost)
      \(report.sections)
      """
  }
}
