/// How much data the workloads make, and of what.
struct Scale {
  /// One tenth of the data for a look at whether everything works, one hundredth for counting; 1 for all of it.
  var divisor = 1

  /// A file of statuses for the workload `tweets`, which otherwise makes some up.
  var tweetsPath: String?

  /// The number of elements to make where a full run has `full`.
  func count(_ full: Int) -> Int {
    max(1, full / divisor)
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

  /// What allocations and instructions are counted for.
  var element: String {
    switch self {
    case .nanosecondsPer(let element, _): element
    case .milliseconds: "operation"
    }
  }

  /// How many elements one operation handles.
  var count: Int {
    switch self {
    case .nanosecondsPer(_, let count): max(1, count)
    case .milliseconds: 1
    }
  }

  /// The number of this unit in a time of `nanoseconds`.
  func value(nanoseconds: Double) -> Double {
    switch self {
    case .nanosecondsPer: nanoseconds / Double(count)
    case .milliseconds: nanoseconds / 1_000_000
    }
  }
}

/// A workload that has made its data and can say what its contenders are.
struct PreparedWorkload {
  /// A sentence that says what the data is.
  var title: String

  /// What the times are given in.
  var unit: TimeUnit

  /// Everything that is timed, in the order of the table.
  var contenders: [Contender]

  /// What Keepsake's size is held to.
  var targets: [SizeTarget] = []
}

/// One kind of data to encode and decode.
struct Workload: Sendable {
  /// The name that chooses it on the command line.
  var name: String

  /// Which part of the data is enough to count allocations and instructions: valgrind makes everything fifty times as
  /// slow, and what an element costs can be seen from few where all are of one kind.
  var countingDivisor = 20

  /// Whether it is counted: not where another workload has data of the same kind and differs only in its contenders.
  var isCounted = true

  /// Makes the data and the contenders. Called only when the workload is run.
  var prepare: @Sendable (Scale) throws -> PreparedWorkload

  /// Every workload, in the order of the report.
  static var all: [Workload] {
    [
      .records, .graph, .doubles, .integers, .coordinates, .strings, .data, .bytes, .dictionary, .enumeration,
      .optionals, .identifiers, .smallGraph(nodes: 500), .smallGraph(nodes: 2_000),
      .cycles, .sourceAnalyser, .subclasses, .models, .protocols, .tweets,
      .partialKeys, .partialCases, .partialColumn, .partialSkip,
    ] + small
  }
}
