import Foundation
import Keepsake

/// Writes a value of an archive as JSON, with what JSON lacks: kinds, classes, sharing (see `keeputil help print`). It
/// reads no more than it writes, and does not recurse.
struct JSONTree {
  private var json: JSONWriter
  private let options: TreeOptions
  private var walk: ArchiveWalk
  private var seen: Set<Int> = []
  /// For each open value, the number of brackets that its end closes, and its offset if its size is shown.
  private var open: [(brackets: Int, offset: Int?, isDeeper: Bool)] = []
  private var depth = 0
  /// Whether the bracket of an object is open for the keys of its content.
  private var isInObject = false

  /// - Parameter body: the object whose content is `value`, if it is shown as an object.
  init(
    _ value: ArchiveValue,
    _ output: any Output,
    _ options: TreeOptions,
    in body: ArchiveBody? = nil
  ) throws {
    json = JSONWriter(output, pretty: false)
    self.options = options
    walk = ArchiveWalk(value)
    if let body { try enter(body) }
  }

  static func write(_ number: ArchiveNumbers, _ output: any Output) throws {
    guard let value = json(number).first else { return }
    try JSONWriter.write(number.areSingle ? ["$float32": value] as JSONFields : value, output, pretty: false)
  }

  mutating func write() throws {
    while let step = try nextStep() {
      switch step {
      case .leave:
        guard let (brackets, offset, isDeeper) = open.popLast() else { continue }
        if isDeeper { depth -= 1 }
        for index in 0..<brackets {
          if index == brackets - 1, let offset { try json.field("$size", walk.cursor - offset) }
          try json.close()
        }
      case .value(let value, let label):
        // Distinguish a key of the archive from the keys of this tool.
        try json.key(label) { $0.hasPrefix("$") ? "$" + $0 : $0 }
        try write(value)
      }
    }
    try json.finish()
  }

  /// Returns the next step, after writing the number of members that a long array or dictionary leaves out.
  private mutating func nextStep() throws -> ArchiveWalk.Step? {
    if let count = walk.leaveOut(behind: options.mostMembers) {
      if walk.parentKind == .map {
        try json.field("$more", count)
      } else {
        try json.value(["$more": count] as JSONFields)
      }
    }
    return try walk.next()
  }

  private mutating func write(_ value: ArchiveValue) throws {
    // The content of an object has no range of its own: the range of the object covers it.
    let isContent = isInObject
    let hasExtent = options.hasOffsets && !isContent && value.kind != .object && value.kind != .value
    if hasExtent {
      try json.open(.object)
      try json.field("$offset", value.offset)
      try json.key("$value")
    }
    if isContent, value.kind != .map, value.kind != .record { try json.key("$value") }
    isInObject = false
    let start = hasExtent ? value.offset : nil
    switch value.kind {
    case .array, .map, .record:
      // The content of an object is nested no deeper than the object.
      if try value.count ?? 0 > 0, depth >= options.deepest {
        try writeCut(value)
        try walk.skipMembers()
        break
      }
      let isOpen = isContent && value.kind != .array
      if !isOpen { try json.open(value.kind == .array ? .array : .object) }
      depth += 1
      return open.append(((hasExtent ? 1 : 0) + (isOpen ? 0 : 1), start, true))
    case .some, .typed:
      try json.open(.object)
      if let name = try value.typeName { try json.field("$type", name) }
      try json.key(value.kind == .typed ? "$value" : "$some")
      return open.append((hasExtent ? 2 : 1, start, false))
    case .object, .value:
      return try writeReference(value)
    case .url:
      try json.value(JSONTree.json(value))
      try walk.skipMembers(endingAt: value.byteRange.upperBound)
    case .numbers:
      try writeNumbers(value)
    default:
      try json.value(JSONTree.json(value))
    }
    if let start {
      try json.field("$size", value.byteRange.upperBound - start)
      try json.close()
    }
  }

  private mutating func writeReference(_ value: ArchiveValue) throws {
    guard let target = try value.target else { return try json.null() }
    if seen.contains(target.number) { return try json.value(["$ref": target.number] as JSONFields) }
    try enter(target)
  }

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

  /// Stands for a value that is nested deeper than `--depth` shows.
  private mutating func writeCut(_ value: ArchiveValue) throws {
    try json.value(["$cut": try value.count ?? 0] as JSONFields)
  }

  private mutating func writeNumbers(_ value: ArchiveValue) throws {
    guard var numbers = try ArchiveNumberWalk(value) else { return try json.null() }
    if numbers.count > 0, depth >= options.deepest { return try writeCut(value) }
    var some = try numbers.next()
    if numbers.areSingle {
      try json.open(.object)
      try json.key("$float32")
    }
    try json.open(.array)
    var index = 0
    while let chunk = some, index < options.mostMembers {
      for number in JSONTree.json(chunk).prefix(options.mostMembers - index) { try json.value(number) }
      index = min(numbers.index, options.mostMembers)
      some = index < options.mostMembers ? try numbers.next() : nil
    }
    if index < numbers.count { try json.value(["$more": numbers.count - index] as JSONFields) }
    try json.close()
    if numbers.areSingle { try json.close() }
  }

  private static func json(_ numbers: ArchiveNumbers) -> [any JSONConvertible] {
    switch numbers {
    case .bools(let numbers): numbers
    case .signed(let numbers): numbers.map { JSONLiteral(text: $0.description) }
    case .unsigned(let numbers): numbers.map { JSONLiteral(text: $0.description) }
    case .floats(let numbers): numbers.map(number)
    case .doubles(let numbers): numbers.map(json)
    }
  }

  /// A number in JSON, or the text of a number that JSON lacks.
  private static func number(
    _ number: some BinaryFloatingPoint & CustomStringConvertible
  ) -> any JSONConvertible {
    number.isFinite ? JSONLiteral(text: number.description) : number.description
  }

  private static func json(_ number: Double) -> any JSONConvertible {
    number.isFinite ? JSONTree.number(number) : ["$float64": number.description] as JSONFields
  }

  /// The JSON of a value without members.
  private static func json(_ value: ArchiveValue) throws -> any JSONConvertible {
    let fields: JSONFields
    switch value.kind {
    case .bool: return value.bool == true
    case .integer: return JSONLiteral(text: try value.integer?.text ?? "0")
    case .string: return try value.string ?? ""
    case .float64: return json(try value.float64 ?? 0)
    case .float32: fields = ["$float32": number(try value.float32 ?? 0)]
    case .date: fields = ["$date": number(try value.date ?? 0)]
    case .decimal: fields = ["$decimal": try value.decimal?.text ?? "0"]
    case .uuid: fields = ["$uuid": try value.uuidText]
    case .url: fields = ["$url": try value.urlParts ?? JSONLiteral.null]
    case .bytes: fields = ["$bytes": Data(try value.bytes ?? []).base64EncodedString()]
    case .empty: fields = ["$empty": true]
    case .conditional: fields = ["$weak": try value.target?.number ?? JSONLiteral.null]
    default: return JSONLiteral.null
    }
    return fields
  }
}
