import Foundation

extension Workload {
  /// A blob as Data.
  static let data = Workload(name: "data", countingDivisor: 400) { scale in
    let blob = Data(randomBytes(count: scale.count(8_000_000), seed: 7))
    return PreparedWorkload(
      title: "Data of \(Figure.count(blob.count)) bytes",
      unit: .milliseconds,
      value: blob,
      hasFloor: false,
      extras: [.copying(blob)],
      alternatives: [CodableContenders(value: blob).keepsakeWithoutChecksums]
    )
  }

  /// The same amount as an array of bytes.
  static let bytes = Workload(name: "bytes", countingDivisor: 400) { scale in
    let bytes = randomBytes(count: scale.count(8_000_000), seed: 8)
    return PreparedWorkload(
      title: "[UInt8] of \(Figure.count(bytes.count)) bytes",
      unit: .milliseconds,
      value: bytes,
      extras: [.copying(bytes)],
      alternatives: [CodableContenders(value: bytes).keepsakeWithoutChecksums]
    )
  }

  private static func randomBytes(count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
