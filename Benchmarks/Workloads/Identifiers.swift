import Foundation

/// An event with its identifier and time.
struct Occurrence: Codable, Equatable {
  var identifier: UUID
  var date: Date
}

extension Workload {
  /// An array of UUIDs and dates in pairs.
  static let identifiers = Workload(name: "identifiers", countingDivisor: 100) { scale in
    var generator = SeededGenerator(seed: 11)
    let occurrences = (0..<scale.count(100_000)).map { _ in
      Occurrence(
        identifier: UUID(uuid: generator.uuidBytes()),
        date: Date(timeIntervalSinceReferenceDate: Double.random(in: 0...1e9, using: &generator))
      )
    }
    return PreparedWorkload(
      title: "\(Figure.count(occurrences.count)) UUIDs, each with a date",
      unit: .nanosecondsPer("pair", count: occurrences.count),
      value: occurrences
    )
  }
}

extension SeededGenerator {
  /// The bytes of a random UUID. (`UUID()` would differ in every run.)
  fileprivate mutating func uuidBytes() -> uuid_t {
    var bytes = (0..<2).flatMap { _ in nextBytes() }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return (
      bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
      bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
    )
  }

  private mutating func nextBytes() -> [UInt8] {
    let word = next()
    return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
  }
}
