/// A class, or the type of values behind a protocol, as an archive knows it (Format §5.3).
package struct ClassEntry: Sendable, Hashable {
  /// The name by which a reader finds the type if it needs to.
  package var name: String
  /// The version of the type's own encoding; 0 if the type states none.
  package var version = 0
  /// The number of the superclass in the class table, if it is archived, too. A value type has none.
  package var superclass: Int?
  /// Whether an instance was archived where another type was declared, so the name decides what a reader builds.
  package var isPolymorphic = false
  /// Whether the type is not a class, but the type of values behind a protocol. Its name always decides what a
  /// reader builds, so such an entry is never polymorphic.
  package var isValueType = false
  /// The keys of properties that a reader assigns after everything else (Format §5.3).
  package var keysReadLast: [String] = []
}

/// The flags of an entry. A value type has no other.
private enum ClassFlags {
  static let polymorphic: UInt8 = 1
  static let valueType: UInt8 = 2
  static let readsLast: UInt8 = 4
}

/// The classes, and the types of values behind protocols, that the session has encoded.
struct ClassRegistry {
  private static let recentCount = 32

  private(set) var entries: [ClassEntry] = []
  private(set) var types: [Any.Type] = []
  /// Whether each class has weak properties.
  private(set) var weakness: [Bool] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The numbers of types that the program does not have, by entries with only what distinguishes them.
  private var unknown: [ClassEntry: Int] = [:]
  /// The changes to the table in order, so they can be undone.
  private var changes: [Change] = []
  /// The entries, by name, of a file to which a save is appended, that no type has claimed yet.
  private var unclaimed: [String: [Int]] = [:]
  private var keysReadLastCount = 0
  /// The last requested type: objects of one class often come in a row.
  private var latest: (id: ObjectIdentifier, number: Int)?
  /// Types that were requested before it, by their slots; empty until there are two types.
  private var recent: [(id: ObjectIdentifier, number: Int)?] = []

  private enum Change {
    case added
    case claimed(Int)
    case madePolymorphic(Int)
    case gotKeyReadLast(Int)
  }

  var changeCount: Int { changes.count }

  @inline(__always)
  mutating func number(of type: Any.Type) -> Int? {
    let id = ObjectIdentifier(type)
    if let latest, latest.id == id { return latest.number }
    return search(id)
  }

  // Hashing a type takes as long as encoding a small object.
  @inline(never)
  private mutating func search(_ id: ObjectIdentifier) -> Int? {
    let slot = id.slot(of: ClassRegistry.recentCount)
    if slot < recent.count, let known = recent[slot], known.id == id {
      latest = known
      return known.number
    }
    guard let number = numbers[id] else { return nil }
    if latest != nil {
      if recent.isEmpty { recent = Array(repeating: nil, count: ClassRegistry.recentCount) }
      recent[slot] = (id, number)
    }
    latest = (id, number)
    return number
  }

  mutating func add(_ entry: ClassEntry, _ type: Any.Type, isWeak: Bool = false) -> Int {
    let number = enter(entry, type, isWeak: isWeak)
    numbers[ObjectIdentifier(type)] = number
    return number
  }

  /// Begins with the entries of a file to which a save is appended. Types that have one there keep their numbers.
  mutating func takeOver(_ fileEntries: [ClassEntry]) {
    for (number, entry) in fileEntries.enumerated() { unclaimed[entry.name, default: []].append(number) }
    entries = fileEntries
    types = Array(repeating: Never.self, count: entries.count)
    weakness = Array(repeating: false, count: entries.count)
    keysReadLastCount = entries.reduce(0) { $0 + $1.keysReadLast.count }
  }

  /// Whether the entry is that of a class of the file which no type of the program has claimed.
  func isUnclaimedClass(_ number: Int, polymorphic: Bool) -> Bool {
    let entry = entries[number]
    return types[number] == Never.self && entry.isPolymorphic == polymorphic && !entry.isValueType
  }

  /// Claims the entry of the file that matches `entry` and has no type yet; otherwise appends `entry`.
  private mutating func enter(_ entry: ClassEntry, _ type: Any.Type, isWeak: Bool) -> Int {
    if let candidates = unclaimed[entry.name],
      let offset = candidates.firstIndex(where: { entries[$0].identity == entry.identity })
    {
      let number = candidates[offset]
      unclaimed[entry.name]?.remove(at: offset)
      (types[number], weakness[number]) = (type, isWeak)
      changes.append(.claimed(number))
      return number
    }
    entries.append(entry)
    types.append(type)
    weakness.append(isWeak)
    keysReadLastCount += entry.keysReadLast.count
    changes.append(.added)
    return entries.count - 1
  }

  /// The number of a type that the program does not have, for which `placeholder` stands.
  mutating func number(ofUnknown entry: ClassEntry, _ placeholder: Any.Type) -> Int {
    if let number = unknown[entry.identity] {
      if entry.isPolymorphic { markPolymorphic(number) }
      return number
    }
    let number = enter(entry, placeholder, isWeak: false)
    unknown[entry.identity] = number
    return number
  }

  mutating func rename(_ number: Int, to name: String) { entries[number].name = name }

  mutating func markPolymorphic(_ number: Int) {
    guard !entries[number].isPolymorphic else { return }
    entries[number].isPolymorphic = true
    changes.append(.madePolymorphic(number))
  }

  var hasKeysReadLast: Bool { keysReadLastCount > 0 }

  mutating func readLast(_ key: String, of number: Int) {
    entries[number].keysReadLast.append(key)
    keysReadLastCount += 1
    changes.append(.gotKeyReadLast(number))
  }

