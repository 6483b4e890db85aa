/// What an object of an old archive is in Swift.
enum OldContent {
  /// A value of its own.
  case value(FoundationValue)
  /// An array or a set: the nodes of its elements.
  case elements([Int])
  /// A dictionary: the nodes of its keys and values.
  case pairs([PropertyList.Member])
  /// An instance of any other class: what its `encode(with:)` wrote.
  case object(OldClass, [(key: String, node: Int)])
}

/// A value of Foundation in the form in which it is `Codable`.
indirect enum FoundationValue {
  case none
  case bool(Bool)
  case integer(IntegerValue)
  case real(Double)
  case string(String)
  /// In seconds since the first moment of 2001, UTC.
  case date(Double)
  case bytes([UInt8])
  /// Sixteen bytes.
  case uuid([UInt8])
  /// The relative string, then that of the base, and so on.
  case url([String])
  case decimal(DecimalParts)
  case array([FoundationValue])
  case record([(key: String, value: FoundationValue)])

  init(_ number: Int) { self = .integer(.signed(Int64(number))) }

  /// Whether it is so large that it is written once if several refer to it.
  var isLarge: Bool {
    switch self {
    case .bytes(let bytes): bytes.count > FoundationValue.smallByteCount
    case .url(let parts): parts.count > 2 || parts.contains { $0.utf8.count > FoundationValue.smallByteCount }
    case .array(let elements): elements.count > 4 || elements.contains(where: \.isLarge)
    case .record(let members): members.contains { $0.value.isLarge }
    default: false
    }
  }

  private static let smallByteCount = 256
}

/// Says of each object of an old archive what it is.
struct OldContents {
  let archive: OldArchive
  /// What was found out, by number.
  private var contents: [OldContent?]
  private var classes: [Int: OldClass] = [:]
  /// The keys of members without the second `$` before them, by their nodes.
  private var keys: [Int: String] = [:]
  /// What could not be carried over, each kind with how often.
  private(set) var losses: [String: Int] = [:]
  /// How many bytes may still be copied: objects may share texts and data, and so ask for more than any memory has.
  private var allowance: Int

  /// How often the bytes of a file may be copied, and how many bytes in any case.
  private static let allowance = (factor: 128, constant: 16 << 20)

  init(_ archive: OldArchive, byteCount: Int) {
    self.archive = archive
    allowance = byteCount.multipliedSaturating(by: OldContents.allowance.factor)
      .addingSaturating(OldContents.allowance.constant)
    contents = Array(repeating: nil, count: archive.objects.count)
  }

  mutating func content(of number: Int) throws(ArchiveError) -> OldContent {
    if let content = contents[number] { return content }
    let content = try findContent(archive.objects[number])
    contents[number] = content
    return content
  }

  /// Counts bytes that are copied for the object at `node`; throws when they are out of proportion to the file.
  mutating func spend(_ byteCount: Int, at node: Int) throws(ArchiveError) {
    allowance -= byteCount
    guard allowance >= 0 else {
      throw ArchiveError(
        .limitExceeded,
        "The objects of the archive share so much that they would take up out of proportion to it",
        byteOffset: archive.list.offsets[node]
      )
    }
  }

  mutating func note(loss: String) { losses[loss, default: 0] += 1 }

  private mutating func findContent(_ node: Int) throws(ArchiveError) -> OldContent {
    let list = archive.list
    guard let members = list.dictionary(node) else { return try .value(plainValue(node)) }
    var fields: [(key: String, node: Int)] = []
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
    let type = try oldClass(classNode)
    if let standard = type.standard {
      let fields = OldFields(archive, node, Dictionary(fields, uniquingKeysWith: { first, _ in first }))
      if let content = try standard.content(fields, &self) { return content }
    }
    if let loss = type.loss { note(loss: loss) }
    return .object(type, fields)
  }

  /// The key of a member of the dictionary at `node`. Its length is charged each time: it will be compared and hashed.
  mutating func key(of member: PropertyList.Member, at node: Int) throws(ArchiveError) -> String {
    let list = archive.list
    guard let text = list.string(member.key) else { throw list.damaged("A key is no text", at: member.key) }
    try spend(text.utf8.count + OldContents.memberByteCount, at: node)
    guard text.hasPrefix("$$") else { return text }
    // NSKeyedArchiver puts a second $ before a key that begins with one.
    if let known = keys[member.key] { return known }
    let key = String(text.dropFirst())
    keys[member.key] = key
    return key
  }

