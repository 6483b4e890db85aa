internal import FoundationArchives

/// Translates an NSKeyedArchiver archive into one of our own format, which is then read like any other.
///
/// Instances become objects. So do collections, and large data, with several references: a reader that expects an array
/// accepts a reference to one. Everything else is written where it is referred to. (Docs/Design.md §9.)
struct ArchiveTranslation {
  var contents: ContentReader
  private let archive: FoundationArchive
  let list: PropertyList
  var builder: ArchiveBuilder
  /// The number of references to each object: 0, 1, or 2 for several.
  private var referenceCounts: [UInt8]
  /// For each object, the number of its body, or of its text in the string table; `nil` if it has neither, or not yet.
  private var numbers: [Int?]
  /// The objects that have bodies, in the order of the bodies.
  private var pending: [Int] = []
  /// The numbers of classes, by their names and by what was read of them.
  private var classNumbers: [ExactString: Int] = [:]
  private var numbersOfClasses: [ObjectIdentifier: Int] = [:]
  /// The original names of classes that are renamed.
  private var originalNames: [String: String] = [:]
  /// The offsets of values in the new archive, and in the original.
  private var offsets: [(here: Int, source: Int)] = []
  /// The remaining nodes of the collections in progress, the innermost last.
  private var open: [AnyIterator<Int>] = []

  /// Collections nested more deeply get bodies of their own, which a decoder reads one by one.
  private static let deepestInline = 64

  private init(_ list: PropertyList, _ budget: ReadingBudget, withoutChecksums: Bool) throws(ReadingError) {
    self.list = list
    archive = try FoundationArchive(list)
    contents = try ContentReader(archive, budget)
    let count = archive.objects.count
    try contents.budget.charge(count, of: MemoryLayout<Int?>.stride + 1, at: list.offsets[list.root])
    referenceCounts = Array(repeating: 0, count: count)
    numbers = Array(repeating: nil, count: count)
    builder = ArchiveBuilder(withoutChecksums: withoutChecksums, prefersShortForm: false)
  }

  /// Translates the NSKeyedArchiver archive in `reader`; returns `nil` if it is neither a binary nor an XML property
  /// list.
  ///
  /// - Parameter staysInMemory: whether the new archive never leaves memory. Then it has no checksums, and unreferenced
  ///   objects do not count as losses.
  static func translate(
    _ reader: ByteReader,
    _ limits: ArchiveLimits,
    staysInMemory: Bool
  ) throws(ArchiveError) -> TranslatedArchive? {
    let startByteCount = min(reader.count, PropertyList.startByteCount)
    guard PropertyList.mayBegin(with: try reader.array(of: UInt8.self, count: startByteCount, at: 0)) else {
      return nil
    }
    let bytes = try reader.array(of: UInt8.self, count: reader.count, at: 0)
    var budget = ReadingBudget(limits.forReading, byteCount: bytes.count)
    var translation: ArchiveTranslation
    let topLevel: ByteBuffer
    do throws(ReadingError) {
      guard let list = try PropertyList(bytes, &budget) else { return nil }
      translation = try ArchiveTranslation(list, budget, withoutChecksums: staysInMemory)
      topLevel = try translation.write()
    } catch {
      throw ArchiveError(error, limits)
    }
    var losses = translation.contents.losses.map { ($0.key, $0.value) }.ordered { $0.0 < $1.0 }
    let unreached = staysInMemory ? 0 : translation.archive.unreachedCount
    if unreached > 0 { losses.append(("not carried over: objects that nothing refers to", unreached)) }
    return TranslatedArchive(
      buffer: try translation.builder.finish(topLevel: topLevel),
      sourceByteCount: reader.count,
      offsets: translation.offsets,
      originalNames: translation.originalNames,
      losses: losses
    )
  }

  /// Writes everything that can be reached; returns the body of the top level.
  private mutating func write() throws(ReadingError) -> ByteBuffer {
    try countReferences()
    // What the top level refers to gets the first numbers.
    let topLevel = try writeTopLevel()
    let topLevelOffsets = offsets
    offsets = []
    var next = 0
    while next < pending.count {
      try writeBody(of: pending[next])
      next += 1
    }
    // The top level comes after the bodies, not where it was written.
    let shift = builder.buffer.count - Header.byteCount
    offsets += topLevelOffsets.map { ($0.here + shift, $0.source) }
    return topLevel
  }

  private mutating func writeTopLevel() throws(ReadingError) -> ByteBuffer {
    let members = try archive.topLevel.map { (member) throws(ReadingError) in
      (key: try contents.key(of: member, at: list.root), node: member.value)
    }
    builder.beginBody(classNumber: nil)
    try append(record: members, at: list.root)
    return builder.takeTopLevel()
  }

  // MARK: Counting

