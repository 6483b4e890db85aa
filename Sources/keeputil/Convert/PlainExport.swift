import Foundation
import Keepsake

/// The requirements on an output format. Calls of `open` and `close` match.
protocol PlainSyntax {
  var notes: PlainNotes { get set }
  mutating func finish() throws
  mutating func open(_ bracket: PlainBracket) throws
  mutating func key(_ name: String) throws
  mutating func close() throws
  mutating func null() throws
  mutating func bool(_ value: Bool) throws
  /// Writes an integer of up to 128 bits.
  mutating func integer(_ digits: String) throws
  mutating func real(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws
  mutating func decimal(_ digits: String) throws
  mutating func string(_ value: String) throws
  mutating func data(_ value: [UInt8]) throws
  mutating func date(_ secondsSince2001: Double) throws
}

extension PlainSyntax {
  /// Writes the key of a value, if it has one. `marked` respells a key that is a string.
  mutating func key(_ label: PathElement?, _ marked: (String) -> String) throws {
    switch label {
    case .key(let name)?: try key(marked(name))
    case .intKey(let number)?: try key(String(number))
    case .index?, nil: break
    }
  }
}

enum PlainBracket {
  case array
  case object
}

/// Counts the values that a format cannot represent unchanged, for notes at the end.
struct PlainNotes {
  private var notes: [(one: String, many: String, rest: String, count: Int)] = []

  /// Counts a case for the sentence that begins with `one`, or with `many` if there are several cases.
  mutating func add(_ one: String, _ many: String, _ rest: String) {
    if let index = notes.firstIndex(where: { $0.one == one && $0.rest == rest }) {
      notes[index].count += 1
    } else {
      notes.append((one, many, rest, 1))
    }
  }

  var sentences: [String] { notes.map { "\(counted($0.count, $0.one, $0.many)) \($0.rest)" } }
}

/// The keys that the export itself writes.
enum ExportKey: String {
  case id = "$id"
  case reference = "$ref"
  case value = "$value"

  /// The export's name for a key of the archive. If the key is one of these, or one of these behind further "$", it
  /// gets another "$". So no key is mistaken for another.
  static func marked(_ name: String) -> String {
    guard name.utf8.first == UInt8(ascii: "$") else { return name }
    let word = name.utf8.drop { $0 == UInt8(ascii: "$") }
    return ExportKey(rawValue: "$\(Substring(word))") == nil ? name : "$" + name
  }
}

/// Writes an archive in a format that has neither objects nor Swift's types.
///
/// Values have the form that JSONEncoder gives them. An object with several references, or in a cycle, is written at
/// the first one, with "$id", and elsewhere as {"$ref": its id}. A weak reference is always {"$ref": its id}, or nil if
/// no other reference leads to the object.
struct PlainExport<Syntax: PlainSyntax> {
  private(set) var syntax: Syntax
  private let image: ArchiveImage
  /// For each body, whether it is an object with several references, which gets an id.
  private let needsID: [Bool]
  /// For each body, whether it is written. Empty if the archive has no weak references.
  private let isReached: [Bool]
  private var seen: [Bool]
  private let valueCount: Int
  private var walk: ArchiveWalk
  /// For each open value, the number of brackets that its end closes.
  private var open: [Int] = []
  /// The number of the shared object whose content comes next.
  private var pendingID: Int?

  init(_ image: ArchiveImage, _ summary: ArchiveSummary, _ syntax: Syntax) throws {
    self.image = image
    self.syntax = syntax
    seen = Array(repeating: false, count: summary.referenceCounts.count)
    valueCount = summary.valueCount
    // If the root object is all that the archive has, the export is the object itself.
    let topLevel = try image.topLevelValue
    let root = try (topLevel.count == 1 ? topLevel[KeyedArchiver.rootKey] : nil) ?? topLevel
    walk = ArchiveWalk(root)
    var needsID = summary.referenceCounts.map { $0 > 1 }
    isReached = try PlainExport.findWeakReferences(in: root, &needsID)
    self.needsID = needsID
  }

  /// Walks as the export will, and marks the targets of weak references as needing an id, since a weak reference may
  /// precede its object. Returns, for each body, whether the walk reached it.
  private static func findWeakReferences(in root: ArchiveValue, _ needsID: inout [Bool]) throws -> [Bool] {
    guard root.image.hasConditionals else { return [] }
    var reached = needsID.map { _ in false }
    var walk = ArchiveWalk(root)
    while let step = try walk.next() {
      guard case .value(let value, _) = step else { continue }
      if value.kind == .url { try walk.skipMembers() }
      guard let target = try value.target else { continue }
      if value.kind == .conditional {
        needsID[target.number] = true
      } else if !reached[target.number] {
        reached[target.number] = true
        walk.follow(target)
      }
    }
    return reached
  }

