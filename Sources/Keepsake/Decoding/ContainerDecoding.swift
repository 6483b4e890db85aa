/// How the containers find values, and what they share.
extension DecodingSession {
  /// Where the value of the key `name` is in the keyed container whose frame is at `depth`.
  func find(_ name: String, _ depth: Int, _ offset: Int) throws -> Int? {
    frames[depth].kind == .record
      ? try findInRecord(keyNumber(name), depth, offset) : try findInMap(name, depth, offset)
  }

  /// Where the value of a key is in a record, when it is not the one that was expected.
  func findInRecord(_ number: Int, _ depth: Int, _ offset: Int) throws -> Int? {
    guard number >= 0 else { return nil }
    let first = frames[depth].firstSlot
    guard let slot = (0..<frames[depth].count).first(where: { image.shapeKey(first + $0) == number }) else {
      return nil
    }
    return try located(depth, offset) { () throws(ArchiveError) in
      let frame = self.frames[depth]
      var place = frame.nextPlace
      if slot >= frame.nextSlot, frame.places.isEmpty {
        for _ in frame.nextSlot..<slot { place = try self.image.end(ofValueAt: place, in: self.reader) }
      } else {
        if frame.places.isEmpty { try self.indexRecord(depth) }
        place = self.frames[depth].places[slot]
      }
      self.frames[depth].nextSlot = slot
      self.frames[depth].nextPlace = place
      self.frames[depth].currentSlot = slot
      return place
    }
  }

  /// Notes where each value of a record is, so that reading in any order takes one walk.
  private func indexRecord(_ depth: Int) throws(ArchiveError) {
    var place = frames[depth].payload
    var places: [Int] = []
    for _ in 0..<frames[depth].count {
      places.append(place)
      place = try image.end(ofValueAt: place, in: reader)
    }
    frames[depth].places = places
  }

  /// Where the value of a key is in a map. The next key is looked at first; then all keys are indexed.
  func findInMap(_ name: String, _ depth: Int, _ offset: Int) throws -> Int? {
    try located(depth, offset) { () throws(ArchiveError) in
      if self.frames[depth].index.isEmpty {
        let keyPlace = self.frames[depth].nextPlace
        if self.frames[depth].nextSlot < self.frames[depth].count {
          var place = keyPlace
          if try self.image.mapKey(at: &place, in: self.reader).name.string.utf8.elementsEqual(name.utf8) {
            self.frames[depth].currentSlot = self.frames[depth].nextSlot
            self.frames[depth].currentKey = keyPlace
            return place
          }
        }
        try self.indexMap(depth)
      }
      guard let slot = self.frames[depth].index[ExactString(string: name)] else { return nil }
      var place = self.frames[depth].places[slot]
      self.frames[depth].nextSlot = slot
      self.frames[depth].nextPlace = place
      self.frames[depth].currentSlot = slot
      self.frames[depth].currentKey = place
      _ = try self.image.mapKey(at: &place, in: self.reader)
      return place
    }
  }

  private func indexMap(_ depth: Int) throws(ArchiveError) {
    (frames[depth].index, frames[depth].places) = try mapIndex(
      frames[depth].payload,
      count: frames[depth].count
    )
  }

  /// Throws when the map at `offset` has a key twice.
  func checkKeysDiffer(mapAt offset: Int) throws(ArchiveError) {
    var payload = offset + 1
    let count = try reader.varint(at: &payload)
    _ = try mapIndex(payload, count: count)
  }

  /// The number of each key of a map, and where each is.
  private func mapIndex(
    _ payload: Int,
    count: Int
  ) throws(ArchiveError) -> (index: [ExactString: Int], places: [Int]) {
    var place = payload
    var places: [Int] = []
    var index: [ExactString: Int] = [:]
    for slot in 0..<count {
      places.append(place)
      let keyPlace = place
      guard index.updateValue(slot, forKey: try image.mapKey(at: &place, in: reader).name) == nil else {
        throw ArchiveError(.damaged, "A map has a key twice", byteOffset: keyPlace)
      }
      place = try image.end(ofValueAt: place, in: reader)
    }
    return (index, places)
  }

  /// The place that `find` returns; at the top level, that of the value that a reference there stands for.
  private func located(_ depth: Int, _ offset: Int, _ find: () throws(ArchiveError) -> Int?) throws -> Int? {
    do {
      guard let place = try find() else { return nil }
      // Not deeper, where only a damaged archive can lead here again.
      return offset == topLevelOffset && depth <= 1 ? try resolved(place) : place
    } catch {
      throw publicError(error, path(to: offset, depth: depth))
    }
  }

  /// Follows a value reference, which stands only at the top level, and so never leads in a circle (Format
  /// §4.9).
  private func resolved(_ place: Int) throws(ArchiveError) -> Int {
    let tag = try reader.byte(at: place)
    guard TagKind(tag) == .valueReference else { return place }
    let number = Int(try reader.unsigned(at: place + 1, byteCount: Int(tag & 3) + 1))
    var body = try image.body(number, at: place).lowerBound
    guard try image.classNumber(at: &body) == nil else {
      throw ArchiveError(.damaged, "A reference to a value leads to an object", byteOffset: place)
    }
    objects.set(number, nil, origin: place)
    return body
  }