  private mutating func countReferences() throws(ReadingError) {
    var rest = archive.topLevel.map(\.value)
    while let node = rest.popLast() {
      guard case .object(let number) = try archive.meaning(of: node) else {
        if let elements = list.array(node) {
          try follow(elements, at: node, &rest)
        } else if let members = list.dictionary(node) {
          try follow(members.lazy.map(\.value), at: node, &rest)
        }
        continue
      }
      guard referenceCounts[number] == 0 else {
        referenceCounts[number] = 2
        continue
      }
      referenceCounts[number] = 1
      switch try contents.content(of: number) {
      case .value: break
      case .elements(let elements): try follow(elements, at: node, &rest)
      case .pairs(let pairs):
        try follow(pairs.lazy.map(\.key), at: node, &rest)
        try follow(pairs.lazy.map(\.value), at: node, &rest)
      case .object(_, let members): try follow(members.lazy.map(\.node), at: node, &rest)
      }
    }
  }

  /// Charges references before they are followed: two collections may name one list of elements.
  private mutating func follow(
    _ references: some RandomAccessCollection<Int>,
    at node: Int,
    _ rest: inout [Int]
  ) throws(ReadingError) {
    try contents.budget.charge(references.count, of: ReadingBudget.referenceByteCount, at: list.offsets[node])
    rest += references
  }

  /// Whether the object gets a body of its own; otherwise it is written in place.
  private mutating func hasBody(_ number: Int) throws(ReadingError) -> Bool {
    switch try contents.content(of: number) {
    case .object: true
    case .elements, .pairs: referenceCounts[number] > 1 || open.count >= ArchiveTranslation.deepestInline
    case .value(let value): referenceCounts[number] > 1 && value.isLarge
    }
  }

  // MARK: Bodies

  private mutating func bodyNumber(of number: Int) throws(ReadingError) -> Int {
    if let known = numbers[number] { return known }
    if case .object = try contents.content(of: number) {
      try contents.budget.countObject(at: list.offsets[archive.objects[number]])
    }
    pending.append(number)
    numbers[number] = pending.count
    return pending.count
  }

  private mutating func writeBody(of number: Int) throws(ReadingError) {
    let node = archive.objects[number]
    let content = try contents.content(of: number)
    builder.beginBody(classNumber: classNumber(of: content))
    noteOffset(of: node)
    if case .object(_, let members) = content {
      // Sorting compares each key with some others, up to its length.
      let comparisons = Int.bitWidth - members.count.leadingZeroBitCount
      let keyByteCount = members.reduce(0) { $0.addingSaturating($1.key.utf8.count) }
      try contents.budget.count(
        keyByteCount.multipliedSaturating(by: comparisons) / 8,
        at: list.offsets[node]
      )
      try append(record: members.ordered { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }, at: node)
    } else {
      try appendStart(of: content, number)
      try appendOpen()
    }
    builder.endBody()
  }

  private mutating func classNumber(of content: ArchivedContent) -> Int {
    switch content {
    case .object(let type, _):
      // Avoids hashing the name for each object.
      if let known = numbersOfClasses[ObjectIdentifier(type)] { return known }
      if type.name != type.originalName { originalNames[type.name] = type.originalName }
      let number = classNumber(type.name, type.superclasses)
      numbersOfClasses[ObjectIdentifier(type)] = number
      return number
    case .elements: return classNumber(TranslatedArchive.arrayClass, [])
    case .pairs: return classNumber(TranslatedArchive.dictionaryClass, [])
    case .value: return classNumber(TranslatedArchive.valueClass, [])
    }
  }

  /// The number of a class, which is added after its superclasses. If a class has a superclass, its name decides what
  /// readers build; other classes may have been renamed since.
  private mutating func classNumber(_ name: String, _ superclasses: [String]) -> Int {
    if let known = classNumbers[ExactString(string: name)] { return known }
    var superclass: Int?
    for (index, parent) in superclasses.enumerated().reversed() {
      if let known = classNumbers[ExactString(string: parent)] {
        superclass = known
      } else if parent != name {
        superclass = add(parent, superclass, isPolymorphic: index + 1 < superclasses.count)
      }
    }
    return add(name, superclass, isPolymorphic: superclass != nil)
  }

  private mutating func add(_ name: String, _ superclass: Int?, isPolymorphic: Bool) -> Int {
    let number = builder.add(ClassEntry(name: name, superclass: superclass, isPolymorphic: isPolymorphic))
    classNumbers[ExactString(string: name)] = number
    return number
  }

  // MARK: Values

  /// Records that the next value is that of `node`.
  private mutating func noteOffset(of node: Int) {
    offsets.append((builder.buffer.count, list.offsets[node]))
  }

  /// Appends what remains of the open collections and everything in them, without recursion at any nesting.
  private mutating func appendOpen() throws(ReadingError) {
    while let innermost = open.indices.last {
      if let node = open[innermost].next() {
        try appendStart(of: node)
      } else {
        open.removeLast()
      }
    }
  }

