/// Class instances, by number: each is decoded once and is one instance wherever it is referred to (Format
/// §4.9).
final class ClassDecodingPlan<Value: Decodable>: DecodingPlan<Value> {
  override func decode(at place: inout Int, _ session: DecodingSession, _ depth: Int) throws -> Value {
    let start = place
    guard session.reader.isObjectReference(at: start) else {
      if try session.reader.byte(at: start) == Tag.none { throw ReadingFault.mismatch(start) }
      // A class may have been a structure when the archive was written.
      return try session.decodePlainly(Value.self, at: &place, depth)
    }
    let number = try session.objectNumber(at: &place)
    let body =
      number >= 1 && number <= session.image.directory.bodyCount ? session.objects.object(number) : nil
    guard let object = body else { return try decodeBody(number, start, session, depth) }
    if let value = object as? Value { return value }
    throw object === ObjectBeingDecoded.marker
      ? session.cycle(start, depth) : session.isOther(object, Value.self, start, depth)
  }

  private func decodeBody(
    _ number: Int,
    _ reference: Int,
    _ session: DecodingSession,
    _ depth: Int
  ) throws -> Value {
    let body = try session.image.body(number, at: reference)
    var content = body.lowerBound
    guard let classNumber = try session.image.classNumber(at: &content) else {
      throw ArchiveError(.damaged, "A reference to an object leads to a value", byteOffset: reference)
    }
    let type = try session.type(ofClass: classNumber, expected: Value.self, reference, depth)
    session.objects.set(number, ObjectBeingDecoded.marker, origin: reference)
    do {
      let value = try session.decodeObject(type, at: &content, depth)
      guard content == body.upperBound else {
        throw ArchiveError(.damaged, "An object does not fill the space that it has", byteOffset: content)
      }
      guard let typed = value as? Value else {
        throw session.isOther(value as AnyObject, Value.self, reference, depth)
      }
      session.objects.set(number, value as AnyObject, origin: reference)
      return typed
    } catch {
      session.objects.set(number, nil, origin: reference)
      throw error
    }
  }
}

/// Stands in the table for an object whose initializer is running.
private final class ObjectBeingDecoded: Sendable {
  static let marker = ObjectBeingDecoded()
}

extension DecodingSession {
  /// The class to build for an object: the one asked for, unless the class of the object matters (Design §4).
  fileprivate func type<Value: Decodable>(
    ofClass number: Int,
    expected: Value.Type,
    _ offset: Int,
    _ depth: Int
  ) throws -> any Decodable.Type {
    if let knownClasses {
      guard let known = knownClasses[number] as? any Decodable.Type else { return expected }
      return known
    }
    let entry = image.classes[number]
    guard entry.isPolymorphic, entry.name != String(reflecting: expected) else { return expected }
    let message =
      "The object is of the class \(entry.name), archived where \(expected) or another class was declared, and this "
      + "version of the library cannot look that class up"
    throw corrupted(
      ArchiveError(.unresolvableClass, message, byteOffset: offset),
      path(toValueAt: offset, in: depth)
    )
  }

  fileprivate func decodeObject(_ type: any Decodable.Type, at place: inout Int, _ depth: Int) throws
    -> any Decodable
  {
    func decode<Value: Decodable>(_ type: Value.Type) throws -> any Decodable {
      try decodePlainly(type, at: &place, depth)
    }
    return try decode(type)
  }

  fileprivate func cycle(_ offset: Int, _ depth: Int) -> DecodingError {
    corrupted(
      ArchiveError(
        .cycle,
        "The object refers back to one whose initializer is still running",
        byteOffset: offset
      ),
      path(toValueAt: offset, in: depth)
    )
  }

  fileprivate func isOther(_ object: AnyObject, _ type: Any.Type, _ offset: Int, _ depth: Int)
    -> DecodingError
  {
    let message = "Expected \(type) but the object is a \(Swift.type(of: object))"
    return DecodingError.typeMismatch(
      type,
      .init(
        codingPath: path(toValueAt: offset, in: depth),
        debugDescription: message,
        underlyingError: ArchiveError(.typeMismatch, message, byteOffset: offset)
      )
    )
  }
}