  /// Begins the table of another archive, in the same memory.
  mutating func removeAll() {
    truncate(to: 0)
    // Entries of a file are not among the changes.
    if !entries.isEmpty { self = ClassRegistry() }
  }

  /// Takes back all changes after the first `count`.
  mutating func truncate(to count: Int) {
    (latest, recent) = (nil, [])
    while changes.count > count {
      switch changes.removeLast() {
      case .added:
        forgetType(of: entries.count - 1)
        keysReadLastCount -= entries.removeLast().keysReadLast.count
        types.removeLast()
        weakness.removeLast()
      case .claimed(let number):
        forgetType(of: number)
        (types[number], weakness[number]) = (Never.self, false)
        unclaimed[entries[number].name, default: []].append(number)
      case .madePolymorphic(let number): entries[number].isPolymorphic = false
      case .gotKeyReadLast(let number):
        entries[number].keysReadLast.removeLast()
        keysReadLastCount -= 1
      }
    }
  }

  private mutating func forgetType(of number: Int) {
    if !unknown.isEmpty, unknown[entries[number].identity] == number {
      unknown[entries[number].identity] = nil
    } else {
      numbers[ObjectIdentifier(types[number])] = nil
    }
  }
}

extension [ClassEntry] {
  /// The numbers of an entry and of those of its superclasses.
  @inline(never)
  func chain(of number: Int) -> [Int] {
    [Int](sequence(first: number) { self[$0].superclass })
  }

  /// The names of an entry and of those of its superclasses.
  package func names(of number: Int) -> [String] { chain(of: number).map { self[$0].name } }

  /// Whether a class of the chain of `number` reads the property with `key` last.
  func readLast(_ key: String, by number: Int) -> Bool {
    let key = ExactString(string: key)
    return chain(of: number).contains { self[$0].keysReadLast.contains { ExactString(string: $0) == key } }
  }
}

extension ClassEntry {
  /// What distinguishes the type. A type that would get an entry with the same identity now can use this one.
  fileprivate var identity: ClassEntry {
    ClassEntry(name: name, version: version, superclass: superclass, isValueType: isValueType)
  }

  /// Whether the entry has the same bytes in a class table as `other`.
  func isWritten(as other: ClassEntry) -> Bool {
    // Equal strings may have different bytes.
    self == other && texts == other.texts
  }

  private var texts: ExactString { ExactString(string: ([name] + keysReadLast).joined(separator: " ")) }

  /// Writes the entry as it stands in the class table (Format §5.3).
  func write(to buffer: ByteBuffer) {
    buffer.append(text: name)
    buffer.append(varint: version)
    buffer.append(varint: superclass.map { $0 + 1 } ?? 0)
    buffer.append(flags)
    guard !keysReadLast.isEmpty else { return }
    buffer.append(varint: keysReadLast.count)
    for key in keysReadLast { buffer.append(text: key) }
  }

  private var flags: UInt8 {
    if isValueType { return ClassFlags.valueType }
    return (isPolymorphic ? ClassFlags.polymorphic : 0) | (keysReadLast.isEmpty ? 0 : ClassFlags.readsLast)
  }

  /// Reads the entry at `offset`, which moves past it. `earlier` are the entries before it.
  init(_ reader: ByteReader, at offset: inout Int, after earlier: [ClassEntry]) throws(ArchiveError) {
    name = try reader.tableString(at: &offset)
    version = try reader.varint(at: &offset)
    let superclassOffset = offset
    let superclass = try reader.varint(at: &offset)
    guard superclass <= earlier.count else {
      throw .damaged(
        "A class names a superclass that is not before it in the table",
        at: superclassOffset
      )
    }
    self.superclass = superclass == 0 ? nil : superclass - 1
    let flags = try reader.byte(at: offset)
    isValueType = flags == ClassFlags.valueType
    guard isValueType || flags & ~(ClassFlags.polymorphic | ClassFlags.readsLast) == 0 else {
      throw .damaged("A class has unknown flags", at: offset)
    }
    isPolymorphic = flags & ClassFlags.polymorphic != 0
    if let superclass = self.superclass, isValueType || earlier[superclass].isValueType {
      throw .damaged("A structure or enumeration has a superclass, or is a superclass", at: superclassOffset)
    }
    offset += 1
    if flags & ClassFlags.readsLast != 0 { try readKeysReadLast(reader, at: &offset) }
  }

  /// Moves `offset` past the entry there. Checks only what determines its length.
  static func skip(_ reader: ByteReader, at offset: inout Int) throws(ArchiveError) {
    _ = try reader.countedRange(at: &offset)
    _ = try reader.varint(at: &offset)
    _ = try reader.varint(at: &offset)
    let flags = try reader.byte(at: offset)
    offset += 1
    guard flags != ClassFlags.valueType, flags & ClassFlags.readsLast != 0 else { return }
    for _ in 0..<(try reader.varint(at: &offset)) { _ = try reader.countedRange(at: &offset) }
  }

  private mutating func readKeysReadLast(_ reader: ByteReader, at offset: inout Int) throws(ArchiveError) {
    let start = offset
    let count = try reader.varint(at: &offset)
    try reader.check(count, at: offset)
    for _ in 0..<count { keysReadLast.append(try reader.tableString(at: &offset)) }
    guard count > 0, Set(keysReadLast.map(ExactString.init)).count == count else {
      throw .damaged("A class lists no keys that are read last, or lists one twice", at: start)
    }
  }
}

extension ByteReader {
  /// Reads a text of a table: a number of bytes, and the bytes.
  fileprivate func tableString(at offset: inout Int) throws(ArchiveError) -> String {
    try string(countedRange(at: &offset))
  }
}
