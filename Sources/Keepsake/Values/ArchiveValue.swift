/// A value in an archive, viewed without its Swift type.
///
/// A value stores its offset and its kind, and reads everything else when you ask for it. The program does not need the
/// classes in the archive.
///
/// ```swift
/// let archive = try ArchiveValue(forReadingFile: "library.keepsake")
/// for book in try archive["books"]?.members() ?? [] {
///   print(try book.value["title"]?.stringValue ?? "untitled")
/// }
/// ```
///
/// The subscripts, ``members()``, ``count`` and properties such as ``stringValue`` follow references; ``kind`` and
/// ``byteRange`` describe the reference itself. Objects may refer to each other in cycles: to visit each object once,
/// keep track of ``objectNumber``.
///
/// Several threads may use a value at once. A damaged archive throws an ``ArchiveError`` with the offset of the
/// damage; `nil` means that there is no such value. NSKeyedArchiver archives open, too; offsets then refer to their
/// translation in memory.
public struct ArchiveValue: @unchecked Sendable {
  // The caches of the image are used only through `exclusively`; the rest of it never changes.

  /// The kinds of values. All encodings of one kind of value are one case (Format §4).
  ///
  /// Later versions of the format may add kinds. A `switch` needs an `@unknown default` for them.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Kind: String, Sendable {
    /// Nil.
    case none
    /// A value that encoded nothing: it has neither keys nor elements.
    case empty
    /// An optional in an optional that is present and holds nil.
    case some
    /// A Boolean.
    case bool
    /// An integer of up to 128 bits.
    case integer
    /// A floating-point number of 32 bits.
    case float32
    /// A floating-point number of 64 bits.
    case float64
    /// A date.
    case date
    /// A UUID.
    case uuid
    /// A decimal number.
    case decimal
    /// A URL.
    case url
    /// A string.
    case string
    /// Bytes.
    case bytes
    /// An array or a set.
    case array
    /// An array of numbers of one type.
    case numbers
    /// A dictionary, or a container whose keys were not known in advance.
    case map
    /// A structure, an enumeration with a payload, or the content of an object: a container of known keys.
    case record
    /// A value behind a protocol, with the name of its type.
    case typed
    /// A reference to an object.
    case object
    /// A reference from the top level to a value that has a body of its own.
    case value
    /// A weak reference to an object, which may not be archived.
    case conditional
  }

  /// The place of a value in its body.
  package enum Standing: Sendable {
    /// Inside another value.
    case inside
    /// Directly under a key of the top level, the only place for a value reference (Format §4.9).
    case underTopLevelKey
    /// The whole content of a numbered body, or what follows its marks of optionals and names of types.
    case body
    /// The whole top level, or what follows its marks of optionals and names of types.
    case topLevel
  }

  /// Whether the body ends where the value does.
  var isAllOfBody: Bool { standing == .body || standing == .topLevel }

  var standingOfMembers: Standing {
    switch kind {
    case .record, .map: standing == .topLevel ? .underTopLevelKey : .inside
    case .some, .typed, .url: isAllOfBody ? standing : .inside
    default: .inside
    }
  }

  package let image: ArchiveImage
  /// The offset of the value, in bytes from the start of the archive.
  public let offset: Int
  /// The end of the body that contains the value. The value does not extend past it.
  let bodyEnd: Int
  let standing: Standing
  let tag: UInt8
  /// The kind of the value; for a reference, the kind of reference.
  public let kind: Kind

  /// The most bytes of a tag, count or number, and of a value without a length of its own.
  private static let headByteCount = 32

  package init(
    _ image: ArchiveImage,
    at offset: Int,
    endingBy bodyEnd: Int,
    _ standing: Standing = .inside
  ) throws(ArchiveError) {
    self.image = image
    self.offset = offset
    self.bodyEnd = bodyEnd
    self.standing = standing
    try image.touch(offset..<(offset + ArchiveValue.headByteCount))
    tag = try image.reader.limited(to: bodyEnd).byte(at: offset)
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
    guard kind != .value || standing == .underTopLevelKey else {
      throw .damaged("A reference to a value is allowed only under a key of the top level", at: offset)
    }
    // A walk checks the end of other values after the last of their members.
    if isAllOfBody, !hasMembers || kind == .url {
      try ArchiveImage.checkEnd(byteRange.upperBound, of: offset..<bodyEnd)
    }
  }

  /// A reader that is limited to the body of the value.
  package var reader: ByteReader { image.reader.limited(to: bodyEnd) }

  /// The range of the value's bytes, without the objects that it refers to.
  ///
  /// - Complexity: O(*n*) in the number of values in it.
  public var byteRange: Range<Int> {
    get throws(ArchiveError) { offset..<(try image.endTouching(valueAt: offset, in: reader)) }
  }

  /// The number of the value's bytes, without the objects that it refers to.
  public var byteCount: Int {
    get throws(ArchiveError) { try byteRange.count }
  }

  // MARK: Members

  package var hasMembers: Bool {
    switch kind {
    case .array, .map, .record, .some, .url, .typed: true
    default: false
    }
  }

  struct Head {
    /// The number of values in this one, and the offset of the first.
    let count: Int
    let payload: Int
    /// The slots of a record's shape.
    var slots = 0..<0
  }

  func head() throws(ArchiveError) -> Head {
    var cursor = offset + 1
    var count = 0
    switch TagKind(tag) {
    case .some, .url:
      count = 1
    case .typed:
      cursor = offset
      _ = try image.valueTypeNumber(at: &cursor)
      count = 1
    case .shortArray:
      count = try reader.numberInHead(tag, at: &cursor)
      try checkElementCount(count)
    case .array, .map:
      count = try reader.varint(at: &cursor)
      // A member takes at least one byte.
      try reader.check(count, at: cursor)
      try checkElementCount(count)
    case .shortRecord, .record:
      let slots = try image.shape(reader.numberInHead(tag, at: &cursor), at: offset)
      return Head(count: slots.count, payload: cursor, slots: slots)
    default:
      break
    }
    return Head(count: count, payload: cursor)
  }

  func checkElementCount(_ count: Int) throws(ArchiveError) {
    guard count <= image.limits.maximumElementCount else { throw image.limits.tooManyElements(count, offset) }
  }

  /// The number in the class table of the type of a value behind a protocol; `nil` for a value of another kind.
  package var typeNumber: Int? {
    get throws(ArchiveError) {
      guard kind == .typed else { return nil }
      var cursor = offset
      return try image.valueTypeNumber(at: &cursor)
    }
  }

  /// The name of the type of a value behind a protocol, as in the archive; `nil` for a value of another kind.
  package var typeName: String? {
    get throws(ArchiveError) { try typeNumber.map { image.classes[$0].name } }
  }

  /// The value after the mark of an optional or the name of a type; `nil` for a value of another kind.
  package var wrapped: ArchiveValue? {
    get throws(ArchiveError) {
      guard kind == .typed || kind == .some else { return nil }
      return try ArchiveValue(image, at: head().payload, endingBy: bodyEnd, standingOfMembers)
    }
  }
}
