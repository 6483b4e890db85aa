/// A string that equals another only if their UTF-8 does, so two spellings of one text remain two keys.
package struct ExactString: Hashable {
  package let string: String

  package init(string: String) { self.string = string }

  package static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.withUTF8Bytes { left in right.string.withUTF8Bytes { left.hasSameBytes(as: $0) } }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(string.withUTF8Bytes { KeyHash.seeded.of($0) })
  }
}

/// The keys that a session has met, with numbers that hold within the session.
struct KeyRegistry {
  private(set) var names: [String] = []
  private var slots = SlotTable(for: 0)

  /// The number of the key `name`, if the session has met it.
  func existingNumber(for name: String) -> Int? { search(name).number }

  mutating func number(for name: String) -> Int { search(name).number ?? add(name) }

  /// The number of the key whose UTF-8 is in `range`; throws if that is not UTF-8.
  mutating func number(forUTF8In range: Range<Int>, _ reader: ByteReader) throws(ArchiveError) -> Int {
    if let number = try reader.withBytes(range, { search($0).number }) { return number }
    return add(try reader.string(range))
  }

  private func search(_ name: String) -> (hash: UInt32, number: Int?) { name.withUTF8Bytes { search($0) } }

  // Not inlined, since a string has two forms, with a copy for each.
  @inline(never)
  private func search(_ utf8: RawSpan) -> (hash: UInt32, number: Int?) {
    let hash = KeyHash.seeded.of(utf8)
    return (hash, slots.slot(hash) { names[$0].withUTF8Bytes { $0.hasSameBytes(as: utf8) } })
  }

  private mutating func add(_ name: String) -> Int {
    names.append(name)
    slots.enterLast(of: names.count) { [names] in names[$0].withUTF8Bytes { KeyHash.seeded.of($0) } }
    return names.count - 1
  }
}
