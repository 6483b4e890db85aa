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
    let words = bits(of: value.uuid, (UInt64, UInt64).self)
    session.buffer.append(Tag.uuid, word: words.0, byteCount: 8)
    session.buffer.append(word: words.1)
  }
}

extension Data: NativelyEncodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { DataEncodingPlan(isAtomic: true, canBeNil: false) }
}

final class DataEncodingPlan: EncodingPlan<Data> {
  override func encode(_ value: Data, _ session: EncodingSession) {
    session.buffer.append(bytesHead: value.count)
    session.buffer.append(value.bytes)
  }
}

extension URL: NativelyEncodable {
  static func makeEncodingPlan() -> AnyEncodingPlan { URLEncodingPlan(canBeNil: false) }
}

/// Writes what a URL encodes itself as, a record of the relative string and the base, and marks it as a URL.
final class URLEncodingPlan: EncodingPlan<URL> {
  override func encode(_ value: URL, _ session: EncodingSession) throws {
    session.buffer.append(Tag.url)
    try session.encodePlainly(value)
  }
}

extension Decimal: ArchivePrimitive {
  static func write(_ value: Decimal, to session: EncodingSession) {
    session.buffer.append(DecimalParts(value))
  }
}
