import Foundation

/// The measurements of all contenders of a workload.
struct WorkloadResult {
  /// The name of the workload.
  var name: String

  /// The prepared workload.
  var workload: PreparedWorkload

  /// The measurements, in the order of the contenders.
  var measurements: [Measurement]

  /// Keepsake in its plain form, with which the other contenders are compared.
  var keepsake: Measurement? { measurements.first { $0.contender.role == .keepsake } }

  /// The floor, if there is one.
  var floor: Measurement? { measurements.first { $0.contender.role == .floor } }
}

/// Turns measurements into tables, for the terminal and for a Markdown file.
struct Report {
  /// The beginning of the report.
  let head: String

  /// The finished sections as Markdown.
  private(set) var sections = ""

  /// The results that the sections show.
  private(set) var results: [WorkloadResult] = []

  /// Starts a report whose head says where and how the figures were made.
  init(options: Options) {
    let build =
      Self.isOptimized
      ? "release build" : "DEBUG BUILD, the figures mean nothing: run with `swift run -c release`"
    let part = options.isReduced ? ", one \(options.scale.divisor)th of the data" : ""
    head = """
      \(Machine.today), \(Machine.processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \
      \(Machine.system), Swift \(Machine.swiftVersion ?? "of an unknown version"), \(build); medians of \
      \(options.rounds) interleaved \(options.rounds == 1 ? "round" : "rounds")\(part).
      Floor: an encoder that only visits every value, a decoder that only replays recorded values. \
      "× floor": time divided by the floor's. "× Keepsake": time divided by Keepsake's. \
      "allocs": calls of the allocator, the C library's and all libraries' included.
      """
  }

  /// The whole report as Markdown.
  var markdown: String { "# Benchmarks\n\n\(head)\n\(sections)" }

  /// Adds a workload and returns its section as it should look in a terminal.
  mutating func add(_ result: WorkloadResult) -> String {
    results.append(result)
    let title = result.workload.title
    let table = Self.table(result)
    let verdicts = result.workload.targets.compactMap { $0.verdict(result.measurements) }
    sections += "\n## \(title) (`\(result.name)`)\n\n\(table.markdown)\n"
    sections += verdicts.map { "\n\($0)\n" }.joined()
    return (["\n\(result.name): \(title)\n", table.plain] + verdicts).joined(separator: "\n")
  }

  private static func table(_ result: WorkloadResult) -> Table {
    let unit = result.workload.unit
    let allocations = unit.count == 1 ? "allocs" : "allocs/\(unit.element)"
    var table = Table(header: [
      "contender",
      "encode \(unit.name)", "× floor", "× Keepsake", allocations,
      "decode \(unit.name)", "× floor", "× Keepsake", allocations,
      "bytes", "remarks",
    ])
    for measurement in result.measurements {
      table.rows.append(
        [measurement.contender.name]
          + Direction.allCases.flatMap { cells(measurement, $0, of: result) }
          + [
            Figure.count(measurement.trial.encodedSize),
            measurement.trial.failure ?? measurement.trial.note ?? "",
          ]
      )
    }
    return table
  }

  private static func cells(
    _ measurement: Measurement,
    _ direction: Direction,
    of result: WorkloadResult
  ) -> [String] {
    guard let figures = measurement.figures(direction) else { return Array(repeating: Figure.none, count: 4) }
    let unit = result.workload.unit
    func ratio(to other: Measurement?) -> String {
      Figure.number(other?.figures(direction).map { figures.nanoseconds / $0.nanoseconds })
    }
    return [
      Figure.number(unit.value(nanoseconds: figures.nanoseconds)),
      ratio(to: result.floor),
      ratio(to: result.keepsake),
      Figure.number(figures.allocations.map { Double($0) / Double(unit.count) }),
    ]
  }

  private static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }
}
