import Foundation
import TestSupport
import Testing

@testable import Keepsake

/// Checksums of several blocks at once equal those of single blocks, and identify the damaged block (Format §8.2).
@Suite struct BlockChecksumTests {
  private static let blockSize = Blocks.byteCount

  @Test(arguments: [0, 1, 2, 3, 7, 8, 9, 10, 17], [-1, 0, 1, 33])
  func severalAtOnce(blockCount: Int, more: Int) {
    let count = max(0, blockCount * Self.blockSize + more)
    var generator = SeededGenerator("bytes of blocks")
    let buffer = ByteBuffer(minimumCapacity: count)
    for _ in 0..<count { buffer.append(UInt8.random(in: 0...255, using: &generator)) }
    let expected = stride(from: 0, to: count, by: Self.blockSize).map { start in
      buffer.checksum(start..<min(start + Self.blockSize, count))
    }
    var found: [UInt64] = []
    buffer.withBytes(0..<count) { bytes in
      Checksum.forEachBlock(of: bytes) { checksum in
        found.append(checksum)
        return true
      }
    }
    #expect(found == expected)
  }

  @Test("a buffer can grow while it appends the checksums of its own blocks")
  func ownBlocks() {
    let buffer = ByteBuffer(minimumCapacity: 17 * Self.blockSize)
    var generator = SeededGenerator("bytes of own blocks")
    while buffer.count < buffer.capacity { buffer.append(UInt8.random(in: 0...255, using: &generator)) }
    let count = buffer.count
    let expected = stride(from: 0, to: count, by: Self.blockSize).map { start in
      buffer.checksum(start..<min(start + Self.blockSize, count))
    }
    buffer.append(blockChecksumsOf: buffer, 0..<count)
    #expect(buffer.capacity > count)
    let reader = buffer.reader()
    for (block, checksum) in expected.enumerated() {
      #expect((try? reader.word(at: count + block * 8)) == checksum, "\(block)")
    }
  }

  @Test("a buffer can grow while it appends its own bytes")
  func ownBytes() {
    let buffer = ByteBuffer(minimumCapacity: 4 * Self.blockSize)
    while buffer.count < buffer.capacity { buffer.append(UInt8(truncatingIfNeeded: buffer.count &* 31)) }
    let bytes = buffer.bytes(0..<buffer.count)
    buffer.append(buffer)
    #expect(buffer.bytes(0..<buffer.count) == bytes + bytes)
  }

  @Test func eachDamagedBlockIsNamed() throws {
    let content = (0..<20 * Self.blockSize).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let sound = try KeyedArchiver.archivedData(withRootObject: content)
    #expect(try KeyedUnarchiver.unarchive([UInt8].self, from: sound) == content)
    for block in 0..<20 {
      var data = sound
      data[block * Self.blockSize + 1_000] ^= 0x10
      let error = #expect(throws: DecodingError.self) {
        try KeyedUnarchiver.unarchive([UInt8].self, from: data)
      }
      guard case .dataCorrupted(let context) = error else {
        Issue.record("\(error as Any)")
        continue
      }
      #expect((context.underlyingError as? ArchiveError)?.byteOffset == block * Self.blockSize)
    }
  }

  /// Some blocks of a range may have been verified before.
  @Test func rangesInAnyOrder() throws {
    var generator = SeededGenerator("ranges of blocks")
    let count = 30
    let sound = try KeyedArchiver.archivedData(withRootObject: Data(count: count * Self.blockSize))
    for _ in 0..<100 {
      var data = sound
      let damaged = Int.random(in: 1..<count, using: &generator)
      data[damaged * Self.blockSize] ^= 1
      let image = try ArchiveImage(data: data, verification: .onDemand)
      for _ in 0..<10 {
        let first = Int.random(in: 0..<count, using: &generator)
        let last = Int.random(in: first..<count, using: &generator)
        let range = first * Self.blockSize + 20..<last * Self.blockSize + 21
        let error = damagedBlock { () throws(ArchiveError) in try image.touch(range) }
        #expect(error == ((first...last).contains(damaged) ? damaged * Self.blockSize : nil), "\(range)")
      }
    }
  }

  private func damagedBlock(_ body: () throws(ArchiveError) -> Void) -> Int? {
    do { try body() } catch { return error.byteOffset }
    return nil
  }
}
