/// Turns what NSKeyedArchiver wrote into an archive of our own, from which everything is read as from any other.
///
/// Instances become objects. So do collections, and large data, that several refer to: whoever asks for an array where
/// there is a reference gets the array behind it. Everything else stands where it is referred to. (Docs/Design.md §9.)
package struct OldArchiveTranslation {
  private var contents: OldContents
  private let archive: OldArchive
  private let list: PropertyList
  private var builder: ArchiveBuilder
  /// How many references there are to each object.
  private var referenceCounts: [Int]
  /// The numbers of the bodies of objects that have one, and the objects whose bodies are still to be written.
  private var bodyNumbers: [Int: Int] = [:]
  private var pending: [Int] = []
  /// The numbers of strings in the string table, by the numbers of the objects that they are.
  private var stringNumbers: [Int: Int] = [:]
  private var classNumbers: [String: Int] = [:]
  /// The names of classes that have another one in the old archive.
  private var originalNames: [String: String] = [:]
  /// Where values are in the new archive, and where they were in the old one.
  private var places: [ArchivePlace] = []
  /// How many values the innermost one stands in.
  private var depth = 0

  /// Collections that are nested deeper get bodies of their own, so that no nesting is a matter of the stack.
  private static let deepestInline = 64
  /// How deep collections may be nested that are no objects, and so cannot have bodies.
  private static let deepestPlain = 512
  /// What a reference that waits to be followed takes.
  private static let referenceByteCount = 16

  private init(_ list: PropertyList, byteCount: Int, withoutChecksums: Bool) throws(ArchiveError) {
    self.list = list
    archive = try OldArchive(list)
    contents = OldContents(archive, byteCount: byteCount)
    referenceCounts = Array(repeating: 0, count: archive.objects.count)
    builder = ArchiveBuilder(withoutChecksums: withoutChecksums)
  }

  /// The archive that is made of the old one in `reader`, and what could not be carried over; `nil` when this is
  /// neither a binary property list nor one in XML.
  ///
  /// - Parameter withoutChecksums: for an archive that never leaves memory.
  package static func translate(
    _ reader: ByteReader,
    withoutChecksums: Bool
  ) throws(ArchiveError) -> TranslatedArchive? {
    guard let list = try PropertyList(reader) else { return nil }
    var translation = try OldArchiveTranslation(
      list,
      byteCount: reader.count,
      withoutChecksums: withoutChecksums
    )
    return try translation.run()
  }

  private mutating func run() throws(ArchiveError) -> TranslatedArchive {
    try countReferences()
    // First what the top level refers to gets its numbers.
    let topLevel = try writeTopLevel()
    let topLevelPlaces = places
    places = []
    var next = 0
    while next < pending.count {
      try writeBody(of: pending[next])
      next += 1
    }
    // The top level stands behind the bodies, and not where it was written.
    let shift = builder.buffer.count - Header.byteCount
    places += topLevelPlaces.map { ArchivePlace(offset: $0.offset + shift, source: $0.source) }
    let unreached = archive.unreachedCount
    let buffer = try builder.finish(topLevel: topLevel)
    var losses = contents.losses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    if unreached > 0 { losses.append(("objects that nothing refers to", unreached)) }
    return TranslatedArchive(buffer: buffer, places: places, originalNames: originalNames, losses: losses)
  }

  private mutating func writeTopLevel() throws(ArchiveError) -> ByteBuffer {
    var members: [(key: String, node: Int)] = []
    for member in archive.topLevel {
      members.append((try contents.key(of: member, at: list.root), member.value))
    }
    builder.beginBody(classNumber: nil)
    try append(recordHead: members, at: list.root)
    for member in members { try append(member.node) }
    return builder.takeTopLevel()
  }

  // MARK: Counting

  /// Counts how many references lead to each object that can be reached.
  private mutating func countReferences() throws(ArchiveError) {
    var rest = archive.topLevel.map(\.value)
    while let node = rest.popLast() {
      guard case .object(let number) = try archive.meaning(of: node) else {
        let nodes = list.array(node) ?? list.dictionary(node)?.map(\.value) ?? []
        try contents.spend(nodes.count * OldArchiveTranslation.referenceByteCount, at: node)
        rest += nodes
        continue
      }
      referenceCounts[number] += 1
      guard referenceCounts[number] == 1 else { continue }
      let nodes: [Int]
      switch try contents.content(of: number) {
      case .value: nodes = []
      case .elements(let elements): nodes = elements
      case .pairs(let pairs): nodes = pairs.flatMap { [$0.key, $0.value] }
      case .object(_, let members): nodes = members.map(\.node)
      }
      // Two collections may name one list of elements, which no archiver writes.
      try contents.spend(nodes.count * OldArchiveTranslation.referenceByteCount, at: node)
      rest += nodes
    }
  }

  /// Whether the object gets a body of its own, wherever it is.
  private mutating func hasBody(_ number: Int) throws(ArchiveError) -> Bool {
    switch try contents.content(of: number) {
    case .object: true
    case .elements, .pairs: referenceCounts[number] > 1 || depth >= OldArchiveTranslation.deepestInline
    case .value(let value): referenceCounts[number] > 1 && value.isLarge
    }
  }

  // MARK: Bodies

  private mutating func bodyNumber(of number: Int) -> Int {
    if let known = bodyNumbers[number] { return known }
    pending.append(number)
    bodyNumbers[number] = pending.count
    return pending.count
  }

  private mutating func writeBody(of number: Int) throws(ArchiveError) {
    let node = archive.objects[number]
    let content = try contents.content(of: number)
    builder.beginBody(classNumber: try classNumber(of: content, number))
    note(node)
    depth = 0
    if case .object(_, let members) = content {
      // Each key is compared with some others, up to its length.
      let comparisons = Int.bitWidth - members.count.leadingZeroBitCount
      let keyByteCount = members.reduce(0) { $0.addingSaturating($1.key.utf8.count) }
      try contents.spend(keyByteCount.multipliedSaturating(by: comparisons) / 8, at: node)
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      try append(recordHead: sorted, at: node)
      for member in sorted { try append(member.node) }
    } else {
      try append(content, number)
    }
    builder.endBody()
  }

  private mutating func classNumber(of content: OldContent, _ number: Int) throws(ArchiveError) -> Int {
    switch content {
    case .object(let type, _):
      if type.name != type.originalName { originalNames[type.name] = type.originalName }
      return classNumber(type.name, type.superclasses)
    case .elements: return classNumber("NSArray", [])
    case .pairs: return classNumber("NSDictionary", [])
    case .value: return classNumber("NSValue", [])
    }
  }

  /// The number of a class, which is entered behind its superclasses. Of a class that has one the name decides what is
  /// built of its objects; others may have been renamed since.
  private mutating func classNumber(_ name: String, _ superclasses: [String]) -> Int {
    if let known = classNumbers[name] { return known }
    var superclass: Int?
    for (index, parent) in superclasses.enumerated().reversed() {
      if let known = classNumbers[parent] {
        superclass = known
      } else if parent != name {
        superclass = add(parent, superclass, isPolymorphic: index + 1 < superclasses.count)
      }
    }
    return add(name, superclass, isPolymorphic: superclass != nil)
  }

  private mutating func add(_ name: String, _ superclass: Int?, isPolymorphic: Bool) -> Int {
    let number = builder.add(ClassEntry(name: name, superclass: superclass, isPolymorphic: isPolymorphic))
    classNumbers[name] = number
    return number
  }

  // MARK: Values

  /// Notes that what comes next stands for `node`.
  private mutating func note(_ node: Int) {
    places.append(ArchivePlace(offset: builder.buffer.count, source: list.offsets[node]))
  }

  /// Appends what stands at `node`.
  private mutating func append(_ node: Int) throws(ArchiveError) {
    note(node)
    try contents.spend(MemoryLayout<ArchivePlace>.stride, at: node)
    switch try archive.meaning(of: node) {
    case .null:
      builder.buffer.append(Tag.none)
    case .plain:
      try appendPlain(node)
    case .object(let number):
      if try hasBody(number) {
        builder.buffer.append(reference: Tag.objectReference, bodyNumber(of: number))
      } else {
        try append(contents.content(of: number), number)
      }
    }
  }

  /// Appends a value that is no object. Some classes of Apple's write collections so.
  private mutating func appendPlain(_ node: Int) throws(ArchiveError) {
    guard depth < OldArchiveTranslation.deepestPlain else {
      throw ArchiveError(
        .limitExceeded,
        "Collections are nested more than \(OldArchiveTranslation.deepestPlain) deep in one object",
        byteOffset: list.offsets[node]
      )
    }
    if let elements = list.array(node) {
      try append(.elements(elements), node: node)
    } else if let members = list.dictionary(node) {
      try append(.pairs(members), node: node)
    } else {
      try append(contents.plainValue(node), node)
    }
  }

  private mutating func append(_ content: OldContent, _ number: Int) throws(ArchiveError) {
    let node = archive.objects[number]
    guard case .value(.string(let text)) = content else { return try append(content, node: node) }
    if let known = stringNumbers[number] { return builder.append(stringNumber: known) }
    try contents.spend(text.utf8.count, at: node)
    stringNumbers[number] = builder.append(string: text)
  }

  private mutating func append(_ content: OldContent, node: Int) throws(ArchiveError) {
    switch content {
    case .value(let value):
      let start = builder.buffer.count
      try append(value, node)
      try contents.spend(builder.buffer.count - start, at: node)
    case .elements(let nodes):
      builder.buffer.append(arrayHead: nodes.count)
      depth += 1
      for node in nodes { try append(node) }
      depth -= 1
    case .pairs(let pairs):
      depth += 1
      try append(pairs, at: node)
      depth -= 1
    case .object:
      // Never inline.
      break
    }
  }

  /// Appends a dictionary: a map where its keys are texts or integers, and otherwise keys and values in turns, as Swift
  /// encodes such dictionaries.
  private mutating func append(_ pairs: [PropertyList.Member], at node: Int) throws(ArchiveError) {
    guard !pairs.isEmpty else { return builder.buffer.append(Tag.empty) }
    if try canBeMap(pairs, at: node) {
      builder.append(mapHead: pairs.count)
    } else {
      builder.buffer.append(arrayHead: pairs.count * 2)
    }
    for pair in pairs {
      try append(pair.key)
      try append(pair.value)
    }
  }

  /// Whether all keys are texts or integers, and no text has the digits of an integer, which would be the same key.
  private mutating func canBeMap(_ pairs: [PropertyList.Member], at node: Int) throws(ArchiveError) -> Bool {
    var texts: Set<ExactString> = []
    var integers: Set<Int> = []
    for pair in pairs {
      switch try keyValue(pair.key) {
      case .string(let text):
        try contents.spend(text.utf8.count, at: node)
        guard texts.insert(ExactString(string: text)).inserted else {
          throw list.damaged("A dictionary has a key twice", at: node)
        }
      case .integer(let number):
        guard let integer = Int(exactly: number) else { return false }
        guard integers.insert(integer).inserted else {
          throw list.damaged("A dictionary has a key twice", at: node)
        }
      default:
        return false
      }
    }
    return integers.isEmpty || texts.isEmpty
      || !integers.contains { texts.contains(ExactString(string: String($0))) }
  }

  /// The key of a dictionary, if it is a value of its own.
  private mutating func keyValue(_ node: Int) throws(ArchiveError) -> FoundationValue {
    switch try archive.meaning(of: node) {
    case .null: return .none
    case .plain: return try contents.plainValue(node)
    case .object(let number):
      guard case .value(let value) = try contents.content(of: number) else { return .none }
      return value
    }
  }

  private mutating func append(recordHead members: [(key: String, node: Int)], at node: Int)
    throws(ArchiveError)
  {
    guard !members.isEmpty else { return builder.buffer.append(Tag.empty) }
    for member in members { try contents.spend(member.key.utf8.count, at: node) }
    try builder.append(recordHead: members.map(\.key))
  }

  private mutating func append(_ value: FoundationValue, _ node: Int) throws(ArchiveError) {
    switch value {
    case .none: builder.buffer.append(Tag.none)
    case .bool(let value): builder.buffer.append(value ? Tag.true : Tag.false)
    case .integer(let number): builder.buffer.append(number)
    case .real(let number): builder.append(number)
    case .date(let seconds): builder.append(date: seconds)
    case .decimal(let parts): builder.buffer.append(parts)
    case .string(let text):
      try contents.spend(text.utf8.count, at: node)
      builder.append(string: text)
    case .bytes(let bytes):
      try contents.spend(bytes.count, at: node)
      builder.append(bytes: bytes)
    case .uuid(let bytes):
      builder.buffer.append(Tag.uuid)
      builder.buffer.append(memoryOf: bytes)
    case .url(let parts):
      builder.buffer.append(Tag.url)
      try append(url: parts[...], node)
    case .array(let elements):
      try contents.spend(elements.count, at: node)
      builder.buffer.append(arrayHead: elements.count)
      for element in elements { try append(element, node) }
    case .record(let members):
      try builder.append(recordHead: members.map(\.key))
      for member in members { try append(member.value, node) }
    }
  }

  /// Appends a URL as URLs are `Codable`: a record of the relative text and of the base, if there is one.
  private mutating func append(url parts: ArraySlice<String>, _ node: Int) throws(ArchiveError) {
    let relative = parts.first ?? ""
    let hasBase = parts.count > 1
    try contents.spend(relative.utf8.count, at: node)
    try builder.append(recordHead: hasBase ? ["relative", "base"] : ["relative"])
    builder.append(string: relative)
    guard hasBase else { return }
    builder.buffer.append(Tag.url)
    try append(url: parts.dropFirst(), node)
  }
}

extension ByteBuffer {
  fileprivate func append(_ number: IntegerValue) {
    switch number {
    case .signed(let number): append(integer: number)
    case .unsigned(let number): append(integer: number)
    case .wide(let number): append(integer: number)
    case .wideUnsigned(let number): append(integer: number)
    }
  }
}
