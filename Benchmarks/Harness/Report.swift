import Foundation

/// Turns measurements into tables, for the terminal and for a Markdown file.
struct Report {
  /// The finished sections as Markdown.
  private(set) var markdown: String

  /// Starts a report whose head says where and how the figures were made.
  init(options: Options) {
    let date = ISO8601DateFormatter().string(from: Date()).prefix(10)
    let process = ProcessInfo.processInfo
    let build =
      Self.isOptimized
      ? "release build" : "DEBUG BUILD, the figures mean nothing: run with `swift run -c release`"
    head = """
      \(date), \(Self.processor), \(process.activeProcessorCount) cores, \(process.operatingSystemVersionString), \
      \(build); medians of \(options.rounds) interleaved rounds\(options.isQuick ? ", a tenth of the data" : "").
      Floor: an encoder that only visits every value, a decoder that only replays recorded values. \
      "× floor": time divided by the floor's. "× Keepsake": time divided by Keepsake's.
      """
    markdown = "# Benchmarks\n\n\(head)\n"
  }

  /// What the report starts with.
  let head: String

  /// Adds a workload and returns its section as it should look in a terminal.
  mutating func add(name: String, workload: PreparedWorkload, measurements: [Measurement]) -> String {
    let table = Self.table(unit: workload.unit, measurements: measurements)
    markdown += "\n## \(workload.title) (`\(name)`)\n\n\(table.markdown)\n"
    return "\n\(name): \(workload.title)\n\n\(table.plain)"
  }

  private static func table(unit: TimeUnit, measurements: [Measurement]) -> Table {
    let floor = measurements.first { $0.contender.role == .floor }
    let keepsake = measurements.first { $0.contender.role == .keepsake }
    var table = Table(header: [
      "contender",
      "encode \(unit.name)", "× floor", "× Keepsake",
      "decode \(unit.name)", "× floor", "× Keepsake",
      "bytes", "remarks",
    ])
    for measurement in measurements {
      table.rows.append(
        [measurement.contender.name]
          + cells(measurement.encode, unit: unit, floor: floor?.encode, keepsake: keepsake?.encode)
          + cells(measurement.decode, unit: unit, floor: floor?.decode, keepsake: keepsake?.decode)
          + [
            Figure.count(measurement.contender.encodedSize),
            measurement.contender.failure ?? measurement.contender.note ?? "",
          ]
      )
    }
    return table
  }

  private static func cells(
    _ nanoseconds: Double?,
    unit: TimeUnit,
    floor: Double?,
    keepsake: Double?
  ) -> [String] {
    guard let nanoseconds else { return Array(repeating: Figure.none, count: 3) }
    return [
      Figure.number(unit.value(nanoseconds: nanoseconds)),
      Figure.number(floor.map { nanoseconds / $0 }),
      Figure.number(keepsake.map { nanoseconds / $0 }),
    ]
  }

  private static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  /// The processor's name where the system tells it.
  private static var processor: String {
    let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    return name ?? "unnamed processor"
  }
}
