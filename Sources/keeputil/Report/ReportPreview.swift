import Keepsake

/// A short form of the content of a single value.
enum ReportPreview {
  /// The most scalars of a text that are shown.
  private static let longestText = 80
  private static let mostNumbers = 8

  static func text(_ image: ArchiveImage, _ draft: ReportDraft) throws(ArchiveError) -> String? {
    let end = draft.extent.upperBound
    let wrapper = try ArchiveValue(image, at: draft.offset, endingBy: end, .underTopLevelKey)
    guard let value = try wrapper.unwrapped() else { return nil }
    switch value.kind {
    case .none, .empty, .bool, .integer, .float32, .float64, .decimal, .date: return try value.scalarText()
    case .uuid: return try value.uuidText
    case .url:
      let parts = try value.urlParts?.map { quoted(shortened($0, longestText)) }
      return parts?.joined(separator: " relative to ")
    case .string: return try text(value)
    case .bytes: return try bytes(value)
    case .numbers: return try numbers(value)
    case .conditional: return try value.bodyNumber == nil ? "nil" : nil
    case .array: return try value.count == 0 ? "[]" : nil
    case .map, .record: return try value.count == 0 ? "{}" : nil
    case .object, .value, .some, .typed: return nil
    }
  }

  /// The start of a text. Does not make a string of all of a long text.
  private static func text(_ value: ArchiveValue) throws(ArchiveError) -> String? {
    guard try value.byteRange.count > 4_096 else {
      return quoted(shortened(try value.string ?? "", longestText))
    }
    // Four bytes for each scalar are enough, also for one more, which is left out.
    let (count, offset) = (4 * longestText + 4, try value.countedBytes.lowerBound)
    let start = try value.reader.array(of: UInt8.self, count: count, at: offset)
    return quoted(shortened(String(decoding: start, as: UTF8.self), longestText))
  }

  private static func bytes(_ value: ArchiveValue) throws(ArchiveError) -> String {
    let range = try value.countedBytes
    let shown = try value.reader.array(of: UInt8.self, count: min(range.count, 16), at: range.lowerBound)
    return bytesText(shown, of: range.count)
  }

  private static func numbers(_ value: ArchiveValue) throws(ArchiveError) -> String {
    let count = try value.count ?? 0
    // To show some of the numbers, all must be read. So more numbers are only counted.
    guard count <= 65_536, let numbers = try value.numbers else { return counted(count, "number") }
    let shown = numbers[0..<min(numbers.count, mostNumbers)].texts
    return "[" + shown.joined(separator: ", ") + (count > mostNumbers ? ", … \(grouped(count)) in all]" : "]")
  }
}
