/// How much data the workloads make.
struct Scale {
  /// Whether a tenth of the data is enough, for a look at whether everything works.
  var isQuick: Bool

  /// The number of elements to make where a full run has `full`.
  func count(_ full: Int) -> Int {
    isQuick ? max(1, full / 10) : full
  }
}

/// What the times of a workload are given in.
enum TimeUnit {
  /// Nanoseconds for each of `count` elements.
  case nanosecondsPer(String, count: Int)
  /// Milliseconds for the whole.
  case milliseconds

  /// The name for a column heading.
  var name: String {
    switch self {
    case .nanosecondsPer(let element, _): "ns/\(element)"
    case .milliseconds: "ms"
    }
  }

  /// The number of this unit in a time of `nanoseconds`.
  func value(nanoseconds: Double) -> Double {
    switch self {
    case .nanosecondsPer(_, let count): nanoseconds / Double(max(1, count))
    case .milliseconds: nanoseconds / 1_000_000
    }
  }
}

/// A workload that has made its data and checked its contenders.
struct PreparedWorkload {
  /// A sentence that says what the data is.
  var title: String

  /// What the times are given in.
  var unit: TimeUnit

  /// Everything that is timed, in the order of the table.
  var contenders: [Contender]
}

/// One kind of data to encode and decode.
struct Workload: Sendable {
  /// The name that chooses it on the command line.
  var name: String

  /// Makes the data and the contenders. Called only when the workload is run.
  var prepare: @Sendable (Scale) throws -> PreparedWorkload

  /// Every workload, in the order of the report.
  static var all: [Workload] {
    [
      .records, .graph, .doubles, .integers, .strings, .data, .bytes, .dictionary, .enumeration,
      .optionals, .identifiers, .smallGraph(nodes: 500), .smallGraph(nodes: 2_000),
      .cycles, .subclasses, .models, .protocols,
    ]
  }
}
