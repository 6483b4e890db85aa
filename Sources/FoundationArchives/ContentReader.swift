/// What an object of an NSKeyedArchiver archive is in Swift.
package enum ArchivedContent {
  /// A value of its own.
  case value(FoundationValue)
  /// An array or a set: the nodes of its elements.
  case elements([Int])
  /// A dictionary: the nodes of its keys and values.
  case pairs([PropertyList.Member])
  /// An instance of any other class: what its `encode(with:)` wrote.
  case object(ArchivedClass, [(key: String, node: Int)])
}

/// A value of Foundation in the form in which it is `Codable`.
package indirect enum FoundationValue {
  case none
  case bool(Bool)
  case integer(Int128)
  case real(Double)
  case string(String)
  /// In seconds since the first moment of 2001, UTC.
  case date(Double)
  case bytes([UInt8])
  /// Sixteen bytes.
  case uuid([UInt8])
  /// The relative string, then that of the base, and so on.
  case url([String])
  /// Without a mantissa it is not a number.
  case decimal(isNegative: Bool, exponent: Int, mantissa: UInt128?)
  /// An index path.
  case indexes([Int])
  /// A set of indexes: the location of each range, and its length.
  case ranges([Int])
  case array([FoundationValue])
  case record([(key: String, value: FoundationValue)])

  /// Whether it is so large that it is written once if several refer to it.
  package var isLarge: Bool {
    switch self {
    case .bytes(let bytes): bytes.count > FoundationValue.smallByteCount
    case .url(let parts): parts.count > 2 || parts.contains { $0.utf8.count > FoundationValue.smallByteCount }
    case .indexes(let numbers): numbers.count > FoundationValue.fewElements
    case .ranges(let numbers): numbers.count / 2 > FoundationValue.fewElements
    case .array(let elements):
      elements.count > FoundationValue.fewElements || elements.contains(where: \.isLarge)
    case .record(let members): members.contains { $0.value.isLarge }
    default: false
    }
  }

  private static let smallByteCount = 256
  private static let fewElements = 4

  /// What it takes in memory, roughly, beside texts, bytes and numbers of which there are any number.
  var byteCount: Int {
    let inner =
      switch self {
      case .url(let parts): parts.count * ReadingBudget.blockByteCount
      case .array(let elements): elements.reduce(0) { $0 + $1.byteCount }
      case .record(let members): members.reduce(0) { $0 + $1.value.byteCount }
      default: 0
      }
    return ReadingBudget.blockByteCount + inner
  }
}

