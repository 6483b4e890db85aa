/// Cached facts about things that are numbered from 0 on, such as the classes of an archive.
struct NumberedCache<Value> {
  private var values: [Value?] = []

  mutating func removeAll() {
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
  }

  /// The facts about the thing with that number. The cache grows to the highest number that is set.
  @inline(__always)
  subscript(number: Int) -> Value? {
    get { number < values.count ? values[number] : nil }
    set {
      while values.count <= number { values.append(nil) }
      values[number] = newValue
    }
  }
}

/// Cached facts about pairs of numbers, such as those of a class and of a key.
struct PairCache<Value> {
  private var rows: [NumberedCache<Value>] = []

  var isEmpty: Bool { rows.isEmpty }

  @inline(__always)
  subscript(row: Int, column: Int) -> Value? {
    get { row < rows.count ? rows[row][column] : nil }
    set {
      while rows.count <= row { rows.append(NumberedCache()) }
      rows[row][column] = newValue
    }
  }
}

extension NumberedCache where Value: AnyObject {
  /// The facts about the thing with that number, to use only as long as the cache keeps them.
  @inline(__always)
  func unretained(_ number: Int) -> Unretained<Value>? {
    guard number < values.count, let value = values[number] else { return nil }
    return Unretained(value)
  }
}

/// Facts about things that are expensive to determine, found by hashes. A later one replaces an earlier one whose hash
/// leads to the same slot.
struct HashedCache<Fact> {
  private static var slotCount: Int { 256 }

  private var facts: [Fact?] = []

  var isEmpty: Bool { facts.isEmpty }

  subscript(hash: UInt32) -> Fact? {
    get { facts.isEmpty ? nil : facts[Int(hash) % Self.slotCount] }
    set {
      if facts.isEmpty { facts = Array(repeating: nil, count: Self.slotCount) }
      facts[Int(hash) % Self.slotCount] = newValue
    }
  }
}
