/// Reads a property list in XML, as NSKeyedArchiver writes it: without namespaces, and without entities except the five
/// of XML itself. Nesting takes no recursion.
struct XMLPropertyListReader {
  private var scanner: XMLScanner
  private(set) var budget: ReadingBudget
  private var list = PropertyList()
  private var open: [Container] = []

  /// An array or dictionary whose end tag was not read yet.
  private struct Container {
    let node: Int
    let isDictionary: Bool
    var elements: [Int] = []
    var members: [PropertyList.Member] = []
    /// The key that waits for its value.
    var key: Int?
  }

  /// Creates a reader, or returns `nil` if the bytes do not begin like a property list in XML.
  init?(_ bytes: [UInt8], _ budget: ReadingBudget) {
    guard let scanner = XMLScanner(bytes) else { return nil }
    self.scanner = scanner
    self.budget = budget
  }

  mutating func read() throws(ReadingError) -> PropertyList {
    guard case .start("plist", false) = try scanner.nextTag() else {
      throw scanner.damaged("The XML is not a property list")
    }
    repeat {
      try readElement()
    } while !open.isEmpty
    guard case .end("plist") = try scanner.nextTag() else {
      throw scanner.damaged("The property list has more than one value")
    }
    return list
  }

  /// Reads one tag of the list, and the content of an element without inner ones.
  private mutating func readElement() throws(ReadingError) {
    let tag = try scanner.nextTag()
    let offset = scanner.tagOffset
    switch tag {
    case .start(let name, let isEmpty) where name == "array" || name == "dict":
      try begin(isDictionary: name == "dict", offset)
      if isEmpty { try close(name) }
    case .start("key", let isEmpty):
      let text = isEmpty ? "" : try scanner.text(endingAt: "key")
      guard let last = open.indices.last, open[last].isDictionary, open[last].key == nil else {
        throw scanner.damaged("A key is outside a dictionary")
      }
      open[last].key = try append(.string(text), offset)
    case .start(let name, let isEmpty):
      try put(append(value(name, isEmpty), offset))
    case .end(let name):
      try close(name)
    }
  }

  private mutating func value(_ name: String, _ isEmpty: Bool) throws(ReadingError) -> PropertyList.Node {
    let text = isEmpty || name == "data" ? "" : try scanner.text(endingAt: name)
    switch name {
    case "string": return .string(text)
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "data": return .data(isEmpty ? [] : try scanner.base64(endingAt: name))
    case "integer":
      if let number = XMLScalars.integer(text) { return .integer(number) }
    case "real":
      if let number = XMLScalars.real(text) { return .real(number) }
    case "date":
      if let seconds = XMLScalars.date(text) { return .date(seconds) }
    default:
      throw scanner.damaged(
        "The property list has an element <\(name.prefix(20))>, which property lists do not have"
      )
    }
    throw scanner.damaged("\"\(text.prefix(40))\" is not a valid \(name)")
  }

  // MARK: Containers

  /// The memory of a node, and of its number in its collection. Arrays double as they grow, since the number of nodes
  /// is not known.
  private static let nodeByteCount =
    2 * (PropertyList.nodeByteCount + MemoryLayout<PropertyList.Member>.stride)
  /// The memory of a collection while it is open, and in the list.
  private static let containerByteCount =
    2 * MemoryLayout<Container>.stride + ReadingBudget.blockByteCount

  private mutating func append(_ node: PropertyList.Node, _ offset: Int) throws(ReadingError) -> Int {
    switch node {
    case .string(let text): try budget.charge(text.utf8.count, at: offset)
    case .data(let bytes): try budget.charge(2 * bytes.count, at: offset)
    default: break
    }
    try budget.charge(XMLPropertyListReader.nodeByteCount, at: offset)
    list.nodes.append(node)
    list.offsets.append(offset)
    return list.nodes.count - 1
  }

  /// Adds a value to the innermost container.
  private mutating func put(_ number: Int) throws(ReadingError) {
    guard let last = open.indices.last else {
      list.root = number
      return
    }
    if !open[last].isDictionary { return open[last].elements.append(number) }
    guard let key = open[last].key else { throw scanner.damaged("A value of a dictionary has no key") }
    open[last].key = nil
    open[last].members.append(PropertyList.Member(key: key, value: number))
  }

  private mutating func begin(isDictionary: Bool, _ offset: Int) throws(ReadingError) {
    try budget.charge(XMLPropertyListReader.containerByteCount, at: offset)
    let number = try append(isDictionary ? .dictionary([]) : .array([]), offset)
    try put(number)
    open.append(Container(node: number, isDictionary: isDictionary))
  }

  private mutating func close(_ name: String) throws(ReadingError) {
    guard let container = open.popLast(), name == (container.isDictionary ? "dict" : "array") else {
      throw scanner.damaged("</\(name.prefix(20))> has no start tag")
    }
    guard container.key == nil else { throw scanner.damaged("A key has no value") }
    list.nodes[container.node] =
      container.isDictionary
      ? reference(container.members) ?? .dictionary(container.members)
      : .array(container.elements)
  }

  /// The reference that the members stand for, if they are one integer under the key `CF$UID`.
  private func reference(_ members: [PropertyList.Member]) -> PropertyList.Node? {
    guard members.count == 1, list.string(members[0].key) == "CF$UID",
      case .integer(let number) = list[members[0].value], let number = Int(exactly: number), number >= 0
    else { return nil }
    return .reference(number)
  }
}

/// The numbers and dates in the elements of a property list.
private enum XMLScalars {
  static func integer(_ text: String) -> Int128? {
    var digits = trimmed(text)
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    if isHexadecimal { digits = digits.dropFirst(2) }
    // `UInt128` accepts a sign of its own, which would be a second one.
    guard digits.utf8.allSatisfy({ UInt8(ascii: "+") != $0 && UInt8(ascii: "-") != $0 }),
      let magnitude = UInt128(String(digits), radix: isHexadecimal ? 16 : 10),
      let number = Int128(exactly: magnitude)
    else { return nil }
    return isNegative ? -number : number
  }

  static func real(_ text: String) -> Double? { Double(trimmed(text)) }

  private static func trimmed(_ text: String) -> Substring {
    var utf8 = text.utf8.drop(while: XMLScanner.isSpace)
    while let last = utf8.last, XMLScanner.isSpace(last) { utf8.removeLast() }
    return Substring(utf8)
  }

  /// Parses a date like 2025-03-09T14:05:00Z, into seconds since the beginning of 2001.
  static func date(_ text: String) -> Double? {
    let characters = trimmed(text).utf8
    let form = "0000-00-00T00:00:00Z".utf8
    guard characters.count == form.count,
      zip(characters, form).allSatisfy({ $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 })
    else { return nil }
    let numbers = characters.split { !isDigit($0) }.compactMap { Int(String(Substring($0))) }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    let (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
    guard 1...12 ~= month, 1...31 ~= day, hour < 24, minute < 60, second <= 60 else { return nil }
    // Years that begin in March have the leap day at their end. Any 400 of them have the same number of days.
    let shiftedYear = (month > 2 ? year : year - 1) + 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
    let days = shiftedYear * 365 + leapDays + dayOfYear - daysToStartOf2001
    return Double(days * 86_400 + hour * 3_600 + minute * 60 + second)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

  /// The days from March 1 of the year -400 to January 1, 2001.
  private static let daysToStartOf2001 = 876_888
}
