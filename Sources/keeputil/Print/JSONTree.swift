import Foundation
import Keepsake

/// Writes a value of an archive as JSON that keeps what JSON does not have: kinds, classes, sharing (see the help of
/// `keeputil print`). It reads no more than it writes, and takes no recursion.
struct JSONTree {
  private var json: JSONWriter
  private let options: TreeOptions
  private var walk: ArchiveWalk
  private var seen: Set<Int> = []
  /// For each value that is open: how many brackets its end closes, and where it begins if its size is to be told.
  private var open: [(brackets: Int, offset: Int?, isDeeper: Bool)] = []
  private var depth = 0
  /// Whether an object's bracket is open to which the keys of its content belong.
  private var isInObject = false

  /// What a key of a map begins with to be told from those of this tool.
  private static let mark = "$"

  init(_ value: ArchiveValue, _ output: any Output, _ options: TreeOptions) {
    json = JSONWriter(output, pretty: false)
    self.options = options
    walk = ArchiveWalk(value)
  }

  /// Writes an object from its number.
  static func write(_ body: ArchiveBody, _ output: any Output, _ options: TreeOptions) throws {
    var tree = JSONTree(body.value, output, options)
    try tree.enter(body)
    try tree.write()
  }

  /// Writes a single number, which no walk leads to.
  static func write(_ number: ArchiveNumbers, _ output: any Output) throws {
    var tree = JSONWriter(output, pretty: false)
    if case .floats = number { try tree.open(.object) }
    if case .floats = number { try tree.key("$float32") }
    try put(number, in: &tree)
    if case .floats = number { try tree.close() }
    try tree.finish()
  }

  mutating func write() throws {
    while let step = try nextStep() {
      switch step {
      case .leave:
        guard let (brackets, offset, isDeeper) = open.popLast() else { continue }
        if isDeeper { depth -= 1 }
        for index in 0..<brackets {
          if index == brackets - 1, let offset { try writeSize(from: offset, to: walk.cursor) }
          try json.close()
        }
      case .value(let value, let label):
        try write(label)
        try write(value)
      }
    }
    try json.finish()
  }

  /// The next step, after what is left out of a long array or dictionary was counted.
  private mutating func nextStep() throws -> ArchiveWalk.Step? {
    if let (kind, index, count) = walk.upcoming, kind == .array || kind == .map,
      index >= options.mostMembers, index < count
    {
      if kind == .array { try json.open(.object) }
      try json.field("$more", count - index)
      if kind == .array { try json.close() }
      walk.skipUpcoming()
    }
    return try walk.next()
  }

  private mutating func write(_ label: PathElement?) throws {
    switch label {
    case .key(let name)?: try json.key(name.hasPrefix(JSONTree.mark) ? JSONTree.mark + name : name)
    case .intKey(let number)?: try json.key(String(number))
    case .index?, nil: break
    }
  }

  private mutating func write(_ value: ArchiveValue) throws {
    // The content of an object has no place of its own: where it is is told with the object.
    let isContent = isInObject
    let hasPlace = options.hasOffsets && !isContent && value.kind != .object && value.kind != .value
    if hasPlace { try openPlace(value.offset) }
    if isContent, value.kind != .map, value.kind != .record { try json.key("$value") }
    isInObject = false
    let placeBrackets = hasPlace ? 1 : 0
    switch value.kind {
    case .array, .map, .record:
      if try value.count ?? 0 > 0, depth >= options.deepest {
        try writeCut(value, isContent)
        try walk.skipMembers()
        break
      }
      let isOpen = isContent && value.kind != .array
      if !isOpen { try json.open(value.kind == .array ? .array : .object) }
      depth += 1
      return open.append((placeBrackets + (isOpen ? 0 : 1), hasPlace ? value.offset : nil, true))
    case .some, .typed:
      try json.open(.object)
      if let name = try value.typeName {
        try json.field("$type", name)
        try json.key("$value")
      } else {
        try json.key("$some")
      }
      return open.append((placeBrackets + 1, hasPlace ? value.offset : nil, false))
    case .object, .value:
      return try writeReference(value)
    case .url:
      try json.open(.object)
      try json.key("$url")
      try writeURL(value)
      try json.close()
      try walk.skipMembers(endingAt: value.byteRange.upperBound)
    case .numbers:
      try writeNumbers(value)
    default:
      try writeScalar(value)
    }
    if hasPlace { try closePlace(value.offset, value.byteRange.upperBound) }
  }

  // MARK: Places

  private mutating func openPlace(_ offset: Int) throws {
    try json.open(.object)
    try json.field("$offset", offset)
    try json.key("$value")
  }

  private mutating func closePlace(_ offset: Int, _ end: Int) throws {
    try writeSize(from: offset, to: end)
    try json.close()
  }

