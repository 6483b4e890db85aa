import Foundation

/// A record that a reader declares in part. Its strings, its rows of numbers and its bytes take about 4 KB each.
struct Attachment: Codable, Equatable {
  var identifier: Int
  var lines: [String]
  var rows: [[Int]]
  var bytes: Data
  var label: String

  init(identifier: Int, using generator: inout SeededGenerator) {
    self.identifier = identifier
    lines = (0..<100).map { _ in generator.word(length: 30...50) }
    rows = (0..<40).map { _ in (0..<25).map { _ in Int.random(in: 0...9_999_999, using: &generator) } }
    bytes = Data((0..<4_096).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    label = generator.word(length: 3...12)
  }
}

/// The part of a record that the reader declares.
private struct AttachmentLabel: Codable, Equatable {
  var identifier: Int
  var label: String
}

extension Workload {
  /// Records with large values that the reading type does not declare.
  static let partialSkip = Workload(name: "partial-skip", countingDivisor: 40) { scale in
    var generator = SeededGenerator(seed: 18)
    let records = (0..<scale.count(1_000)).map { Attachment(identifier: $0, using: &generator) }
    let labels = records.map { AttachmentLabel(identifier: $0.identifier, label: $0.label) }
    let partial = PartialContenders(whole: records, part: labels)
    return PreparedWorkload(
      title: "two small properties read from \(Figure.count(records.count)) records, "
        + "of each of which 4 KB of strings, of numbers and of bytes are skipped",
      unit: .nanosecondsPer("record", count: records.count),
      contenders: [CodableContenders(value: labels).floor.onlyDecoding()] + partial.keepsake
        + [partial.json, partial.propertyList]
    )
  }
}
