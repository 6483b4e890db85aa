/// The numbers that the keys of one type have in the archives of a session. Cases of an enumeration of at most one byte
/// are looked up by their bit pattern.
final class DecodingKeyTable: SpareKeeper {
  private static let unknown = -2

  let keyType: any CodingKey.Type
  @safe @exclusivity(unchecked) private var numbers: [Int]
  @safe @exclusivity(unchecked) var spares = SpareContainers<DecodingContainerState>()
  /// The other names under which a missing value may be archived.
  @safe @exclusivity(unchecked) var otherNames = ObservableKeyNames.unknown
  /// Whether keys may have integer values, which coding paths show. Each case is asked at its first request.
  @safe @exclusivity(unchecked) private(set) var mayHaveNumbers: Bool

  /// All keys of records, for such an enumeration: a ``KeyList`` for each shape, by its first slot.
  @safe @exclusivity(unchecked) private var keyLists: [Int: AnyObject] = [:]
  private static let mostKeyLists = 64

  init<Key: CodingKey>(_ type: Key.Type) {
    keyType = type
    let isDynamic = Key.isDynamic
    mayHaveNumbers = isDynamic
    numbers = isDynamic ? [] : Array(repeating: DecodingKeyTable.unknown, count: 256)
  }

  /// A keyed container for the value at `offset`, whose frame is open: one that is no longer in use, or a new one.
  @inline(__always)
  func container<Key: CodingKey>(
    _ session: DecodingSession,
    _ offset: Int,
    _ depth: Int
  ) -> KeyedDecodingContainer<Key> {
    guard let spare = spares.unretained(KeyedDecodingContainer<Key>.self) else {
      return newContainer(session, offset, depth)
    }
    return spare.use {
      $0.state.begin(at: offset, depth)
      return $0.take()
    }
  }

  // Not inlined, so that only this function looks up the metadata of the container.
  @inline(never)
  private func newContainer<Key: CodingKey>(
    _ session: DecodingSession,
    _ offset: Int,
    _ depth: Int
  ) -> KeyedDecodingContainer<Key> {
    let state = DecodingContainerState(session, self, offset, depth)
    let container = KeyedDecodingContainer(KeyedValueDecoder<Key>(state))
    guard session.types.kept.isKeeping else { return container }
    let isFirst = spares.isEmpty
    if spares.keep(container, state) != nil, isFirst { session.types.kept.append(self) }
    return container
  }

  /// The number of `key`; -1 if no record of the archive or an earlier one has it.
  @inline(__always)
  func number<Key: CodingKey>(of key: Key, in session: DecodingSession) -> Int {
    guard let bits = bitPattern(of: key), bits < numbers.count else {
      return number(ofLarge: key, in: session)
    }
    let known = numbers[bits]
    return known != DecodingKeyTable.unknown ? known : number(ofNew: key, bits, in: session)
  }

  @inline(never)
  private func number<Key: CodingKey>(
    ofNew key: Key,
    _ bits: Int,
    in session: DecodingSession
  ) -> Int {
    if key.intValue != nil { mayHaveNumbers = true }
    let number = session.keyNumber(key.stringValue)
    numbers[bits] = number
    return number
  }

  /// Forgets which keys have no number. Call this when an archive has new keys.
  func forgetMissingKeys() {
    for bits in numbers.indices where numbers[bits] < 0 { numbers[bits] = DecodingKeyTable.unknown }
    otherNames = .unknown
  }

  @inline(never)
  private func number<Key: CodingKey>(ofLarge key: Key, in session: DecodingSession) -> Int {
    session.keyNumber(key.stringValue)
  }

  /// All keys of records with the shape of `head`, if they are kept. `Key` is the type of the table.
  func keys<Key: CodingKey>(of head: KeyedHead) -> [Key]? {
    guard head.isRecord, head.count > 0, let list = keyLists[head.firstSlot] else { return nil }
    return knownDowncast(list, to: KeyList<Key>.self).keys
  }

  /// Keeps all keys of records with the shape of `head`: an enumeration asks for them at each value.
  func keep<Key: CodingKey>(_ keys: [Key], of head: KeyedHead) {
    guard !numbers.isEmpty, head.isRecord, head.count > 0,
      keyLists.count < DecodingKeyTable.mostKeyLists
    else { return }
    keyLists[head.firstSlot] = KeyList(keys)
  }
}

private final class KeyList<Key: CodingKey> {
  let keys: [Key]

  init(_ keys: [Key]) { self.keys = keys }
}