  private mutating func writeSize(from offset: Int, to end: Int) throws {
    try json.field("$size", end - offset)
  }

  // MARK: Kinds

  private mutating func writeReference(_ value: ArchiveValue) throws {
    guard let target = try value.target else { return try json.null() }
    if seen.contains(target.number) {
      return try json.bracket(.object) { try $0.field("$ref", target.number) }
    }
    try enter(target)
  }

  /// Continues with what is in `target`.
  private mutating func enter(_ target: ArchiveBody) throws {
    seen.insert(target.number)
    if let name = target.className {
      try json.open(.object)
      try json.field("$class", name)
      try json.field("$id", target.number)
      if options.hasOffsets {
        try json.field("$offset", target.byteRange.lowerBound)
        try json.field("$size", target.byteRange.count)
      }
      if depth >= options.deepest {
        try json.field("$cut", true)
        return try json.close()
      }
      isInObject = true
    }
    walk.follow(target)
    open.append((target.className == nil ? 0 : 1, nil, false))
  }

  /// What is nested deeper than is asked for.
  private mutating func writeCut(_ value: ArchiveValue, _ isContent: Bool) throws {
    let isOpen = isContent && value.kind != .array
    if !isOpen { try json.open(.object) }
    try json.field("$cut", value.count ?? 0)
    if !isOpen { try json.close() }
  }

  private mutating func writeURL(_ value: ArchiveValue) throws {
    guard let parts = try value.urlParts else { return try json.null() }
    try json.open(.array)
    for part in parts { try json.string(part) }
    try json.close()
  }

  private mutating func writeNumbers(_ value: ArchiveValue) throws {
    guard var numbers = try ArchiveNumberWalk(value) else { return try json.null() }
    let isCut = numbers.count > 0 && depth >= options.deepest
    if isCut { return try writeCut(value, false) }
    var some = try numbers.next()
    var isSingle = false
    if case .floats? = some { isSingle = true }
    if isSingle {
      try json.open(.object)
      try json.key("$float32")
    }
    try json.open(.array)
    var index = 0
    while let chunk = some, index < options.mostMembers {
      let shown = chunk[0..<min(chunk.count, options.mostMembers - index)]
      try JSONTree.put(shown, in: &json)
      index += shown.count
      some = index < options.mostMembers ? try numbers.next() : nil
    }
    if index < numbers.count {
      try json.bracket(.object) { try $0.field("$more", numbers.count - index) }
    }
    try json.close()
    if isSingle { try json.close() }
  }

  private static func put(_ number: ArchiveNumbers, in json: inout JSONWriter) throws {
    switch number {
    case .bools(let numbers): for number in numbers { try json.bool(number) }
    case .signed(let numbers): for number in numbers { try json.integer(number.description) }
    case .unsigned(let numbers): for number in numbers { try json.integer(number.description) }
    case .floats(let numbers): for number in numbers { try put(number, in: &json) }
    case .doubles(let numbers): for number in numbers { try putDouble(number, in: &json) }
    }
  }

  /// A number as JSON has it, or the text of one that JSON does not have.
  private static func put<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ number: Number,
    in json: inout JSONWriter
  ) throws {
    if number.isFinite { try json.integer(number.description) } else { try json.string(number.description) }
  }

  private static func putDouble(_ number: Double, in json: inout JSONWriter) throws {
    if number.isFinite { return try json.integer(number.description) }
    try json.bracket(.object) { try $0.field("$float64", number.description) }
  }

  private mutating func writeScalar(_ value: ArchiveValue) throws {
    func tagged(_ name: String, _ write: () throws -> Void) throws {
      try json.open(.object)
      try json.key(name)
      try write()
      try json.close()
    }
    switch value.kind {
    case .bool: try json.bool(value.bool == true)
    case .integer: try json.integer(try value.integer?.text ?? "0")
    case .string: try json.string(try value.string ?? "")
    case .float64: try JSONTree.putDouble(try value.float64 ?? 0, in: &json)
    case .float32:
      let number = try value.float32 ?? 0
      try tagged("$float32") { try JSONTree.put(number, in: &json) }
    case .date:
      let seconds = try value.date ?? 0
      try tagged("$date") { try JSONTree.put(seconds, in: &json) }
    case .decimal:
      let digits = try value.decimal?.text ?? "0"
      try tagged("$decimal") { try json.string(digits) }
    case .uuid:
      let text = try value.uuidText
      try tagged("$uuid") { try json.string(text) }
    case .bytes:
      let text = Data(try value.bytes ?? []).base64EncodedString()
      try tagged("$bytes") { try json.string(text) }
    case .empty:
      try tagged("$empty") { try json.bool(true) }
    case .conditional:
      let number = try value.target?.number
      try tagged("$weak") { if let number { try json.integer(String(number)) } else { try json.null() } }
    default:
      try json.null()
    }
  }
}
