import Foundation
import Keepsake
import TestSupport
import Testing

/// Large archives are handed over without a copy, but behave as if they were copied.
@Suite struct GivenMemory {
  /// Sizes around the threshold for handing over memory, and far above it.
  static let sizes = [0, 100, 16_000, 16_384, 17_000, 3_000_000]

  @Test("encodedData is unchanged after a change of the data that it returned first", arguments: sizes)
  func askedTwice(size: Int) throws {
    let blob = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 * 31) })
    let archiver = KeyedArchiver()
    try archiver.encode(blob, forKey: "blob")
    var first = try archiver.encodedData
    let original = Data(Array(first))
    first[first.count / 2] ^= 0xFF
    first.append(contentsOf: [1, 2, 3])
    let second = try archiver.encodedData
    #expect(second == original && second.startIndex == 0)
    #expect(try KeyedUnarchiver(forReadingFrom: second).decode(Data.self, forKey: "blob") == blob)
  }

  @Test("the archive can be written to a file after a change of the returned data", arguments: sizes)
  func writtenAfterwards(size: Int) throws {
    let path = NSTemporaryDirectory() + "given-memory-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let archiver = KeyedArchiver()
    try archiver.encode([UInt8](repeating: 7, count: size), forKey: "bytes")
    try archiver.encode("after", forKey: "text")
    var data = try archiver.encodedData
    let original = Data(Array(data))
    data[20] ^= 0xFF
    try archiver.write(toFile: path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == original)
    #expect(throws: EncodingError.self) { try archiver.encode(1, forKey: "late") }
  }

  @Test("the data outlives the archiver, and can then be changed and extended", arguments: sizes)
  func outlives(size: Int) throws {
    let numbers = (0..<(size / 8)).map { Int($0) &* 0x0123_4567_89AB }
    var data = try ArchiveEncoder().encode(numbers)
    #expect(try ArchiveDecoder().decode([Int].self, from: data) == numbers)
    let count = data.count
    data.append(Data(count: 100_000))
    #expect(try ArchiveDecoder().decode([Int].self, from: data.prefix(count)) == numbers)
    data.removeLast(100_000)
    data[0] = 0
    #expect(throws: DecodingError.self) { try ArchiveDecoder().decode([Int].self, from: data) }
  }

  @Test("changing decoded data does not change its archive")
  func decodedBlob() throws {
    let blob = Data(repeating: 3, count: 200_000)
    for verification in [ArchiveVerification.everything, .disabled] {
      let archive = try ArchiveEncoder().encode(blob)
      let original = Data(Array(archive))
      var decoded = try KeyedUnarchiver.unarchive(Data.self, from: archive, verification: verification)
      #expect(decoded == blob && decoded.startIndex == 0)
      decoded[100] = 9
      #expect(archive == original)
    }
  }
}
