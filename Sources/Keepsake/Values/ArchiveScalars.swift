/// The content of single values. Each property is `nil` for a value of another kind.
extension ArchiveValue {
  package var bool: Bool? { kind == .bool ? tag == Tag.true : nil }

  package var integer: IntegerValue? {
    get throws(ArchiveError) {
      var cursor = offset
      return try IntegerValue(reader, at: &cursor)
    }
  }

  package var float32: Float? {
    get throws(ArchiveError) {
      guard kind == .float32 else { return nil }
      return Float(bitPattern: UInt32(truncatingIfNeeded: try reader.unsigned(at: offset + 1, byteCount: 4)))
    }
  }

  package var float64: Double? {
    get throws(ArchiveError) { try double(.float64) }
  }

  /// A date, in seconds since the beginning of 2001, UTC.
  package var date: Double? {
    get throws(ArchiveError) { try double(.date) }
  }

  private func double(_ kind: Kind) throws(ArchiveError) -> Double? {
    self.kind == kind ? Double(bitPattern: try reader.word(at: offset + 1)) : nil
  }

  package var decimal: DecimalParts? {
    get throws(ArchiveError) {
      var cursor = offset
      return try DecimalParts(reader, at: &cursor)
    }
  }

  package var string: String? {
    get throws(ArchiveError) {
      let string: String
      switch TagKind(tag) {
      case .shortString:
        string = try reader.string((offset + 1)..<(offset + 1 + Int(tag - Tag.shortString)))
      case .string:
        let range = try countedBytes
        try image.touch(range)
        string = try reader.string(range)
      case .stringReference:
        string = try image.exclusively(image.string(referencedNumber(), at: offset))
      default:
        return nil
      }
      guard string.utf8.count <= max(Tag.longestShortString, image.limits.maximumStringByteCount) else {
        throw image.limits.tooLong(string.utf8.count, offset)
      }
      return string
    }
  }

  package var bytes: [UInt8]? {
    get throws(ArchiveError) {
      guard kind == .bytes else { return nil }
      let range = try countedBytes
      try checkElementCount(range.count)
      try image.touch(range)
      return try reader.array(of: UInt8.self, count: range.count, at: range.lowerBound)
    }
  }

  /// The content of data, or of a string that is not short, after its length.
  package var countedBytes: Range<Int> {
    get throws(ArchiveError) {
      var cursor = offset + 1
      return try reader.countedRange(at: &cursor)
    }
  }

  /// The relative string of a URL, then that of its base, and so on.
  package var urlParts: [String]? {
    get throws(ArchiveError) {
      guard kind == .url else { return nil }
      // Compares the checksums of the whole URL.
      _ = try byteRange
      let texts = try image.exclusively(image.urlTexts(at: offset, in: reader))
      return try texts.map { (text) throws(ArchiveError) in
        try ArchiveValue(image, at: text, endingBy: bodyEnd).string ?? ""
      }
    }
  }

  func referencedNumber() throws(ArchiveError) -> Int {
    try reader.referencedNumber(at: offset)
  }

  package var numbers: ArchiveNumbers? {
    get throws(ArchiveError) {
      guard kind == .numbers else { return nil }
      _ = try byteRange
      let head = try image.packedArray(at: offset, in: reader)
      try checkElementCount(head.count)
      return try ArchiveNumbers(head.element, head.count, reader, at: head.payload)
    }
  }
}
