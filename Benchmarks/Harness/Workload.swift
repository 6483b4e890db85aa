/// The amount and the source of the data of the workloads.
struct Scale {
  /// The divisor of the data: 1 for all of it, 10 for a quick check, ``Workload/countingDivisor`` for counting.
  var divisor = 1

  /// A file of statuses for the workload `tweets`, which otherwise generates them.
  var tweetsPath: String?

  /// The number of elements to make, if a full run has `full`.
  func count(_ full: Int) -> Int {
    max(1, full / divisor)
  }
}

/// The unit of the times of a workload.
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

  /// The element for which allocations and instructions are counted.
  var element: String {
    switch self {
    case .nanosecondsPer(let element, _): element
    case .milliseconds: "operation"
    }
  }

  /// The number of elements that one operation handles.
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

/// A workload that has made its data and its contenders.
struct PreparedWorkload {
  /// A description of the data.
  var title: String

  /// The unit of the times.
  var unit: TimeUnit

  /// Everything to time, in the order of the table.
  var contenders: [Contender]

  /// The targets for Keepsake's size.
  var targets: [SizeTarget] = []
}

/// One kind of data to encode and decode.
struct Workload: Sendable {
  /// The name of the workload on the command line.
  var name: String

  /// The divisor of the data for counting allocations and instructions. Valgrind makes everything fifty times as slow,
  /// and if all elements are of one kind, a few of them show the cost of an element.
  var countingDivisor = 20

  /// Whether the workload is counted: not if another one has data of the same kind and differs only in its contenders.
  var isCounted = true

  /// Makes the data and the contenders. Called only if the workload runs.
  var prepare: @Sendable (Scale) throws -> PreparedWorkload

  /// Every workload, in the order of the report.
  static var all: [Workload] {
    [
      .records, .graph, .doubles, .integers, .coordinates, .strings, .data, .bytes, .dictionary, .enumeration,
      .optionals, .identifiers, .amounts, .smallGraph(nodes: 500), .smallGraph(nodes: 2_000),
      .cycles, .sourceAnalyser, .subclasses, .models, .protocols, .tweets, .typeErased,
      .partialKeys, .partialCases, .partialColumn, .partialSkip,
    ] + small
  }
}
