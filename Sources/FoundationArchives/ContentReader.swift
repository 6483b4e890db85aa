/// What an object of an NSKeyedArchiver archive is in Swift.
package enum ArchivedContent {
  case value(FoundationValue)
  /// An array or a set: the nodes of its elements.
  case elements([Int])
  /// A dictionary: the nodes of its keys and values.
  case pairs([PropertyList.Member])
  /// An instance of any other class: what its `encode(with:)` wrote.
  case object(ArchivedClass, [(key: String, node: Int)])
}

/// A value of Foundation in its `Codable` form.
package indirect enum FoundationValue {
  case none
  case bool(Bool)
  case integer(Int128)
  case real(Double)
  case string(String)
  /// In seconds since the beginning of 2001, UTC.
  case date(Double)
  case bytes([UInt8])
  /// Sixteen bytes.
  case uuid([UInt8])
  /// The relative string, then that of the base, and so on.
  case url([String])
  /// Without a mantissa, it is not a number.
  case decimal(isNegative: Bool, exponent: Int, mantissa: UInt128?)
  /// An index path.
  case indexes([Int])
  /// A set of indexes: the location and the length of each range.
  case ranges([Int])
  case array([FoundationValue])
  case record([(key: String, value: FoundationValue)])

  /// Whether the value is so large that it is written only once if it has several references.
  package var isLarge: Bool {
    switch self {
    case .bytes(let bytes): bytes.count > FoundationValue.smallByteCount
    case .url(let parts):
      parts.count > FoundationValue.fewElements
        || parts.contains { $0.utf8.count > FoundationValue.smallByteCount }
    case .indexes(let numbers): numbers.count > FoundationValue.fewElements
    case .ranges(let numbers): numbers.count / 2 > FoundationValue.fewElements
    case .record: byteCount > FoundationValue.fewElements * ReadingBudget.blockByteCount
    default: false
    }
  }

  private static let smallByteCount = 256
  /// More, of up to 17 bytes each, would exceed the memory that is charged for a reference of two bytes.
  private static let fewElements = 2

  /// Its memory, roughly, without the texts, bytes and numbers of which it has any number.
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

/// Determines what each object of an NSKeyedArchiver archive is.
package struct ContentReader {
  let archive: FoundationArchive
  /// The content of the objects read so far, by number.
  private var contents: [ArchivedContent?]
  /// The classes, by their nodes.
  private var classes: [Int: ArchivedClass] = [:]
  /// The keys of members without the second `$` at the beginning, by their nodes.
  private var keys: [Int: String] = [:]
  /// Descriptions of what could not be carried over or became something else, and how often each occurred.
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

  /// Charges memory for the object at `node`. Objects that share texts and data may need more than any memory has.
  package mutating func charge(_ byteCount: Int, at node: Int) throws(ReadingError) {
    try budget.charge(byteCount, at: archive.list.offsets[node])
  }

  mutating func note(loss: String) { losses["not carried over: \(loss)", default: 0] += 1 }

  /// Notes that something became something else with the same content.
  mutating func note(change: String) { losses[change, default: 0] += 1 }

  /// The name of the class of the object at `node`; `nil` if the node has no class.
  mutating func className(at node: Int) throws(ReadingError) -> String? {
    guard let classNode = archive.list.value(of: "$class", in: node) else { return nil }
    return try archivedClass(classNode).name
  }

  private mutating func findContent(_ node: Int) throws(ReadingError) -> ArchivedContent {
    let list = archive.list
    guard let members = list.dictionary(node) else {
      // PropertyListEncoder writes this text for nil, and NSKeyedUnarchiver reads it as nil.
      let value = try archive.plainValue(node)
      if case .string("$null") = value { return .value(.none) }
      return .value(value)
    }
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
    // The names of some classes of Foundation begin with underscores, such as _NSAutoCalendar.
    if type.originalName.drop(while: { $0 == "_" }).hasPrefix("NS") {
      let nodes = Dictionary(fields, uniquingKeysWith: { first, _ in first })
      let fields = ContentFields(archive: archive, node: node, nodes: nodes)
      if let content = try fields.content(ofClass: type.originalName, &self) { return content }
    }
    if let change = type.change { note(change: change) }
    return .object(type, fields)
  }

  /// The key of a member of the dictionary at `node`. Charges its length each time, as it will be compared and hashed.
  package mutating func key(of member: PropertyList.Member, at node: Int) throws(ReadingError) -> String {
    let list = archive.list
    guard let text = list.string(member.key) else {
      throw list.damaged("A key is not a string", at: member.key)
    }
    try budget.count(text.utf8.count, at: list.offsets[node])
    guard text.hasPrefix("$$") else { return text }
    // NSKeyedArchiver adds a second $ to a key that begins with one.
    if let known = keys[member.key] { return known }
    try charge(text.utf8.count + ReadingBudget.blockByteCount, at: node)
    let key = String(text.dropFirst())
    keys[member.key] = key
    return key
  }

  /// The memory of a member without the text of its key: here, and where it is written.
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
  /// The memory of the name of a class without its text: in lists of names, and in the tables of classes.
  private static let classNameByteCount = 256
  /// The longest name that this library looks for.
  private static let longestClassName = 1_024
}

/// Typed access to the members of an object of a standard class.
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

  /// The node under `key`, after any reference; `nil` if there is none, or for nil.
  @inline(never)
  func resolved(_ key: String) throws(ReadingError) -> Int? {
    guard let node = nodes[key] else { return nil }
    return try archive.resolved(node)
  }

  func value(_ key: String) throws(ReadingError) -> PropertyList.Node? {
    try resolved(key).map { archive.list[$0] }
  }

  /// Like ``value(_:)``, for a text or bytes that may be an object with the content under `inner`.
  private func value(_ key: String, orItsMember inner: String) throws(ReadingError) -> PropertyList.Node? {
    if let value = try self.inner(key, [inner])?.value(inner) { return value }
    return try value(key)
  }

  @inline(never)
  func string(_ key: String) throws(ReadingError) -> String? {
    if case .string(let text)? = try value(key, orItsMember: "NS.string") { text } else { nil }
  }

  func integer(_ key: String) throws(ReadingError) -> Int? {
    if case .integer(let number)? = try value(key) { Int(exactly: number) } else { nil }
  }

  func real(_ key: String) throws(ReadingError) -> Double? {
    switch try value(key) {
    case .real(let number)?: number
    case .integer(let number)?: Double(number)
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
