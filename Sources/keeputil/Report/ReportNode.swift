import Keepsake

/// What a node in the trees of a report is, in the few kinds that a reader of the page tells apart.
enum ReportKind: Int, CaseIterable {
  case archive, group, part, others
  case object, reference, weak
  case list, dictionary, record, numbers
  case text, bytes, number, boolean, date, identifier, nothing
  case type, key

  init(_ kind: StatisticKind) {
    self =
      switch kind {
      case .none, .empty: .nothing
      case .bool: .boolean
      case .integer, .float32, .float64, .decimal: .number
      case .date: .date
      case .uuid, .url: .identifier
      case .string, .sharedString: .text
      case .bytes: .bytes
      case .array: .list
      case .numbers: .numbers
      case .map: .dictionary
      // What is in a wrapper was not kept if this is asked.
      case .record, .some, .typed: .record
      case .object: .object
      case .value: .reference
      case .conditional: .weak
      }
  }

  /// The name in the data of the page.
  var name: String { String(describing: self) }
}

/// A node in a tree of a report.
struct ReportNode {
  /// -1 for the root. A node comes after the one that it is in.
  var parent: Int
  /// A key as it is shown, or an index.
  var label: PathElement?
  var kind: ReportKind
  /// All bytes that are here, those of objects that are first reached from here counted too.
  var bytes: Int
  /// The bytes of the body, for an object.
  var ownBytes = 0
  /// The class of an object, or the type of a value behind a protocol.
  var typeName: String?
  /// The number of the object, or of the one that a reference leads to; 0 for none.
  var body = 0
  /// What a single value holds.
  var text: String?
  /// How many members or things are in it.
  var count = 0
  var references = 0
  /// Whether it has members of which the page tells nothing.
  var isFolded = false
  /// Where it begins in the archive, and where what it is in its body ends: to find it again.
  var extent = 0..<0
  /// The body that it is in.
  var home = 0

  /// Whether it is a body, and not a reference to one.
  var isBody: Bool { body != 0 && kind != .reference && kind != .weak }
}

extension [ReportNode] {
  /// Adds a node that is no value.
  mutating func add(_ label: String?, _ kind: ReportKind, _ tally: ArchiveStatistics.Tally, to parent: Int) {
    let label = label.map(PathElement.key)
    append(ReportNode(parent: parent, label: label, kind: kind, bytes: tally.bytes, count: tally.count))
  }
}