  /// Notes that the value of `slot`, which ends at `end`, was read from the keyed container at `offset`.
  @inline(__always)
  func advance(_ depth: Int, _ offset: Int, past slot: Int, to end: Int) {
    // At the top level the value may be elsewhere; the next one is found by a walk from the reference.
    guard frames[depth].offset == offset, frames[depth].kind.isKeyed, offset != topLevelOffset else { return }
    frames[depth].nextSlot = slot &+ 1
    frames[depth].nextPlace = end
  }

  /// The keys of the keyed container whose frame is at `depth`, in the order of writing.
  func keys(_ depth: Int) -> [PathElement] {
    let frame = frames[depth]
    if frame.kind == .record {
      return (0..<frame.count).map { .key(image.keys[image.shapeKey(frame.firstSlot + $0)]) }
    }
    var keys: [PathElement] = []
    var place = frame.payload
    for _ in 0..<frame.count {
      guard let key = try? image.mapKey(at: &place, in: reader),
        let end = try? image.end(ofValueAt: place, in: reader)
      else { break }
      keys.append(key)
      place = end
    }
    return keys
  }

  /// Decodes a value of any type; `depth` is that of the container that it is in.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, at place: inout Int, _ depth: Int) throws -> Value {
    if isActive { return try decodeInside(type, at: &place, depth) }
    return try decodeOutermost(type, at: &place, depth)
  }

  @inline(__always)
  func decodeInside<Value: Decodable>(_ type: Value.Type, at place: inout Int, _ depth: Int) throws -> Value {
    let start = place
    let mark = mark
    do {
      return try plans.plan(for: type).decode(at: &place, self, depth)
    } catch {
      throw abandon(mark, error, type, path(toValueAt: start, in: depth))
    }
  }

  /// Forgets what was decoded since `mark`, for `fault`; returns the error for the caller.
  @inline(never)
  private func abandon(
    _ mark: DecodingMark,
    _ fault: any Error,
    _ type: Any.Type,
    _ path: @autoclosure () -> [any CodingKey]
  ) -> any Error {
    let error =
      switch fault {
      case let fault as ReadingFault: self.error(fault, type, path())
      case let damage as ArchiveError: corrupted(damage, path())
      default: fault
      }
    goBack(to: mark)
    return error
  }

  // MARK: Other containers

  /// A decoder for the value at `place` of the container at `depth`, to be used at any time.
  func nestedDecoder(at place: Int, in depth: Int) throws -> ValueDecoder {
    try descend(to: place, from: depth)
    return ValueDecoder(session: self, offset: place, depth: depth + 1)
  }

  /// Makes the element `index` the current one of the unkeyed container at `offset`.
  @inline(__always)
  func prepareElement(_ offset: Int, _ depth: Int, _ index: Int) {
    claimFrame(depth, for: offset)
    frames[depth].kind = .elements
    frames[depth].currentSlot = index
  }

  func unkeyedContainer(_ offset: Int, _ depth: Int) throws -> any UnkeyedDecodingContainer {
    do {
      var place = try contentOfReference(at: bodyOfAnnotation(offset))
      let start = place
      let isElsewhere = try isReference(at: bodyOfAnnotation(offset))
      let tag = try reader.byte(at: place)
      place += 1
      switch TagKind(tag) {
      case .shortArray:
        return UnkeyedValueDecoder(
          self,
          offset,
          depth,
          payload: place,
          count: Int(tag - Tag.shortArray),
          isElsewhere: isElsewhere
        )
      case .array:
        let count = try reader.varint(at: &place)
        try reader.check(count, at: place)
        return UnkeyedValueDecoder(
          self,
          offset,
          depth,
          payload: place,
          count: count,
          isElsewhere: isElsewhere
        )
      case .empty:
        return UnkeyedValueDecoder(self, offset, depth, payload: place, count: 0)
      case .packedArray, .bytes:
        let end = try image.end(ofValueAt: start, in: reader)
        if start == offset { completed = (offset, end) }
        let numbers = try PackedArray(image, at: start)
        return PackedUnkeyedDecoder(self, path(to: offset, depth: depth), numbers)
      default:
        throw mismatch([Any].self, start, path(to: offset, depth: depth))
      }
    } catch {
      throw publicError(error, path(to: offset, depth: depth))
    }
  }

  /// The error for reading past the last element.
  func atEnd(_ type: Any.Type, _ path: [any CodingKey], _ index: Int) -> DecodingError {
    DecodingError.valueNotFound(
      type,
      .init(
        codingPath: path + [ArchiveCodingKey(index: index)],
        debugDescription: "The unkeyed container is at its end: it has \(index) elements"
      )
    )
  }
}
