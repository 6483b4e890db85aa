#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Foundation's types that have a form of their own in an archive (Format §4.4, §4.5).

extension Date: ArchivePrimitive {
  @inline(__always)
  static func write(_ value: Date, to session: EncodingSession) {
    session.buffer.append(Tag.date, word: value.timeIntervalSinceReferenceDate.bitPattern, byteCount: 8)
  }
}

extension UUID: ArchivePrimitive {
  @inline(__always)
  static func write(_ value: UUID, to session: EncodingSession) {
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = value.uuid
    session.buffer.append(Tag.uuid, word: word(a, b, c, d, e, f, g, h), byteCount: 8)
    session.buffer.append(word: word(i, j, k, l, m, n, o, p))
  }

  /// The bytes in the order of their printed form.
  @inline(__always)
  private static func word(
    _ a: UInt8,
    _ b: UInt8,
    _ c: UInt8,
    _ d: UInt8,
    _ e: UInt8,
    _ f: UInt8,
    _ g: UInt8,
    _ h: UInt8
  ) -> UInt64 {
    let low = UInt64(a) | UInt64(b) << 8 | UInt64(c) << 16 | UInt64(d) << 24
    let high = UInt64(e) | UInt64(f) << 8 | UInt64(g) << 16 | UInt64(h) << 24
    return low | high << 32
  }
}

extension Data: NativelyEncodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { DataEncodingPlan(isAtomic: true) }
}

final class DataEncodingPlan: EncodingPlan<Data> {
  override func encode(_ value: Data, _ session: EncodingSession) {
    session.buffer.append(bytesValue: value.bytes)
  }

  override var canBeNil: Bool { false }
}

extension URL: NativelyEncodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { URLEncodingPlan() }
}

/// A URL is what it encodes itself as, a record of the relative string and the base, marked as a URL.
final class URLEncodingPlan: EncodingPlan<URL> {
  override func encode(_ value: URL, _ session: EncodingSession) throws {
    session.buffer.append(Tag.url)
    try session.encodePlainly(value)
  }

  override var canBeNil: Bool { false }
}

extension Decimal: ArchivePrimitive {
  static func write(_ value: Decimal, to session: EncodingSession) {
    session.buffer.append(DecimalParts(value))
  }
}
