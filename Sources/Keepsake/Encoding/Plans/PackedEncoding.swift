/// A type whose arrays are written as one run of numbers (Format §4.7).
protocol PackableElement: Encodable {
  static func appendPacked(_ array: [Self], to buffer: ByteBuffer)
  static func makePackedPlan() -> AnyEncodingPlan
}

extension PackableElement {
  static func makePackedPlan() -> AnyEncodingPlan {
    PackedEncodingPlan<Self>(isAtomic: true, canBeNil: false)
  }
}

final class PackedEncodingPlan<Element: PackableElement>: EncodingPlan<[Element]> {
  override func encode(_ value: [Element], _ session: EncodingSession) {
    Element.appendPacked(value, to: session.buffer)
  }
}

extension PackableElement where Self: ArchiveInteger {
  @inline(__always)
  static func appendPacked(_ array: [Self], to buffer: ByteBuffer) { buffer.append(packed: array) }
}

extension UInt8: PackableElement {
  static func appendPacked(_ array: [UInt8], to buffer: ByteBuffer) {
    buffer.append(bytesHead: array.count)
    buffer.append(memoryOf: array)
  }
}

extension Bool: PackableElement {
  static func appendPacked(_ array: [Bool], to buffer: ByteBuffer) { buffer.append(packed: array) }
}

extension Float: PackableElement {
  static func appendPacked(_ array: [Float], to buffer: ByteBuffer) {
    buffer.append(packed: array, as: .float32)
  }
}

extension Double: PackableElement {
  static func appendPacked(_ array: [Double], to buffer: ByteBuffer) {
    buffer.append(packed: array, as: .float64)
  }
}