  /// Appends the value of `node`; of a collection only the head, and opens it.
  private mutating func appendStart(of node: Int) throws(ReadingError) {
    noteOffset(of: node)
    try contents.charge(ReadingBudget.valueByteCount, at: node)
    let start = builder.buffer.count
    switch try archive.meaning(of: node) {
    case .null:
      builder.buffer.append(Tag.none)
    case .plain:
      try appendStart(ofPlain: node)
    case .object(let number):
      if try hasBody(number) {
        builder.buffer.append(reference: Tag.objectReference, try bodyNumber(of: number))
      } else {
        try appendStart(of: contents.content(of: number), number)
      }
    }
    // At the end, the top level is in memory twice.
    try contents.charge(2 * (builder.buffer.count - start), at: node)
  }

  /// Appends a value that is not an object. Some Apple classes write plain collections, which may contain themselves.
  private mutating func appendStart(ofPlain node: Int) throws(ReadingError) {
    guard open.count < contents.budget.limits.depth else {
      throw .limitExceeded(.depth, byteOffset: list.offsets[node])
    }
    if let elements = list.array(node) {
      try appendStart(of: .elements(elements), at: node)
    } else if let members = list.dictionary(node) {
      try appendStart(of: .pairs(members), at: node)
    } else {
      try append(archive.plainValue(node), node)
    }
  }

  private mutating func appendStart(of content: ArchivedContent, _ number: Int) throws(ReadingError) {
    let node = archive.objects[number]
    guard case .value(.string(let text)) = content else { return try appendStart(of: content, at: node) }
    if let known = numbers[number] { return builder.append(stringNumber: known) }
    numbers[number] = try append(text: text, node)
  }

  private mutating func appendStart(of content: ArchivedContent, at node: Int) throws(ReadingError) {
    switch content {
    case .value(let value):
      try append(value, node)
    case .elements(let nodes):
      try contents.budget.check(elementCount: nodes.count, at: list.offsets[node])
      builder.buffer.append(arrayHead: nodes.count)
      open.append(AnyIterator(nodes.makeIterator()))
    case .pairs(let pairs):
      try contents.budget.check(elementCount: pairs.count, at: list.offsets[node])
      try appendHead(of: pairs, at: node)
      open.append(AnyIterator(pairs.lazy.flatMap { [$0.key, $0.value] }.makeIterator()))
    case .object:
      // Never inline.
      break
    }
  }

  /// Appends the head of a dictionary: a map if its keys are texts or integers, otherwise alternating keys and values.
  private mutating func appendHead(of pairs: [PropertyList.Member], at node: Int) throws(ReadingError) {
    if pairs.isEmpty {
      builder.buffer.append(Tag.empty)
    } else if try canBeMap(pairs, at: node) {
      builder.buffer.append(mapHead: pairs.count)
    } else {
      builder.buffer.append(arrayHead: pairs.count * 2)
    }
  }

  /// Whether all keys are texts or integers, and no text has the digits of an integer, which would be the same key.
  private mutating func canBeMap(_ pairs: [PropertyList.Member], at node: Int) throws(ReadingError) -> Bool {
    // The memory of the sets.
    try contents.charge(pairs.count.multipliedSaturating(by: ReadingBudget.blockByteCount), at: node)
    var texts: Set<ExactString> = []
    var integers: Set<Int> = []
    for pair in pairs {
      let isNew: Bool
      switch try keyValue(pair.key) {
      case .string(let text):
        try contents.budget.count(text.utf8.count, at: list.offsets[node])
        isNew = texts.insert(ExactString(string: text)).inserted
      case .integer(let number):
        guard let integer = Int(exactly: number) else { return false }
        isNew = integers.insert(integer).inserted
      default:
        return false
      }
      guard isNew else { throw list.damaged("A dictionary contains a key twice", at: node) }
    }
    return integers.isEmpty || texts.isEmpty
      || !integers.contains { texts.contains(ExactString(string: String($0))) }
  }

  /// The key of a dictionary as a single value, or `none`.
  private mutating func keyValue(_ node: Int) throws(ReadingError) -> FoundationValue {
    switch try archive.meaning(of: node) {
    case .null: return .none
    case .plain: return try archive.plainValue(node)
    case .object(let number):
      guard case .value(let value) = try contents.content(of: number) else { return .none }
      return value
    }
  }

  private mutating func append(record members: [(key: String, node: Int)], at node: Int)
    throws(ReadingError)
  {
    guard !members.isEmpty else { return builder.buffer.append(Tag.empty) }
    let offset = list.offsets[node]
    for member in members { try contents.budget.count(member.key.utf8.count, at: offset) }
    let cost = members.count.multipliedSaturating(by: ReadingBudget.shapeKeyByteCount)
    try contents.budget.charge(cost, at: offset)
    // The shape is nearly always known: objects of a class have the same keys.
    let known = builder.shapeCount
    if try append(recordHead: members.map(\.key)) < known { contents.budget.giveBack(cost) }
    for member in members {
      try appendStart(of: member.node)
      try appendOpen()
    }
  }
}
