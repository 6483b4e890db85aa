/// The single-value container of a value.
struct SingleValueDecoder: SingleValueDecodingContainer {
  let session: DecodingSession
  let offset: Int
  let depth: Int

  var codingPath: [any CodingKey] { session.path(to: offset, depth: depth) }

  @inline(__always)
  private func get<Value: ReadablePrimitive>(_ type: Value.Type) throws -> Value {
    var place = offset
    let value: Value
    do throws(ReadingFault) {
      value = try Value.read(session, at: &place)
    } catch {
      throw session.error(error, type, codingPath)
    }
    session.completed = (offset, place)
    return value
  }

  func decodeNil() -> Bool {
    (try? session.isNil(at: offset)) ?? false
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    var place = offset
    let value = try session.decode(type, at: &place, depth)
    session.completed = (offset, place)
    return value
  }

  func decode(_ type: Bool.Type) throws -> Bool { try get(type) }
  func decode(_ type: String.Type) throws -> String { try get(type) }
  func decode(_ type: Double.Type) throws -> Double { try get(type) }
  func decode(_ type: Float.Type) throws -> Float { try get(type) }
  func decode(_ type: Int.Type) throws -> Int { try get(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try get(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try get(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try get(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try get(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try get(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try get(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try get(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try get(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try get(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try get(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try get(type) }
}
