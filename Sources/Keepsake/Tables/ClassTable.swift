/// A class, or the type of values behind a protocol, as an archive knows it (Format §5.3).
package struct ClassEntry: Sendable, Hashable {
  /// The name by which the type is found again where that is needed.
  package var name: String
  /// The version of the type's own part of the format; 0 where it states none.
  package var version = 0
  /// The number of the superclass in the class table, if that is archived too. A value type has none.
  package var superclass: Int?
  /// Whether an instance was archived where another type was declared, so that the name decides what is
  /// built.
  package var isPolymorphic = false
  /// Whether the type is no class, but that of values which stand behind a protocol. The name always decides
  /// what is built of these, so that such an entry is not polymorphic besides.
  package var isValueType = false
}

/// The flags of an entry, of which it has at most one.
private enum ClassFlags {
  static let polymorphic: UInt8 = 1
  static let valueType: UInt8 = 2
}

/// The classes met while encoding, and the types of values behind protocols.
struct ClassRegistry {
  private(set) var entries: [ClassEntry] = []
  private(set) var types: [Any.Type] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The classes that were found to be polymorphic, in that order.
  private var polymorphic: [Int] = []
  /// The type that was asked for last: objects of one class often come in a row.
  private var latest: (id: ObjectIdentifier, number: Int)?

  struct Mark {
    fileprivate let entries: Int
    fileprivate let polymorphic: Int
  }

  var mark: Mark { Mark(entries: entries.count, polymorphic: polymorphic.count) }

  @inline(__always)
  mutating func number(of type: Any.Type) -> Int? {
    let id = ObjectIdentifier(type)
    if let latest, latest.id == id { return latest.number }
    guard let number = numbers[id] else { return nil }
    latest = (id, number)
    return number
  }

  mutating func add(_ entry: ClassEntry, _ type: Any.Type) -> Int {
    numbers[ObjectIdentifier(type)] = entries.count
    entries.append(entry)
    types.append(type)
    return entries.count - 1
  }

  mutating func rename(_ number: Int, to name: String) { entries[number].name = name }

  mutating func markPolymorphic(_ number: Int) {
    guard !entries[number].isPolymorphic else { return }
    entries[number].isPolymorphic = true
    polymorphic.append(number)
  }

  mutating func truncate(to mark: Mark) {
    latest = nil
    while polymorphic.count > mark.polymorphic {
      entries[polymorphic.removeLast()].isPolymorphic = false
    }
    while entries.count > mark.entries {
      entries.removeLast()
      numbers[ObjectIdentifier(types.removeLast())] = nil
    }
  }

}

extension ClassEntry {
  /// Writes the entry as it stands in the class table (Format §5.3).
  func write(to buffer: ByteBuffer) {
    buffer.append(varint: name.utf8.count)
    buffer.append(utf8: name)
    buffer.append(varint: version)
    buffer.append(varint: superclass.map { $0 + 1 } ?? 0)
    buffer.append(flags)
  }

  fileprivate var flags: UInt8 {
    if isValueType { return ClassFlags.valueType }
    return isPolymorphic ? ClassFlags.polymorphic : 0
  }

  /// Reads the entry at `offset`, which moves behind it; `earlier` are those that stand before it.
  init(_ reader: ByteReader, at offset: inout Int, after earlier: [ClassEntry]) throws(ArchiveError) {
    let nameLength = try reader.varint(at: &offset)
    try reader.check(nameLength, at: offset)
    name = try reader.string(offset..<(offset + nameLength))
    offset += nameLength
    version = try reader.varint(at: &offset)
    let superclassPlace = offset
    let superclass = try reader.varint(at: &offset)
    guard superclass <= earlier.count else {
      throw ArchiveError(
        .damaged,
        "A class names a superclass that does not stand before it",
        byteOffset: superclassPlace
      )
    }
    self.superclass = superclass == 0 ? nil : superclass - 1
    let flags = try reader.byte(at: offset)
    guard [0, ClassFlags.polymorphic, ClassFlags.valueType].contains(flags) else {
      throw ArchiveError(.damaged, "A class has flags that this version does not know", byteOffset: offset)
    }
    isPolymorphic = flags == ClassFlags.polymorphic
    isValueType = flags == ClassFlags.valueType
    if let superclass = self.superclass, isValueType || earlier[superclass].isValueType {
      throw ArchiveError(
        .damaged,
        "A type that is no class has a superclass or is one",
        byteOffset: superclassPlace
      )
    }
    offset += 1
  }
}