  /// What a member takes beside the text of its key.
  private static let memberByteCount = 32

  /// A number, a text or bytes that stand by themselves.
  func plainValue(_ node: Int) throws(ArchiveError) -> FoundationValue {
    switch archive.list[node] {
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .bytes(bytes)
    case .string(let text): return .string(text)
    case .reference: throw archive.list.damaged("An object is nothing but a reference", at: node)
    case .array, .dictionary:
      throw archive.list.damaged("A collection stands where NSKeyedArchiver writes none", at: node)
    }
  }

  private mutating func oldClass(_ node: Int) throws(ArchiveError) -> OldClass {
    let list = archive.list
    guard case .object(let number) = try archive.meaning(of: node) else {
      throw list.damaged("The class of an object is no reference", at: node)
    }
    if let known = classes[number] { return known }
    let place = archive.objects[number]
    guard let name = list.value(of: "$classname", in: place).flatMap({ list.string($0) }),
      name.utf8.count <= OldContents.longestClassName
    else {
      throw list.damaged("The class of an object has no name, or one beyond all measure", at: place)
    }
    var names: [String] = []
    for node in list.value(of: "$classes", in: place).flatMap({ list.array($0) }) ?? [] {
      guard let name = list.string(node), names.count <= OldContents.mostSuperclasses,
        name.utf8.count <= OldContents.longestClassName
      else {
        throw list.damaged("The superclasses of \(name) are no names, or too many", at: place)
      }
      names.append(name)
    }
    let found = OldClass(name, Array(names.drop { $0 == name }))
    classes[number] = found
    return found
  }

  private static let mostSuperclasses = 100
  /// As long as the longest that this library would look for.
  private static let longestClassName = 1_024
}

/// The members of an object of a standard class, as their types.
struct OldFields {
  let archive: OldArchive
  /// The node of the object.
  let node: Int
  let nodes: [String: Int]

  init(_ archive: OldArchive, _ node: Int, _ nodes: [String: Int]) {
    self.archive = archive
    self.node = node
    self.nodes = nodes
  }

  /// Those of `keys` that the object at `node` has.
  init(_ archive: OldArchive, _ node: Int, keys: [String]) {
    var nodes: [String: Int] = [:]
    for key in keys { nodes[key] = archive.list.value(of: key, in: node) }
    self.init(archive, node, nodes)
  }

  func damaged(_ message: String) -> ArchiveError { archive.list.damaged(message, at: node) }

  /// The node under `key`, behind a reference if there is one; `nil` where there is none, or nil.
  func resolved(_ key: String) throws(ArchiveError) -> Int? {
    guard let node = nodes[key] else { return nil }
    return try archive.resolved(node)
  }

  func string(_ key: String) throws(ArchiveError) -> String? {
    guard let node = try resolved(key) else { return nil }
    if let text = archive.list.string(node) { return text }
    // A mutable string.
    return try archive.list.value(of: "NS.string", in: node).flatMap { (node) throws(ArchiveError) in
      try archive.resolved(node).flatMap { archive.list.string($0) }
    }
  }

  func integer(_ key: String) throws(ArchiveError) -> Int? {
    guard let node = try resolved(key), case .integer(let number) = archive.list[node] else { return nil }
    return Int(exactly: number)
  }

  func real(_ key: String) throws(ArchiveError) -> Double? {
    guard let node = try resolved(key) else { return nil }
    return switch archive.list[node] {
    case .real(let number): number
    case .integer(let number): Double(exactly: number)
    default: nil
    }
  }

  func bool(_ key: String) throws(ArchiveError) -> Bool? {
    guard let node = try resolved(key) else { return nil }
    return switch archive.list[node] {
    case .bool(let value): value
    case .integer(let number): Int(exactly: number).map { $0 != 0 }
    default: nil
    }
  }

  /// The bytes under the first of `keys` that has some.
  func bytes(_ keys: String...) throws(ArchiveError) -> [UInt8]? {
    for key in keys {
      if let bytes = try bytes(under: key) { return bytes }
    }
    return nil
  }

  private func bytes(under key: String) throws(ArchiveError) -> [UInt8]? {
    guard let node = try resolved(key) else { return nil }
    if case .data(let bytes) = archive.list[node] { return bytes }
    // Data as an object.
    guard let inner = archive.list.value(of: "NS.data", in: node), let data = try archive.resolved(inner),
      case .data(let bytes) = archive.list[data]
    else { return nil }
    return bytes
  }
}