/// Says of each object of an NSKeyedArchiver archive what it is.
package struct ContentReader {
  let archive: FoundationArchive
  /// What was found out, by number.
  private var contents: [ArchivedContent?]
  /// The classes, by their nodes.
  private var classes: [Int: ArchivedClass] = [:]
  /// The keys of members without the second `$` before them, by their nodes.
  private var keys: [Int: String] = [:]
  /// What could not be carried over, and what became something else, in words and with how often.
  package private(set) var losses: [String: Int] = [:]
  package var budget: ReadingBudget

  package init(_ archive: FoundationArchive, _ budget: ReadingBudget) throws(ReadingError) {
    self.archive = archive
    self.budget = budget
    try self.budget.charge(
      archive.objects.count,
      of: MemoryLayout<ArchivedContent?>.stride,
      at: archive.list.offsets[archive.list.root]
    )
    contents = Array(repeating: nil, count: archive.objects.count)
  }

  package mutating func content(of number: Int) throws(ReadingError) -> ArchivedContent {
    if let content = contents[number] { return content }
    let content = try findContent(archive.objects[number])
    if case .value(let value) = content { try charge(value.byteCount, at: archive.objects[number]) }
    contents[number] = content
    return content
  }

  /// Charges memory for the object at `node`: objects may share texts and data, and so ask for more than any memory has.
  package mutating func charge(_ byteCount: Int, at node: Int) throws(ReadingError) {
    try budget.charge(byteCount, at: archive.list.offsets[node])
  }

  mutating func note(loss: String) { losses["not carried over: \(loss)", default: 0] += 1 }

  /// Notes what became something else, which holds the same.
  mutating func note(change: String) { losses[change, default: 0] += 1 }

  /// The name of the class of the object at `node`; `nil` for a value of its own.
  mutating func className(at node: Int) throws(ReadingError) -> String? {
    guard let classNode = archive.list.value(of: "$class", in: node) else { return nil }
    return try archivedClass(classNode).name
  }

  private mutating func findContent(_ node: Int) throws(ReadingError) -> ArchivedContent {
    let list = archive.list
    guard let members = list.dictionary(node) else { return .value(try archive.plainValue(node)) }
    var fields: [(key: String, node: Int)] = []
    try budget.charge(members.count, of: ContentReader.memberByteCount, at: list.offsets[node])
    fields.reserveCapacity(members.count)
    var classNode: Int?
    for member in members {
      if let key = list.string(member.key), key == "$class" {
        classNode = member.value
      } else {
        fields.append((try key(of: member, at: node), member.value))
      }
    }
    guard let classNode else {
      if let name = list.value(of: "$classname", in: node).flatMap({ list.string($0) }) {
        return .value(.string(name))
      }
      throw list.damaged("An object has no class", at: node)
    }
    let type = try archivedClass(classNode)
    if type.originalName.hasPrefix("NS") {
      let nodes = Dictionary(fields, uniquingKeysWith: { first, _ in first })
      let fields = ContentFields(archive: archive, node: node, nodes: nodes)
      if let content = try fields.content(ofClass: type.originalName, &self) { return content }
    }
    if let change = type.change { note(change: change) }
    return .object(type, fields)
  }

  /// The key of a member of the dictionary at `node`. Its length is charged each time: it will be compared and hashed.
  package mutating func key(of member: PropertyList.Member, at node: Int) throws(ReadingError) -> String {
    let list = archive.list
    guard let text = list.string(member.key) else {
      throw list.damaged("A key is not a string", at: member.key)
    }
    try budget.count(text.utf8.count, at: list.offsets[node])
    guard text.hasPrefix("$$") else { return text }
    // NSKeyedArchiver puts a second $ before a key that begins with one.
    if let known = keys[member.key] { return known }
    try charge(text.utf8.count + ReadingBudget.blockByteCount, at: node)
    let key = String(text.dropFirst())
    keys[member.key] = key
    return key
  }

  /// What a member takes beside the text of its key: here, and where it is written.
  private static let memberByteCount = 2 * MemoryLayout<(key: String, node: Int)>.stride

  private mutating func archivedClass(_ node: Int) throws(ReadingError) -> ArchivedClass {
    let list = archive.list
    guard case .object(let number) = try archive.meaning(of: node) else {
      throw list.damaged("The class of an object is not a reference", at: node)
    }
    let offset = archive.objects[number]
    if let known = classes[offset] { return known }
    guard let name = list.value(of: "$classname", in: offset).flatMap({ list.string($0) }),
      name.utf8.count <= ContentReader.longestClassName
    else { throw list.damaged("The name of a class is missing or too long", at: offset) }
    var names: [String] = []
    for node in list.value(of: "$classes", in: offset).flatMap({ list.array($0) }) ?? [] {
      guard let name = list.string(node), names.count <= ContentReader.mostSuperclasses,
        name.utf8.count <= ContentReader.longestClassName
      else { throw list.damaged("The superclasses of \(name) are not strings, or are too many", at: offset) }
      try charge(ContentReader.classNameByteCount + 2 * name.utf8.count, at: offset)
      names.append(name)
    }
    try charge(ContentReader.classNameByteCount + 2 * name.utf8.count, at: offset)
    let found = ArchivedClass(name, Array(names.drop { $0 == name }))
    classes[offset] = found
    return found
  }

  private static let mostSuperclasses = 100
  /// What the name of a class takes beside its text: in lists of names, and in the tables of classes.
  private static let classNameByteCount = 256
  /// As long as the longest that this library would look for.
  private static let longestClassName = 1_024
}

/// The members of an object of a standard class, as their types.
struct ContentFields {
  let archive: FoundationArchive
  let node: Int
  let nodes: [String: Int]

  func damaged(_ message: String) -> ReadingError { archive.list.damaged(message, at: node) }

  /// The members `keys` of the object under `key`.
  func inner(_ key: String, _ keys: [String]) throws(ReadingError) -> ContentFields? {
    guard let node = try resolved(key) else { return nil }
    var nodes: [String: Int] = [:]
    for key in keys { nodes[key] = archive.list.value(of: key, in: node) }
    return ContentFields(archive: archive, node: node, nodes: nodes)
  }

  /// The node under `key`, behind a reference if there is one; `nil` where there is none, or nil.
  func resolved(_ key: String) throws(ReadingError) -> Int? {
    guard let node = nodes[key] else { return nil }
    return try archive.resolved(node)
  }

  func value(_ key: String) throws(ReadingError) -> PropertyList.Node? {
    try resolved(key).map { archive.list[$0] }
  }

  /// The same of a text or of bytes, which may be an object with the content under `inner`.
  private func value(_ key: String, orItsMember inner: String) throws(ReadingError) -> PropertyList.Node? {
    if let value = try self.inner(key, [inner])?.value(inner) { return value }
    return try value(key)
  }

  func string(_ key: String) throws(ReadingError) -> String? {
    if case .string(let text)? = try value(key, orItsMember: "NS.string") { text } else { nil }
  }

  func integer(_ key: String) throws(ReadingError) -> Int? {
    if case .integer(let number)? = try value(key) { Int(exactly: number) } else { nil }
  }

  func real(_ key: String) throws(ReadingError) -> Double? {
    switch try value(key) {
    case .real(let number)?: number
    case .integer(let number)?: Double(exactly: number)
    default: nil
    }
  }

  /// The bytes under the first of `keys` that has some.
  func bytes(_ keys: String...) throws(ReadingError) -> [UInt8]? {
    for key in keys {
      if case .data(let bytes)? = try value(key, orItsMember: "NS.data") { return bytes }
    }
    return nil
  }
}
