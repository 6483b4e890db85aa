import Foundation
import Keepsake
import TestSupport
import Testing

/// Checksums, header and trailer reveal any truncation and change; the error says where.
@Suite struct Damage {
  /// Small archives that together have every table and most kinds of values.
  static let samples: [FrozenSample] = [.empty, .record, .scalars, .foundation, .keys, .objects]

  /// Expects a `DecodingError` with a message, and an underlying error with a code and an offset.
  private func expectRejected(
    _ data: Data,
    _ change: @autoclosure () -> String,
    _ read: (Data) throws -> Void
  ) {
    do {
      try read(data)
      Issue.record("accepted: \(change())")
    } catch DecodingError.dataCorrupted(let context) {
      let error = context.underlyingError as? ArchiveError
      let codes: [ArchiveError.Code] = [.damaged, .notAnArchive, .unsupportedVersion]
      guard let error, let offset = error.byteOffset, codes.contains(error.code), !error.message.isEmpty
      else {
        Issue.record("no place or no code: \(change()): \(context)")
        return
      }
      // Missing bytes may begin right behind the last byte, and no later.
      if offset < 0 || offset > data.count { Issue.record("\(change()): byte \(offset) of \(data.count)") }
    } catch {
      Issue.record("another error: \(change()): \(error)")
    }
  }

  /// Reads the archive in every public way.
  private func expectRejectedByAll(_ data: Data, _ change: @autoclosure () -> String) {
    expectRejected(data, change()) { _ = try KeyedUnarchiver.unarchive(Nothing.self, from: $0) }
    expectRejected(data, change()) { _ = try ArchiveDecoder().decode(Nothing.self, from: $0) }
    expectRejected(data, change()) { _ = try KeyedUnarchiver(forReadingFrom: $0) }
  }

  /// A root that decodes nothing, so that only the archive itself can be faulty.
  private struct Nothing: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  @Test("the samples are valid and have fewer than 2,000 bytes", arguments: samples)
  func sound(sample: FrozenSample) throws {
    let data = try sample.archive()
    #expect(data.count >= 18 && data.count < 2_000)
    try sample.check(KeyedUnarchiver(forReadingFrom: data))
  }

  @Test("every truncation is refused", arguments: samples)
  func truncated(sample: FrozenSample) throws {
    let data = try sample.archive()
    for count in 0..<data.count { expectRejectedByAll(data.prefix(count), "the first \(count) bytes") }
    for count in 0..<data.count { expectRejectedByAll(Data(data.suffix(count)), "the last \(count) bytes") }
  }

  @Test("every flipped bit is refused", arguments: samples)
  func flipped(sample: FrozenSample) throws {
    var data = try sample.archive()
    for index in data.indices {
      for bit in 0..<8 {
        data[index] ^= 1 << UInt8(bit)
        expectRejectedByAll(data, "bit \(bit) of byte \(index)")
        data[index] ^= 1 << UInt8(bit)
      }
    }
    try sample.check(KeyedUnarchiver(forReadingFrom: data))
  }

  @Test("every removed, doubled or added byte is refused", arguments: [FrozenSample.record, .keys])
  func shifted(sample: FrozenSample) throws {
    let data = try sample.archive()
    for index in data.indices {
      var less = data
      less.remove(at: index)
      expectRejectedByAll(less, "byte \(index) lost")
      var more = data
      more.insert(data[index], at: index)
      expectRejectedByAll(more, "byte \(index) doubled")
    }
    for count in 1...70 { expectRejectedByAll(data + Data(count: count), "\(count) zeros added") }
    expectRejectedByAll(data + data, "twice the archive")
  }

  @Test("the error has the offset of the damaged block")
  func place() throws {
    let data = try FrozenSample.large.archive()
    #expect(data.count > 1 << 16)
    for index in [16, 65_535, 65_536, 70_000] {
      var damaged = data
      damaged[index] ^= 1
      let error = #expect(throws: DecodingError.self) {
        try KeyedUnarchiver.unarchive(FrozenMany.self, from: damaged)
      }
      guard case .dataCorrupted(let context) = error else { continue }
      #expect((context.underlyingError as? ArchiveError)?.byteOffset == index / 65_536 * 65_536)
    }
  }

  @Test("damage in an unread block is found only when the block is read")
  func onDemand() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(Data(repeating: 1, count: 200_000), forKey: "large")
    try archiver.encode(Data(repeating: 2, count: 200_000), forKey: "other")
    try archiver.encode(FrozenPoint(), forKey: "point")
    var data = try archiver.encodedData
    data[100_000] ^= 1
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decode(FrozenPoint.self, forKey: "point") == FrozenPoint())
    #expect(try unarchiver.decode(Data.self, forKey: "other") == Data(repeating: 2, count: 200_000))
    #expect(throws: DecodingError.self) { try unarchiver.decode(Data.self, forKey: "large") }
    #expect(throws: DecodingError.self) { try unarchiver.decode(Data.self, forKey: "large") }
    expectRejected(data, "one bit of a block") {
      _ = try KeyedUnarchiver(forReadingFrom: $0).decode(Data.self, forKey: "large")
    }
    expectRejected(data, "one bit of a block") {
      _ = try KeyedUnarchiver(forReadingFrom: $0, verification: .everything)
    }
  }

  @Test("data that is no archive is refused", arguments: ["", "{}", "bplist00", "\u{89}KEEP\r\n\u{1A}"])
  func somethingElse(text: String) {
    expectRejectedByAll(Data(text.utf8), "\"\(text)\"")
    expectRejectedByAll(Data((text + String(repeating: " ", count: 200)).utf8), "\"\(text)\" and spaces")
  }
}
