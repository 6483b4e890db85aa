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

  /// In the order of the cases.
  var title: String {
    [
      "nil", "nothing encoded", "boolean", "integer", "32-bit float", "64-bit float", "decimal", "date",
      "UUID", "URL", "text", "text in the string table", "bytes", "array", "array of numbers", "dictionary",
      "record", "mark of an optional", "value behind a protocol", "reference to an object",
      "reference to a value", "weak reference",
    ][rawValue]
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
      let bits = try nanText(float32, \.bitPattern) + nanText(float64, \.bitPattern)
      return ("aeio".contains(title.prefix(1)) ? "an " : "a ") + title + bits
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
