import Foundation
import Keepsake
import TestSupport
import Testing

/// Every frozen archive, truncated at every byte and with every bit flipped: the reader rejects it and says where.
///
/// `Damage` does the same to small archives in every way to open one. This suite opens everything that was ever frozen,
/// with full verification. Two of the files have more than 70,000 bytes, nearly all in one value: there, the tests flip
/// one bit of every 61st byte, and truncate at every 97th byte. A debug build tests one of eight lengths, and one of
/// four bits if there are checksums.
@Suite struct FrozenDamage {
  /// A frozen archive, by its path in Fixtures.
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let data: Data
    var isShort: Bool { data[10] & 2 != 0 }
    /// Whether every byte is covered by a checksum.
    var hasChecksums: Bool { data[10] & 1 == 0 }
    /// The offset of the directory, or of the checksum in the short form.
    var directory: Int { isShort ? data.count - 4 : number(at: data.count - 32) }
    /// The offset of the tables: the second number of the directory.
    var tables: Int {
      var place = directory
      while data[place] >= 0x80 { place += 1 }
      var (number, shift) = (0, 0)
      repeat {
        place += 1
        number |= Int(data[place] & 0x7F) << shift
        shift += 7
      } while data[place] >= 0x80
      return number
    }

    private func number(at place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(data[place + $1]) << ($1 * 8) }
    }

    /// The offsets to test: all of a small archive; of a large one, some in the middle, and all others.
    func places(each step: Int) -> [Int] {
      guard data.count > 4_096 else { return Array(data.indices) }
      let rest = Array(stride(from: 1_024, to: tables - 256, by: step))
      return Array(0..<1_024) + rest + Array((tables - 256)..<data.count)
    }
  }

  // Damage to a document may bring an earlier save back (`DocumentDamage`).
  static let samples = ((try? FrozenArchives.all()) ?? []).filter { !$0.name.contains("/Documents/") }.map {
    Sample(testDescription: $0.name, data: $0.data)
  }

  private static let checked = samples.filter(\.hasChecksums)
  private static let unchecked = samples.filter { !$0.hasChecksums }

  @Test("all frozen archives are there")
  func corpus() {
    let count = FrozenSample.allCases.count + FrozenSample.short.count + FrozenGraph.allCases.count
    #expect(Self.checked.count == count - 1 && Self.unchecked.count == 1)
    #expect(Self.samples.allSatisfy { $0.places(each: 61).count > ($0.isShort ? 17 : 70) })
  }

  /// The error for a rejected archive, which must have a code for damage, a message and an offset within the data;
  /// `nil` if the archive is accepted.
  private func rejection(_ data: Data, _ change: @autoclosure () -> String) -> ArchiveError? {
    do {
      _ = try KeyedUnarchiver(forReadingFrom: data, verification: .everything)
      return nil
    } catch DecodingError.dataCorrupted(let context) {
      guard let error = context.underlyingError as? ArchiveError else {
        Issue.record("no ArchiveError: \(change())")
        return nil
      }
      let codes: [ArchiveError.Code] = [.damaged, .notAnArchive, .unsupportedVersion]
      let isPlaced = error.byteOffset.map { (0...data.count).contains($0) } ?? false
      if !codes.contains(error.code) || error.message.isEmpty || !isPlaced {
        Issue.record("\(change()): \(error.code) at \(String(describing: error.byteOffset))")
      }
      return error
    } catch {
      Issue.record("another error: \(change()): \(error)")
      return nil
    }
  }

  @Test("frozen archives that are cut off at the end or the beginning are refused", arguments: samples)
  func truncated(sample: Sample) {
    #expect(rejection(sample.data, "whole") == nil)
    let places = sample.places(each: 97)
    for index in stride(from: 0, to: places.count, by: sized(1, inDebug: 8)) {
      let count = places[index]
      if rejection(sample.data.prefix(count), "the first \(count) bytes") == nil {
        Issue.record("accepted: the first \(count) bytes")
      }
      if count > 0, rejection(sample.data.dropFirst(count), "without \(count) bytes") == nil {
        Issue.record("accepted: without the first \(count) bytes")
      }
    }
  }

  @Test("every flipped bit is refused if there are checksums", arguments: checked)
  func flipped(sample: Sample) {
    var data = sample.data
    for index in sample.places(each: 61) {
      let isSampled = data.count > 4_096 && index >= 1_024 && index < sample.tables - 256
      for bit in isSampled ? [UInt8(index & 7)] : Array(stride(from: 0, to: 8, by: sized(1, inDebug: 4))) {
        data[index] ^= 1 << bit
        let change = "bit \(bit) of byte \(index)"
        guard let error = rejection(data, change) else {
          Issue.record("accepted: \(change)")
          return
        }
        // Checks find changes in header and trailer; the checksum of its block finds any other.
        if index >= 16, index < sample.directory, error.byteOffset != index / 65_536 * 65_536 {
          Issue.record("\(change) was found at \(String(describing: error.byteOffset))")
        }
        data[index] ^= 1 << bit
      }
    }
    #expect(data == sample.data)
  }

  @Test(
    "without checksums, flipped bits in header, directory and trailer are refused, and others cause no crash"
  )
  func flippedWithoutChecksums() throws {
    for sample in Self.unchecked {
      var data = sample.data
      var readCount = 0
      for index in sample.places(each: 61) {
        let isFrame = index < 16 || index >= sample.directory
        for bit in stride(from: 0, to: 8, by: sized(1, inDebug: 2))
        where isFrame || bit == index & 7 || index >= sample.tables - 256 {
          data[index] ^= 1 << UInt8(bit)
          let error = rejection(data, "bit \(bit) of byte \(index)")
          // Readers ignore the minor version.
          if error == nil, isFrame, index != 9 { Issue.record("accepted: bit \(bit) of byte \(index)") }
          if error == nil { readCount += readAll(data) ? 1 : 0 }
          data[index] ^= 1 << UInt8(bit)
        }
      }
      #expect(readCount > 100)
    }
  }

  /// Whether `verifyStructure` and a decoder can read all values; errors must have a code.
  private func readAll(_ data: Data) -> Bool {
    var isWhole = true
    do {
      try ArchiveImage(data: data, verification: .disabled).verifyStructure()
    } catch {
      #expect(error.byteOffset != nil && !error.message.isEmpty)
      isWhole = false
    }
    do {
      _ = try KeyedUnarchiver.unarchive(Contents.self, from: data, verification: .disabled)
    } catch let error as DecodingError {
      #expect(Failure(error) != nil)
      isWhole = false
    } catch {
      Issue.record("another error: \(error)")
    }
    return isWhole
  }

  /// The contents of the archive without checksums, as far as this suite reads them.
  private struct Contents: Decodable {
    var title: String
    var numbers: [Int]
    var doubles: [Double]
    var blob: Data
    var library: FrozenLibrary
  }
}
