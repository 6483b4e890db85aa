import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives without block checksums (Format §8.3): the contents are the same, and visible damage is an error.
@Suite struct WithoutChecksums {
  private struct Note: Codable, Equatable {
    var title = "note"
    var numbers = [1, 300, -70_000]
    var blob = Data((0..<40).map { UInt8($0) })
    var tags: Set<String> = ["a", "b"]
  }

  private func archive(_ value: some Encodable, _ form: ArchiveFormatting = []) throws -> Data {
    try KeyedArchiver.archivedData(
      withRootObject: value,
      outputFormatting: [.sortedKeys, .withoutChecksums, form]
    )
  }

  /// The offsets in the header, the directory and the trailer, which always have a checksum.
  private func frame(_ data: Data) throws -> [Int] {
    let image = try ArchiveImage(data: data, verification: .everything)
    guard image.directory.isShort else {
      let directory = Int(data[(data.count - 32)...].prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) })
      // Any minor version is readable.
      return (0..<16).filter { $0 != 9 } + (directory..<data.count)
    }
    return Array(0..<image.directory.bodies.lowerBound) + ((data.count - 4)..<data.count)
  }

  @Test("the archive differs only in the header, the checksums and the trailer")
  func sameButForChecksums() throws {
    for blob in [Data(), Data(count: 70_000), Data(count: 3 << 16)] {
      let plain = try KeyedArchiver.archivedData(withRootObject: blob, outputFormatting: .longForm)
      let bare = try KeyedArchiver.archivedData(
        withRootObject: blob,
        outputFormatting: [.longForm, .withoutChecksums]
      )
      let contents = bare.count - 32
      #expect(plain.count == bare.count + (contents + 65_535) / 65_536 * 8)
      #expect(plain[8..<16] == Data([1, 0, 0, 0, 0, 0, 0, 0]))
      #expect(bare[8..<16] == Data([1, 0, 1, 0, 0, 0, 0, 0]))
      #expect(plain[16..<contents] == bare[16..<contents])
    }
  }

  @Test("an archive without checksums is readable with each verification, from memory and from a file")
  func roundTrip() throws {
    let path = NSTemporaryDirectory() + "without-checksums-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try KeyedArchiver.archive(rootObject: Note(), toFile: path, outputFormatting: .withoutChecksums)
    let data = try archive(Note())
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      let fromData = try KeyedUnarchiver.unarchive(Note.self, from: data, verification: verification)
      let fromFile = try KeyedUnarchiver.unarchive(Note.self, fromFile: path, verification: verification)
      #expect(fromData == Note() && fromFile == Note())
    }
    var encoder = ArchiveEncoder()
    encoder.outputFormatting = .withoutChecksums
    #expect(try ArchiveDecoder().decode(Note.self, from: encoder.encode(Note())) == Note())
  }

  @Test("a flipped bit gives an error or a value, and always an error in header, directory and trailer")
  func flipped() throws {
    for form in [ArchiveFormatting.longForm, []] { try flip(archive(Note(), form)) }
  }

  private func flip(_ archive: Data) throws {
    var data = archive
    let frame = Set(try frame(data))
    for index in data.indices {
      for bit in 0..<8 {
        data[index] ^= 1 << UInt8(bit)
        let note = try? KeyedUnarchiver.unarchive(Note.self, from: data)
        if note != nil, frame.contains(index) {
          Issue.record("accepted: bit \(bit) of byte \(index) of \(data.count)")
        }
        data[index] ^= 1 << UInt8(bit)
      }
    }
    #expect(try KeyedUnarchiver.unarchive(Note.self, from: data) == Note())
  }

  @Test("every truncation is an error")
  func truncated() throws {
    let data = try archive(Note())
    for verification in [ArchiveVerification.everything, .disabled] {
      for count in 0..<data.count {
        #expect(throws: DecodingError.self) {
          try KeyedUnarchiver.unarchive(Note.self, from: data.prefix(count), verification: verification)
        }
      }
    }
  }

  @Test("an unknown flag or a reserved byte that is not 0 is refused")
  func unknownFlags() throws {
    // Bit 1 is the short form.
    for bit in 2..<48 {
      for formatting in [ArchiveFormatting.longForm, [.longForm, .withoutChecksums]] {
        var data = try KeyedArchiver.archivedData(withRootObject: Note(), outputFormatting: formatting)
        data[10 + bit / 8] |= 1 << UInt8(bit % 8)
        let error = #expect(throws: DecodingError.self) {
          try KeyedUnarchiver(forReadingFrom: data, verification: .disabled)
        }
        guard case .dataCorrupted(let context)? = error else {
          Issue.record("another error for bit \(bit)")
          continue
        }
        #expect((context.underlyingError as? ArchiveError)?.code == .unsupportedVersion)
      }
    }
  }

  @Test("setting or clearing the flag afterwards is an error")
  func forgedFlag() throws {
    for form in [ArchiveFormatting.longForm, []] {
      var plain = try KeyedArchiver.archivedData(withRootObject: Note(), outputFormatting: form)
      plain[10] ^= 1
      #expect(throws: DecodingError.self) { try KeyedUnarchiver(forReadingFrom: plain) }
      var bare = try archive(Note(), form)
      bare[10] ^= 1
      #expect(throws: DecodingError.self) { try KeyedUnarchiver(forReadingFrom: bare) }
    }
  }

  @Test("a higher minor version is accepted")
  func laterMinorVersion() throws {
    var data = try archive(Note(), .longForm)
    data[9] = 200
    #expect(try KeyedUnarchiver.unarchive(Note.self, from: data) == Note())
  }

  @Test("keeputil reports that there are no checksums, and shows the contents")
  func keeputil() throws {
    let folder = try TemporaryFolder()
    let data = try archive([1, 2])
    try folder.write(data, "bare.keepsake")
    let verified = try Keeputil.run("verify", "bare.keepsake", in: folder)
    #expect(verified.status == 0)
    #expect(
      verified.output == "bare.keepsake: an archive of 3 values in \(data.count) bytes, whole in structure; "
        + "it has no checksums to compare with.\n"
    )
    let printed = try Keeputil.run("print", "bare.keepsake", in: folder)
    #expect(printed.status == 0 && printed.output.contains("1 => 2"))
    #expect(
      printed.errors == "keeputil: note: bare.keepsake has no checksums, "
        + "so damage to it may go unnoticed\n"
    )
    var damaged = data
    damaged[data.count - 2] ^= 1
    try folder.write(damaged, "damaged.keepsake")
    #expect(try Keeputil.run("verify", "damaged.keepsake", in: folder).status == 65)
  }
}
