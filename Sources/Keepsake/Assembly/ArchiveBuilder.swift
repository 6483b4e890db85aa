/// Builds an archive value by value, without Swift types, from the values of other archives or formats.
///
/// Write bodies in the order of their numbers, each between ``beginBody(classNumber:)`` and ``endBody()``. The top
/// level may be written between any two of them. What the head of a container announces must follow it.
struct ArchiveBuilder {
  private var assembly = ArchiveAssembly()
  private var keys = KeyRegistry()
  private var shapes = ShapeTrie()
  private var strings = StringSharing()
  private var classes: [ClassEntry] = []
  private var classNumbers: [ClassEntry: Int] = [:]
  private var bodyStart = 0

  /// - Parameter prefersShortForm: whether a small archive gets the short form, which moves the bodies from where they
  ///   were built.
  init(withoutChecksums: Bool = false, prefersShortForm: Bool = true) {
    if withoutChecksums { assembly.leaveOutChecksums() }
    assembly.prefersShortForm = prefersShortForm
  }

  /// Where the values go.
  var buffer: ByteBuffer { assembly.buffer }

  // MARK: Bodies and classes

  /// Begins the next body: of an object of the class `classNumber`, or of a value if that is `nil` (Format §4.1).
  mutating func beginBody(classNumber: Int?) {
    bodyStart = buffer.count
    buffer.append(varint: classNumber.map { $0 + 1 } ?? 0)
  }

  mutating func endBody() {
    assembly.addBody(bodyStart..<buffer.count)
  }

  /// Adds a class whose superclass has been added, and returns its number.
  mutating func add(_ entry: ClassEntry) -> Int {
    classes.append(entry)
    return classes.count - 1
  }

  /// The number of the class that equals `entry`, added if there is none. It is polymorphic if either of them is.
  mutating func merge(_ entry: ClassEntry) -> Int {
    var key = entry
    key.isPolymorphic = false
    if let number = classNumbers[key], classes[number].name.utf8.elementsEqual(entry.name.utf8) {
      if entry.isPolymorphic { classes[number].isPolymorphic = true }
      return number
    }
    let number = add(entry)
    classNumbers[key] = number
    return number
  }

  // MARK: Values

  /// Appends a string (Format §4.5).
  ///
  /// - Returns: the number of the string, if it now has one: ``append(stringNumber:)`` needs no look at its text.
  @discardableResult
  mutating func append(string text: String) -> Int? {
    var number: Int?
    text.withUTF8Bytes { utf8 in
      number = utf8.byteCount >= StringSharing.shortest ? strings.number(for: utf8) : nil
      if number == nil { assembly.buffer.append(string: utf8) }
    }
    if let number { append(stringNumber: number) }
    return number
  }

  func append(stringNumber number: Int) {
    buffer.append(reference: Tag.stringReference, number)
  }

  /// Appends the head of a record, whose values must follow in the order of `names`, which must differ (Format §4.8).
  ///
  /// - Returns: the number of the record's shape: ``append(recordOfShape:)`` appends another head with the same keys.
  mutating func append(recordHead names: some Sequence<String>) throws(ArchiveError) -> Int {
    var node = ShapeTrie.root
    var seen: Set<Int> = []
    for name in names {
      let key = keys.number(for: name)
      guard seen.insert(key).inserted else {
        throw .damaged("An object has the key \"\(name)\" twice")
      }
      node = shapes.step(from: node, newKey: key)
    }
    let number = shapes.number(of: node)
    append(recordOfShape: number)
    return number
  }

  /// How many shapes there are so far.
  var shapeCount: Int { shapes.count }

  func append(recordOfShape number: Int) {
    if number <= Tag.lastShortShape {
      buffer.append(Tag.shortRecord + UInt8(truncatingIfNeeded: number))
    } else {
      buffer.append(Tag.record)
      buffer.append(varint: number)
    }
  }

  // MARK: The end

  /// Removes the body that was begun last and not ended, and returns it as the top level, which follows all others.
  func takeTopLevel() -> ByteBuffer {
    let topLevel = ByteBuffer()
    topLevel.append(buffer, bodyStart..<buffer.count)
    buffer.truncate(to: bodyStart)
    return topLevel
  }

  /// Completes the archive.
  ///
  /// - Parameters:
  ///   - topLevel: what ``takeTopLevel()`` returned.
  ///   - conditionals: for each entry of the conditional table the number of the object's body, or 0.
  mutating func finish(topLevel: ByteBuffer, conditionals: [Int] = []) throws(ArchiveError) -> ByteBuffer {
    try assembly.finish(
      topLevel: topLevel,
      keys: &keys,
      shapes: &shapes,
      classes: classes,
      strings: &strings,
      conditionals: conditionals
    )
    return buffer
  }
}
