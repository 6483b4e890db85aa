import Keepsake

/// The bytes under each key: a row for each name, found by the key's number if it has one.
struct KeyRows {
  struct Row {
    let name: String
    /// The number of values under the key.
    var count = 0
    /// Their bytes, without those under nested keys.
    var ownBytes = 0
    /// Their bytes with all nested values in the same body. They count once if the key is nested in itself.
    var totalBytes = 0
    /// The number of values under this key that are open.
    var openCount = 0

    var own: ArchiveStatistics.Tally { .init(count: count, bytes: ownBytes) }
  }

  /// Bytes under no key: the container of the top level itself, and bodies to which nothing refers.
  static let outside = 0
  /// Integer keys of dictionaries are usually data, and share a row.
  static let integers = 1
  /// The keys after the first ones, if dictionaries have too many different keys.
  static let furtherKeys = 2

  /// The most keys of dictionaries that get a row each: a dictionary may have very many.
  static let mostDictionaryKeys = 10_000

  private(set) var rows = [
    Row(name: "(under no key)"), Row(name: "(integer keys)"), Row(name: "(further keys of dictionaries)"),
  ]
  /// For each key of the key table, its row, or 0 if the key has not occurred yet.
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
    // While a value under the key is open, its end counts the bytes. Otherwise they are an object's own.
    if rows[row].openCount == 0 { rows[row].totalBytes += bytes }
  }

  mutating func open(_ row: Int) {
    rows[row].count += 1
    rows[row].openCount += 1
  }

  /// Ends a value under the key. `bytes` includes its contents.
  mutating func close(_ row: Int, _ bytes: Int) {
    rows[row].openCount -= 1
    if rows[row].openCount == 0 { rows[row].totalBytes += bytes }
  }
}
