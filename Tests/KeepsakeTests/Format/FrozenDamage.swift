import Foundation
import Keepsake
import TestSupport
import Testing

/// Every frozen archive, cut off at every byte and with every bit changed: the reader rejects it and says where.
///
/// `Damage` does the same to small archives by every way to open one. Here it is all that was ever frozen, opened with
/// all of it compared. Two of the files have more than 70,000 bytes, nearly all in one value: of that every 61st byte is
/// changed, in one bit, and the archive is cut off at every 97th byte; the rest is treated as in the others. A debug build
/// takes one of four lengths, and one of four bits where there are checksums.
@Suite struct FrozenDamage {
  /// A frozen archive, by its path in Fixtures.
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let data: Data
    var isShort: Bool { data[10] & 2 != 0 }
    /// Whether every byte is covered by a checksum.
    var hasChecksums: Bool { data[10] & 1 == 0 }
    /// Where the directory begins; in the short form the checksum.
    var directory: Int { isShort ? data.count - 4 : number(at: data.count - 32) }
    /// Where the tables begin: the second number of the directory.
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

    /// Places in the archive: all of a small one; of a large one all but what is in the middle, of that some.
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

  @Test("all that was frozen is here")
  func corpus() {
    let count = FrozenSample.allCases.count + FrozenSample.short.count + FrozenGraph.allCases.count
    #expect(Self.checked.count == count - 1 && Self.unchecked.count == 1)
    #expect(Self.samples.allSatisfy { $0.places(each: 61).count > ($0.isShort ? 17 : 70) })
  }

  /// The error with which an archive is turned down, which has a code of those for damage, a message and a place in
  /// what there is of the archive; `nil` where it is not turned down.
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

  @Test("cut off at the end, and at the beginning", arguments: samples)
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

  @Test("every bit, where there are checksums", arguments: checked)
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
        // Header and trailer are told by what is in them, all else by the checksum of its block.
        if index >= 16, index < sample.directory, error.byteOffset != index / 65_536 * 65_536 {
          Issue.record("\(change) was found at \(String(describing: error.byteOffset))")
        }
        data[index] ^= 1 << bit
      }
    }
    #expect(data == sample.data)
  }

  @Test("every bit, where there are none: header, directory and trailer give errors, the rest no crash")
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
          // The minor version is for people.
          if error == nil, isFrame, index != 9 { Issue.record("accepted: bit \(bit) of byte \(index)") }
          if error == nil { readCount += readAll(data) ? 1 : 0 }
          data[index] ^= 1 << UInt8(bit)
        }
      }
      #expect(readCount > 100)
    }
  }

  /// Whether all values can be read, as a program and as a tool do it; what is thrown has a code.
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

  /// What the archive without checksums holds, as far as it is read here.
  private struct Contents: Decodable {
    var title: String
    var numbers: [Int]
    var doubles: [Double]
    var blob: Data
    var library: FrozenLibrary
  }
}
