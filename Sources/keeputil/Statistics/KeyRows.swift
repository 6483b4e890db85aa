import Keepsake

/// The bytes under each key, by its name: a row for each, found by the key's number where it has one.
struct KeyRows {
  struct Row {
    let name: String
    /// How many values stand under the key.
    var count = 0
    /// Their bytes, without those under keys within them.
    var ownBytes = 0
    /// Their bytes with all that stands in them in the same body, once where the key stands within itself.
    var totalBytes = 0
    /// In how many values under this key the pass is.
    var openCount = 0

    var own: ArchiveStatistics.Tally { .init(count: count, bytes: ownBytes) }
  }

  /// What is under no key: the container of the top level itself, and bodies to which nothing refers.
  static let outside = 0
  /// The integers among the keys of dictionaries are data more often than names, and share a row.
  static let integers = 1
  /// Where there are too many different keys of dictionaries, those after the first.
  static let furtherKeys = 2

  /// A dictionary may have as many keys as there are bytes for them; that is how many get a row each.
  static let mostDictionaryKeys = 10_000

  private(set) var rows = [
    Row(name: "(under no key)"), Row(name: "(integer keys)"), Row(name: "(further keys of dictionaries)"),
  ]
  /// For each key of the key table its row, 0 where it was not met yet.
  private var numbered: [UInt32]
  private var named: [ExactString: UInt32] = [:]
  private var dictionaryKeyCount = 0

  init(_ image: ArchiveImage) {
    numbered = Array(repeating: 0, count: image.keys.count)
  }

  /// The row of a key of a record.
  mutating func row(ofKey number: Int, _ name: String) -> Int {
    if numbered[number] != 0 { return Int(numbered[number]) }
    let exact = ExactString(string: name)
    let row = named[exact] ?? add(exact)
    numbered[number] = row
    return Int(row)
  }

  /// The row of a key of a dictionary.
  mutating func row(ofDictionaryKey name: String) -> Int {
    let exact = ExactString(string: name)
    if let row = named[exact] { return Int(row) }
    guard dictionaryKeyCount < KeyRows.mostDictionaryKeys else { return KeyRows.furtherKeys }
    dictionaryKeyCount += 1
    return Int(add(exact))
  }

  private mutating func add(_ name: ExactString) -> UInt32 {
    let row = UInt32(truncatingIfNeeded: rows.count)
    rows.append(Row(name: name.string))
    named[name] = row
    return row
  }

  mutating func addOwn(_ bytes: Int, to row: Int) {
    rows[row].ownBytes += bytes
    // Within a value under the key they are counted when that ends. The others are an object's own.
    if rows[row].openCount == 0 { rows[row].totalBytes += bytes }
  }

  mutating func open(_ row: Int) {
    rows[row].count += 1
    rows[row].openCount += 1
  }

  /// The value ends, which has `bytes` with all that stands in it.
  mutating func close(_ row: Int, _ bytes: Int) {
    rows[row].openCount -= 1
    if rows[row].openCount == 0 { rows[row].totalBytes += bytes }
  }
}
