/// An object, or a value of the top level, that has a body of its own (Format §4.1).
package struct ArchiveBody {
  package let number: Int
  /// The object's class in the class table of the archive; `nil` for a value.
  package let classNumber: Int?
  package let value: ArchiveValue
  /// The bytes of the body, class number included.
  package let byteRange: Range<Int>

  /// The name of the object's class, as it stands in the archive; `nil` for a value.
  package var className: String? { classNumber.map { value.image.classes[$0].name } }
}

extension ArchiveImage {
  /// The value of the top level: a record or map whose keys are those of the archive.
  package var topLevelValue: ArchiveValue {
    get throws(ArchiveError) {
      var place = directory.topLevel.lowerBound
      guard try classNumber(at: &place) == nil else {
        throw ArchiveError(
          .damaged,
          "The top level of the archive is an object",
          byteOffset: directory.topLevel.lowerBound
        )
      }
      return try ArchiveValue(self, at: place)
    }
  }

  /// The body of `number`, from 1 on. Only how it begins is read.
  ///
  /// - Parameter offset: where the reference is, for the error when there is no such body.
  package func numberedBody(_ number: Int, referredToAt offset: Int) throws(ArchiveError) -> ArchiveBody {
    let range = try exclusively { () throws(ArchiveError) in try extent(ofBody: number, at: offset) }
    var place = range.lowerBound
    // The class number takes no more than that.
    try touch(place..<min(place + 10, range.upperBound))
    let classNumber = try classNumber(at: &place)
    return ArchiveBody(
      number: number,
      classNumber: classNumber,
      value: try ArchiveValue(self, at: place),
      byteRange: range
    )
  }
}

// What an image remembers, for several threads.
extension ArchiveImage {
  fileprivate func sharedConditionalTarget(_ index: Int, at offset: Int) throws(ArchiveError) -> Int? {
    try exclusively { () throws(ArchiveError) in try conditionalTarget(index, at: offset) }
  }

  func sharedString(_ number: Int, at offset: Int) throws(ArchiveError) -> String {
    try exclusively { () throws(ArchiveError) in try string(number, at: offset) }
  }

  /// The key of a map at `place`, which moves behind it.
  func sharedMapKey(at place: inout Int) throws(ArchiveError) -> PathElement {
    var end = place
    let key = try exclusively { () throws(ArchiveError) in try mapKey(at: &end, in: reader) }
    place = end
    return key
  }
}

extension ArchiveValue {
  /// The number of the body that a reference leads to; `nil` for a value that is no reference, and for a
  /// conditional reference to an object that was not archived.
  package var bodyNumber: Int? {
    get throws(ArchiveError) {
      switch kind {
      case .object, .value: try referencedNumber()
      case .conditional: try image.sharedConditionalTarget(referencedNumber(), at: offset)
      default: nil
      }
    }
  }

  /// The object or value that a reference leads to; `nil` for a value that is no reference, and for a
  /// conditional reference to an object that was not archived.
  package var target: ArchiveBody? {
    get throws(ArchiveError) {
      guard let number = try bodyNumber else { return nil }
      let body = try image.numberedBody(number, referredToAt: offset)
      guard (body.classNumber == nil) == (kind == .value) else {
        throw ArchiveError(
          .damaged,
          kind == .value
            ? "A reference to a value leads to an object" : "A reference to an object leads to a value",
          byteOffset: offset
        )
      }
      return body
    }
  }
}
