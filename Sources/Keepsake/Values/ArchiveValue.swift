/// Any value of an opened archive, as it stands there and without a Swift type: a place in the bytes and the
/// kind of what begins there. Nothing else is read before it is asked for.
package struct ArchiveValue {
  /// The kinds of values (Format §4), the several ways of writing one of them folded together.
  package enum Kind: String, Sendable {
    case none, empty, some, bool, integer, float32, float64
    case date, uuid, decimal, url, string, bytes
    case array, numbers, map, record, typed
    /// References: to an object, to a value of the top level, to an object that may not be archived.
    case object, value, conditional
  }

  package let image: ArchiveImage
  /// Where the value begins, in bytes from the start of the archive.
  package let offset: Int
  let tag: UInt8
  package let kind: Kind

  /// The value that begins at `offset`.
  package init(_ image: ArchiveImage, at offset: Int) throws(ArchiveError) {
    self.image = image
    self.offset = offset
    tag = try image.reader.byte(at: offset)
    kind =
      switch TagKind(tag) {
      case .none: .none
      case .empty: .empty
      case .some: .some
      case .bool: .bool
      case .integer, .smallInteger, .uint64, .int128, .uint128: .integer
      case .float32: .float32
      case .float64: .float64
      case .date: .date
      case .uuid: .uuid
      case .decimal: .decimal
      case .url: .url
      case .string, .shortString, .stringReference: .string
      case .bytes: .bytes
      case .array, .shortArray: .array
      case .packedArray: .numbers
      case .map: .map
      case .record, .shortRecord: .record
      case .typed: .typed
      case .objectReference: .object
      case .valueReference: .value
      case .conditionalReference: .conditional
      case .reserved: throw image.unknownTag(tag, at: offset)
      }
  }

  /// The bytes that the value takes, those of the objects not counted that it refers to.
  package var byteRange: Range<Int> {
    get throws(ArchiveError) { offset..<(try image.end(ofValueAt: offset, in: image.reader)) }
  }

  // MARK: Members

  /// Whether other values stand in this one.
  package var hasMembers: Bool {
    switch kind {
    case .array, .map, .record, .some, .url, .typed: true
    default: false
    }
  }

  /// How many elements, keys or numbers the value has: `nil` for one that is no collection.
  package var count: Int? {
    get throws(ArchiveError) {
      switch kind {
      case .array, .map, .record: try head().count
      case .numbers: try image.packedArray(at: offset, in: image.reader).count
      default: nil
      }
    }
  }

  /// How many values stand in this one, where the first of them is, and for a record its shape's slots.
  func head() throws(ArchiveError) -> (count: Int, payload: Int, slots: Range<Int>) {
    var place = offset + 1
    switch TagKind(tag) {
    case .some, .url:
      return (1, place, 0..<0)
    case .typed:
      place = offset
      _ = try image.valueTypeNumber(at: &place)
      return (1, place, 0..<0)
    case .shortArray:
      return (Int(tag - Tag.shortArray), place, 0..<0)
    case .array, .map:
      let count = try image.reader.varint(at: &place)
      // A member takes a byte at least.
      try image.reader.check(count, at: place)
      return (count, place, 0..<0)
    case .shortRecord:
      let slots = try image.shape(Int(tag - Tag.shortRecord), at: offset)
      return (slots.count, place, slots)
    case .record:
      let slots = try image.shape(try image.reader.varint(at: &place), at: offset)
      return (slots.count, place, slots)
    default:
      return (0, place, 0..<0)
    }
  }

  /// The name of the type of a value behind a protocol, as it stands in the archive; `nil` for a value of
  /// another kind.
  package var typeName: String? {
    get throws(ArchiveError) {
      guard kind == .typed else { return nil }
      var place = offset
      return image.classes[try image.valueTypeNumber(at: &place)].name
    }
  }

  /// What stands behind the mark of an optional or the name of a type; `nil` for a value of another kind.
  package var content: ArchiveValue? {
    get throws(ArchiveError) {
      guard kind == .typed || kind == .some else { return nil }
      return try ArchiveValue(image, at: head().payload)
    }
  }

  /// What stands in the value, in the order of writing.
  package func members() throws(ArchiveError) -> [(label: PathElement?, value: ArchiveValue)] {
    var members: [(label: PathElement?, value: ArchiveValue)] = []
    var walk = ArchiveWalk(self)
    _ = try walk.next()
    while case .value(let member, let label) = try walk.next() {
      members.append((label, member))
      try walk.skipMembers()
    }
    return members
  }

  /// The value under `key` of a record or map, `nil` when there is none.
  package subscript(key: String) -> ArchiveValue? {
    get throws(ArchiveError) {
      try member {
        if case .key(let name)? = $0 { name.utf8.elementsEqual(key.utf8) } else { false }
      }
    }
  }

  /// The element at `index` of an array, `nil` when there is none.
  package subscript(index: Int) -> ArchiveValue? {
    get throws(ArchiveError) { try member { $0 == .index(index) } }
  }

  private func member(where isWanted: (PathElement?) -> Bool) throws(ArchiveError) -> ArchiveValue? {
    var walk = ArchiveWalk(self)
    _ = try walk.next()
    while case .value(let member, let label) = try walk.next() {
      if isWanted(label) { return member }
      try walk.skipMembers()
    }
    return nil
  }
}
