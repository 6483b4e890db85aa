import Keepsake

/// The kinds of nodes in the trees of a report.
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
      // A wrapper has this kind only if its content was folded.
      case .record, .some, .typed: .record
      case .object: .object
      case .value: .reference
      case .conditional: .weak
      }
  }

  /// The name in the data of the page.
  var name: String { String(describing: self) }
}

struct ReportNode {
  /// -1 for the root. A node comes after the node that contains it.
  var parent: Int
  /// A displayed key, or an index.
  var label: PathElement?
  var kind: ReportKind
  /// All its bytes, including those of objects that are first reached from here.
  var bytes: Int
  /// For an object, the bytes of its body.
  var ownBytes = 0
  /// The class of an object, or the type of a value behind a protocol.
  var typeName: String?
  /// The number of the object or of the target of a reference, 0 for none.
  var body = 0
  /// The content of a single value.
  var text: String?
  /// The number of its members or contents.
  var count = 0
  var references = 0
  /// Whether it has members that the page does not show.
  var isFolded = false
  /// Its range of offsets within its body, by which it is found again.
  var extent = 0..<0
  /// The number of the body that contains it.
  var home = 0

  /// Whether the node is a body, not a reference to one.
  var isBody: Bool { body != 0 && kind != .reference && kind != .weak }
}

extension [ReportNode] {
  /// Adds a node that is not a value.
  mutating func add(_ label: String?, _ kind: ReportKind, _ tally: ArchiveStatistics.Tally, to parent: Int) {
    let label = label.map(PathElement.key)
    append(ReportNode(parent: parent, label: label, kind: kind, bytes: tally.bytes, count: tally.count))
  }
}