  mutating func write(_ progress: Progress) throws {
    var visited = 0
    while let step = try walk.next() {
      switch step {
      case .leave:
        for _ in 0..<(open.popLast() ?? 0) { try syntax.close() }
      case .value(let value, let label):
        visited += 1
        progress.update(visited, of: valueCount)
        if case .key(let name)? = label, ExportKey.marked(name) != name {
          syntax.notes.add("key gets", "keys get", "another \"$\", since the export has keys of that name")
        }
        try syntax.key(label, ExportKey.marked)
        try write(value)
      }
    }
    try syntax.finish()
  }

  private mutating func write(_ value: ArchiveValue) throws {
    if let id = pendingID, ![.map, .record, .some, .typed].contains(value.kind) {
      // Content without keys gets a key. The bracket closes with the object.
      pendingID = nil
      try syntax.open(.object)
      try writeField(.id, id)
      if value.kind == .empty { return try syntax.close() }
      try syntax.key(ExportKey.value.rawValue)
      open[open.count - 1] += 1
    }
    switch value.kind {
    case .some, .typed:
      open.append(0)
    case .map, .record:
      try syntax.open(.object)
      if let id = pendingID { try writeField(.id, id) }
      pendingID = nil
      open.append(1)
    case .array:
      try syntax.open(.array)
      open.append(1)
    case .url:
      try writeURL(value)
      try walk.skipMembers()
    case .object, .value, .conditional:
      try writeReference(value)
    case .numbers:
      try writeNumbers(value)
    default:
      try writeScalar(value)
    }
  }

  private mutating func writeField(_ key: ExportKey, _ number: Int) throws {
    try syntax.key(key.rawValue)
    try syntax.integer(String(number))
  }

  private mutating func writeReference(_ value: ArchiveValue) throws {
    guard let target = try value.target, value.kind != .conditional || isReached[target.number] else {
      return try syntax.null()
    }
    if value.kind != .conditional, !seen[target.number] {
      seen[target.number] = true
      if target.classNumber != nil, needsID[target.number] {
        pendingID = target.number
        let rest = "referred to more than once; written once with \"$id\", elsewhere as {\"$ref\": id}"
        syntax.notes.add("object is", "objects are", rest)
      }
      walk.follow(target)
      open.append(0)
    } else {
      try syntax.open(.object)
      try writeField(.reference, target.number)
      try syntax.close()
    }
  }

  private mutating func writeURL(_ value: ArchiveValue) throws {
    syntax.notes.add("URL is", "URLs are", "written as text")
    guard let first = try value.urlParts?.first else { return try syntax.null() }
    try syntax.string(try value.urlValue?.absoluteString ?? first)
  }

  private mutating func writeNumbers(_ value: ArchiveValue) throws {
    try syntax.open(.array)
    switch try value.numbers {
    case .bools(let numbers)?: for number in numbers { try syntax.bool(number) }
    case .signed(let numbers)?: for number in numbers { try syntax.integer(number.description) }
    case .unsigned(let numbers)?: for number in numbers { try syntax.integer(number.description) }
    case .floats(let numbers)?: for number in numbers { try syntax.real(number) }
    case .doubles(let numbers)?: for number in numbers { try syntax.real(number) }
    case nil: break
    }
    try syntax.close()
  }

  private mutating func writeScalar(_ value: ArchiveValue) throws {
    switch value.kind {
    case .bool:
      try syntax.bool(value.bool == true)
    case .integer:
      try syntax.integer(try value.integer?.text ?? "0")
    case .float32:
      try syntax.real(try value.float32 ?? 0)
    case .float64:
      try syntax.real(try value.float64 ?? 0)
    case .decimal:
      try syntax.decimal(try value.decimal?.text ?? "0")
    case .string:
      try syntax.string(try value.string ?? "")
    case .bytes:
      try syntax.data(try value.bytes ?? [])
    case .date:
      try syntax.date(try value.date ?? 0)
    case .uuid:
      syntax.notes.add("UUID is", "UUIDs are", "written as text")
      try syntax.string(try value.uuidText)
    case .empty:
      syntax.notes.add("value is", "values are", "written as {}, being empty")
      try syntax.open(.object)
      try syntax.close()
    default:
      try syntax.null()
    }
  }
}
