/// An object, or a value of the top level, that has a body of its own (Format §4.1).
package struct ArchiveBody {
  package let number: Int
  /// The object's class in the class table of the archive; `nil` for a value.
  package let classNumber: Int?
  package let value: ArchiveValue
  /// The bytes of the body, class number included.
  package let byteRange: Range<Int>

  package var className: String? { classNumber.map { value.image.classes[$0].name } }
}

extension ArchiveImage {
  /// The top level: a record or map with the keys of the archive. Reads only its beginning.
  package var topLevelValue: ArchiveValue {
    get throws(ArchiveError) {
      try ArchiveValue(self, at: topLevelStart, endingBy: directory.topLevel.upperBound, .topLevel)
    }
  }

  package var bodyNumbers: StrideThrough<Int> { stride(from: 1, through: directory.bodyCount, by: 1) }

  /// The body `number`, from 1 on, to which the reference at `offset` leads, if one does. Reads only its beginning.
  package func numberedBody(_ number: Int, referredToAt offset: Int = 0) throws(ArchiveError) -> ArchiveBody {
    let range = try exclusively(extent(ofBody: number, at: offset))
    var cursor = range.lowerBound
    // A class number takes at most ten bytes.
    try touch(cursor..<min(cursor + 10, range.upperBound))
    let classNumber = try classNumber(at: &cursor)
    let value = try ArchiveValue(self, at: cursor, endingBy: range.upperBound, .body)
    return ArchiveBody(number: number, classNumber: classNumber, value: value, byteRange: range)
  }

  /// The end of the value at `offset`. Compares the checksums of all bytes up to there.
  func endTouching(valueAt offset: Int, in reader: ByteReader) throws(ArchiveError) -> Int {
    let end: Int
    do throws(ArchiveError) {
      end = try self.end(ofValueAt: offset, in: reader)
    } catch {
      // The error of a wrong checksum takes precedence.
      if let cursor = error.byteOffset, cursor >= offset { try touch(offset..<(cursor + 1)) }
      throw error
    }
    try touch(offset..<end)
    return end
  }
}

extension ArchiveValue {
  /// The number of the body that a reference leads to; `nil` for other values, and if the object was not archived.
  package var bodyNumber: Int? {
    get throws(ArchiveError) {
      switch kind {
      case .object, .value: try referencedNumber()
      case .conditional:
        try image.exclusively(image.conditionalTarget(referencedNumber(), at: offset))
      default: nil
      }
    }
  }

  /// The object or value that a reference leads to; `nil` for other values, and if the object was not archived.
  package var target: ArchiveBody? {
    get throws(ArchiveError) {
      guard let number = try bodyNumber else { return nil }
      let body = try image.numberedBody(number, referredToAt: offset)
      let isToValue = kind == .value
      guard isToValue == (body.classNumber == nil) else {
        throw image.leadsToOtherKind(isToValue: isToValue, offset)
      }
      if isToValue { try image.exclusively(image.noteReference(to: number, at: offset)) }
      return body
    }
  }
}
