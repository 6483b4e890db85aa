import Keepsake

/// The kinds of values in the figures: those of the dynamic view, and texts of the string table.
enum StatisticKind: Int, CaseIterable {
  case none, empty, bool, integer, float32, float64, decimal, date, uuid, url
  case string, sharedString, bytes
  case array, numbers, map, record, some, typed
  case object, value, conditional

  init(_ value: ArchiveValue) throws(ArchiveError) {
    self =
      switch value.kind {
      case .none: .none
      case .empty: .empty
      case .some: .some
      case .bool: .bool
      case .integer: .integer
      case .float32: .float32
      case .float64: .float64
      case .date: .date
      case .uuid: .uuid
      case .decimal: .decimal
      case .url: .url
      case .string: try value.sharedStringNumber == nil ? .string : .sharedString
      case .bytes: .bytes
      case .array: .array
      case .numbers: .numbers
      case .map: .map
      case .record: .record
      case .typed: .typed
      case .object: .object
      case .value: .value
      case .conditional: .conditional
      }
  }

  var title: String {
    switch self {
    case .none: "nil"
    case .empty: "nothing encoded"
    case .some: "mark of an optional"
    case .bool: "boolean"
    case .integer: "integer"
    case .float32: "32-bit float"
    case .float64: "64-bit float"
    case .date: "date"
    case .uuid: "UUID"
    case .decimal: "decimal"
    case .url: "URL"
    case .string: "text"
    case .sharedString: "text in the string table"
    case .bytes: "bytes"
    case .array: "array"
    case .numbers: "array of numbers"
    case .map: "dictionary"
    case .record: "record"
    case .typed: "value behind a protocol"
    case .object: "reference to an object"
    case .value: "reference to a value"
    case .conditional: "weak reference"
    }
  }
}

extension ArchiveValue {
  var kindName: String {
    get throws(ArchiveError) {
      let kind = try StatisticKind(self)
      let title = kind == .sharedString ? StatisticKind.string.title : kind.title
      if kind == .empty { return "empty" }
      if kind == .none || kind == .bytes { return title }
      // References to other values were followed.
      if kind == .object || kind == .value { return "a reference to itself" }
      return ("aeio".contains(title.prefix(1)) ? "an " : "a ") + title
    }
  }

  /// The number of a text in the string table. `nil` for any other value.
  var sharedStringNumber: Int? {
    get throws(ArchiveError) {
      guard kind == .string,
        (Tag.stringReference..<Tag.valueReference).contains(try reader.byte(at: offset))
      else { return nil }
      return try reader.referencedNumber(at: offset)
    }
  }
}
