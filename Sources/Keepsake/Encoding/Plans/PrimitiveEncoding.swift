/// A type that is one tag and its payload, and so needs neither a frame nor a rollback.
protocol ArchivePrimitive: NativelyEncodable {
  static func write(_ value: Self, to session: EncodingSession)
}

final class PrimitiveEncodingPlan<Value: ArchivePrimitive>: EncodingPlan<Value> {
  override func encode(_ value: Value, _ session: EncodingSession) { Value.write(value, to: session) }
  override func standsInline(_ value: Value) -> Bool { true }
}

extension ArchivePrimitive {
  static func makeEncodingPlan() -> AnyEncodingPlan {
    PrimitiveEncodingPlan<Self>(isAtomic: true, canBeNil: false)
  }
}

/// An explicit nil.
struct Nil: ArchivePrimitive, ValueStandIn {
  var original: Any { Any?.none as Any }

  @inline(__always)
  static func write(_ value: Nil, to session: EncodingSession) { session.buffer.append(Tag.none) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

extension Bool: ArchivePrimitive {
  @inline(__always)
  static func write(_ value: Bool, to session: EncodingSession) {
    session.buffer.append(value ? Tag.true : Tag.false)
  }
}

extension Float: ArchivePrimitive {
  @inline(__always)
  static func write(_ value: Float, to session: EncodingSession) {
    session.buffer.append(Tag.float32, word: UInt64(value.bitPattern), byteCount: 4)
  }
}

extension Double: ArchivePrimitive {
  @inline(__always)
  static func write(_ value: Double, to session: EncodingSession) {
    session.buffer.append(Tag.float64, word: value.bitPattern, byteCount: 8)
  }
}

/// A string of more than this many bytes gets a body of its own at the top level, so that it can be skipped.
private let longestInlineString = 1_024

extension String: ArchivePrimitive {
  @inline(__always)
  static func write(_ value: String, to session: EncodingSession) { session.write(string: value) }

  static func makeEncodingPlan() -> AnyEncodingPlan { StringEncodingPlan(isAtomic: true, canBeNil: false) }
}

final class StringEncodingPlan: EncodingPlan<String> {
  override func encode(_ value: String, _ session: EncodingSession) { session.write(string: value) }
  override func standsInline(_ value: String) -> Bool { value.utf8.count <= longestInlineString }
}

/// The integer types, which share one implementation.
protocol ArchiveInteger: ArchivePrimitive, FixedWidthInteger, BitwiseCopyable {}

extension ArchiveInteger {
  @inline(__always)
  static func write(_ value: Self, to session: EncodingSession) { session.buffer.append(integer: value) }
}

extension Int: ArchiveInteger, PackableElement {}
extension Int8: ArchiveInteger, PackableElement {}
extension Int16: ArchiveInteger, PackableElement {}
extension Int32: ArchiveInteger, PackableElement {}
extension Int64: ArchiveInteger, PackableElement {}
extension Int128: ArchiveInteger {}
extension UInt: ArchiveInteger, PackableElement {}
extension UInt8: ArchiveInteger {}
extension UInt16: ArchiveInteger, PackableElement {}
extension UInt32: ArchiveInteger, PackableElement {}
extension UInt64: ArchiveInteger, PackableElement {}
extension UInt128: ArchiveInteger {}
