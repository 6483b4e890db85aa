/// The records of fields that the compiler makes for `Mirror`.
///
/// This file holds all unsafe code that reads them. The runtime library exports what `Mirror` itself uses: the number
/// of fields of a type, those of superclasses first; the name, type and offset of each; and whether it is a `var` and
/// a strong reference. Only the kind of a reference that is not strong is missing. It comes from the record, which is
/// read like other records. Nothing that is read here comes from an archive, and nothing is written.
///
/// The facts are those of `RuntimeMetadata`. What the third says of descriptors holds for records, too.
extension RuntimeMetadata {
  /// The stored properties of a structure or a class; `nil` for other types, and if there are no records.
  static func storedProperties(of type: Any.Type) -> [StoredProperty]? {
    guard let levels = levels(of: type) else { return nil }
    var properties: [StoredProperty] = []
    for level in levels {
      // The descriptor has the number of fields without superclasses, the runtime that of all fields with records.
      guard properties.count + level.fieldCount == fieldCount(level.type) else { return nil }
      for index in 0..<level.fieldCount {
        guard let property = property(properties.count, of: level.type, record: level.record(index)) else {
          return nil
        }
        properties.append(property)
      }
    }
    return properties
  }

  /// A structure, or a class of a chain.
  private struct Level {
    let type: Any.Type
    let fieldCount: Int
    /// The address of the first record; 0 if there are none.
    let records: UInt
    let recordSize: UInt

    func record(_ index: Int) -> UInt { records == 0 ? 0 : records + UInt(index) * recordSize }
  }

  /// The type itself and, for a class, its superclasses in Swift, the base class first.
  private static func levels(of type: Any.Type) -> [Level]? {
    var levels: [Level] = []
    var next: Any.Type? = type
    while let current = next {
      guard let level = level(current) else { break }
      levels.append(level)
      next = RuntimeTypes.superclass(of: current)
    }
    return levels.isEmpty ? nil : levels.reversed()
  }

  private static func level(_ type: Any.Type) -> Level? {
    // The runtime returns the descriptor of a type that has one. Fact 3: the low five bits of its first word are the
    // kind, 16 for a class and 17 for a structure. The tenth or sixth word of four bytes is the number of fields.
    let descriptor = typeContextDescriptor(address(of: type))
    guard descriptor != 0 else { return nil }
    let kind = unsafe load(UInt32.self, at: descriptor) & 0x1F
    guard kind == 16 || kind == 17 else { return nil }
    let count = unsafe load(UInt32.self, at: descriptor + (kind == 16 ? 36 : 20))
    // Facts 2 and 3: the fifth word leads to the records, or is zero. Before them come two words, two half words, the
    // second of which is the size of a record, and the number of records.
    guard let fields = unsafe direct(at: descriptor + 16) else {
      return Level(type: type, fieldCount: Int(count), records: 0, recordSize: 0)
    }
    guard unsafe load(UInt32.self, at: fields + 12) == count else { return nil }
    let size = unsafe load(UInt16.self, at: fields + 10)
    return Level(type: type, fieldCount: Int(count), records: fields + 16, recordSize: UInt(size))
  }

  /// The field `index` of `type`, which has more fields than that.
  private static func property(_ index: Int, of type: Any.Type, record: UInt) -> StoredProperty? {
    var info = unsafe FieldInfo()
    // The runtime writes the name, the flags and the function that frees the name to the given address.
    let fieldType = unsafe childMetadata(type, index: index, info: &info)
    defer { unsafe info.free?(info.name) }
    // A C string, which exists until it is freed above. Records can also lack names.
    guard let name = unsafe info.name, unsafe name.pointee != 0 else { return nil }
    return StoredProperty(
      name: identifier(reflectedAs: unsafe String(cString: name)),
      type: fieldType,
      target: wrappedType(of: fieldType) ?? fieldType,
      offset: childOffset(type, index: index),
      isVariable: unsafe info.isVar,
      ownership: unsafe info.isStrong ? .strong : ownership(inRecordAt: record),
      owner: type
    )
  }

  /// The kind of a reference that is not strong. Nothing is done with one of unknown kind.
  private static func ownership(inRecordAt record: UInt) -> StoredProperty.Ownership {
    // Fact 3: the second word of a record leads to the mangled name of the type, whose end states the kind.
    guard record != 0, let name = unsafe direct(at: record + 4) else { return .unmanaged }
    let end = unsafe end(ofNameAt: name)
    guard end - name > 2, unsafe load(UInt8.self, at: end - 2) == UInt8(ascii: "X") else { return .unmanaged }
    return switch unsafe load(UInt8.self, at: end - 1) {
    case UInt8(ascii: "w"): .weak
    case UInt8(ascii: "o"): .unowned
    default: .unmanaged
    }
  }
}

// MARK: - The runtime

/// `FieldInfo` of the standard library's `Mirror`, which the runtime fills in.
@unsafe
private struct FieldInfo {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVar = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func childMetadata(_ type: Any.Type, index: Int, info: UnsafeMutablePointer<FieldInfo>) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func childOffset(_ type: Any.Type, index: Int) -> Int

/// The address of the descriptor of the type whose metadata is at an address; 0 if there is none.
@_silgen_name("swift_getTypeContextDescriptor")
func typeContextDescriptor(_ metadata: UInt) -> UInt
