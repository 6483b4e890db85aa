/// The single-value container of a value.
struct SingleValueDecoder: PrimitiveSingleValueDecoding {
  let session: DecodingSession
  let offset: Int
  let depth: Int

  var codingPath: [any CodingKey] { session.path(to: offset, depth: depth) }

  @inline(__always)
  func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    session.claimFrame(depth, for: offset)
    var cursor = offset
    let value: Value
    do throws(ReadingFault) {
      value = try Value.readValue(session, at: &cursor)
    } catch {
      throw session.error(error, type, codingPath)
    }
    session.nesting.complete(offset, cursor)
    return value
  }

  func decodeNil() -> Bool {
    var isNil = false
    session.rememberingFailure(of: offset, depth) {
      isNil = try session.isNil(at: session.contentOfReference(at: offset))
    }
    return isNil
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    session.claimFrame(depth, for: offset)
    var cursor = offset
    let value = try session.decode(type, at: &cursor, depth)
    session.nesting.complete(offset, cursor)
    return value
  }
}
