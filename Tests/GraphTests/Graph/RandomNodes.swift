import Keepsake
import TestSupport

// The objects of the random graphs. Not private, since they are found by name.

struct RandomPair: Codable {
  var plain: RandomNode?
  @Deferred var later: RandomNode?
}

class RandomNode: Codable {
  let number: Int
  var plain: RandomNode?
  @Deferred var later: RandomNode?
  @WeakReference var watched: RandomNode?
  var list: [RandomNode] = []
  @Deferred var laterList: [RandomNode?] = []
  var table: [String: RandomNode] = [:]
  @Deferred var laterTable: [String: RandomNode] = [:]
  var watchedList: [WeakReference<RandomNode>] = []
  var pairs: [RandomPair] = []
  @Deferred var laterPairs: [RandomPair] = []

  /// The keys of plain references are not the names of their properties, so none can be read last.
  private enum CodingKeys: CodingKey {
    case number, aPlain, later, watched, aList, laterList, aTable, laterTable, watchedList, somePairs,
      laterPairs
  }

  init(_ number: Int) {
    self.number = number
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    number = try container.decode(Int.self, forKey: .number)
    if let early = self as? EarlyRandomNode { decoder.register(early) }
    plain = try container.decodeIfPresent(RandomNode.self, forKey: .aPlain)
    _later = try container.decode(Deferred<RandomNode?>.self, forKey: .later)
    _watched = try container.decode(WeakReference<RandomNode>.self, forKey: .watched)
    list = try container.decode([RandomNode].self, forKey: .aList)
    _laterList = try container.decode(Deferred<[RandomNode?]>.self, forKey: .laterList)
    table = try container.decode([String: RandomNode].self, forKey: .aTable)
    _laterTable = try container.decode(Deferred<[String: RandomNode]>.self, forKey: .laterTable)
    watchedList = try container.decode([WeakReference<RandomNode>].self, forKey: .watchedList)
    pairs = try container.decode([RandomPair].self, forKey: .somePairs)
    _laterPairs = try container.decode(Deferred<[RandomPair]>.self, forKey: .laterPairs)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encodeIfPresent(plain, forKey: .aPlain)
    try container.encode(_later, forKey: .later)
    try container.encode(_watched, forKey: .watched)
    try container.encode(list, forKey: .aList)
    try container.encode(_laterList, forKey: .laterList)
    try container.encode(table, forKey: .aTable)
    try container.encode(_laterTable, forKey: .laterTable)
    try container.encode(watchedList, forKey: .watchedList)
    try container.encode(pairs, forKey: .somePairs)
    try container.encode(_laterPairs, forKey: .laterPairs)
  }
}

/// Registers itself before its references are read.
final class EarlyRandomNode: RandomNode, SelfRegistering {}

// MARK: - Expectations

extension RandomPair {
  var steps: [RandomNode.Step] { [.now(plain), .later([.now(later)])] }
}

extension RandomNode {
  /// How a reader follows the references, in order.
  enum Step {
    case now(RandomNode?)
    /// The content of a deferred value, read when nothing else is left to do.
    case later([Step])
  }

  /// Dictionaries in their current order, in which they are also encoded.
  var steps: [Step] {
    func now(_ nodes: [RandomNode?]) -> [Step] { nodes.map { .now($0) } }
    var steps = [.now(plain), .later([.now(later)])] + now(list) + [.later(now(laterList))]
    steps += now(Array(table.values)) + [.later(now(Array(laterTable.values)))]
    return steps + pairs.flatMap(\.steps) + [.later(laterPairs.flatMap(\.steps))]
  }

  /// All strong references, in an order that is the same in a copy.
  var ordered: [RandomNode?] {
    var all = [plain, later] + list + laterList
    all += table.sorted { $0.key < $1.key }.map(\.value)
    all += laterTable.sorted { $0.key < $1.key }.map(\.value)
    return all + pairs.flatMap { [$0.plain, $0.later] } + laterPairs.flatMap { [$0.plain, $0.later] }
  }

  var strongReferences: [RandomNode] { ordered.compactMap { $0 } }

  var plainReferences: [RandomNode] {
    list + table.values + ([plain] + pairs.map(\.plain)).compactMap { $0 }
  }

  var weakReferences: [RandomNode?] { [watched] + watchedList.map(\.wrappedValue) }

  /// Drops all references, so that cycles are released.
  func cut() {
    (plain, later, list, laterList, table, laterTable) = (nil, nil, [], [], [:], [:])
    (pairs, laterPairs) = ([], [])
  }
}
