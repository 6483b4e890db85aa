import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of UntrustedArchives.md.
@Suite("Documentation: archives from others") struct UntrustedArchivesExamples {
  class Attachment: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  final class Picture: Attachment {}

  struct Upload: Codable {
    var rows: [Row] = []
    var attachment: Attachment?
  }

  struct Row: Codable {
    var number: Int

    private enum CodingKeys: String, CodingKey { case number }

    init(number: Int) {
      self.number = number
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      guard 0..<1_000 ~= number else {
        throw DecodingError.dataCorruptedError(
          forKey: .number,
          in: container,
          debugDescription: "There is no row \(number)"
        )
      }
    }
  }

  private func archive(_ upload: Upload) throws -> Data {
    let archiver = KeyedArchiver()
    archiver.setClassName("Picture", for: Picture.self)
    try archiver.encode(upload, forKey: "upload")
    return try archiver.encodedData
  }

  func readUpload(_ data: Data) throws -> Upload {
    var limits = ArchiveLimits()
    limits.maximumByteCount = 10 << 20
    limits.maximumObjectCount = 100_000
    limits.maximumElementCount = 1_000_000
    limits.maximumStringByteCount = 1 << 20
    limits.maximumAllocation = 100 << 20
    limits.maximumDepth = 2_000

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, verification: .everything, limits: limits)
    unarchiver.classPolicy = .registeredOnly
    unarchiver.setClass(Picture.self, forClassName: "Picture")
    return try unarchiver.decode(Upload.self, forKey: "upload")
  }

  @Test("an expected archive is read")
  func expected() throws {
    let data = try archive(Upload(rows: [Row(number: 7)], attachment: Picture(name: "sketch")))
    let upload = try readUpload(data)
    #expect(upload.rows.map(\.number) == [7] && upload.attachment is Picture)
  }

  @Test("a damaged, too large or unexpected archive is refused")
  func unexpected() throws {
    var damaged = try archive(Upload(rows: [Row(number: 7)]))
    damaged[20] ^= 1
    #expect(try failure { try readUpload(damaged) }.code == .damaged)

    let many = Upload(rows: Array(repeating: Row(number: 7), count: 1_000_001))
    #expect(try failure { try readUpload(archive(many)) }.code == .limitExceeded)

    #expect(try failure { try readUpload(archive(Upload(rows: [Row(number: -1)]))) }.kind == .dataCorrupted)

    let archiver = KeyedArchiver()
    archiver.setClassName("Script", for: Picture.self)
    try archiver.encode(Upload(attachment: Picture(name: "run me")), forKey: "upload")
    #expect(try failure { try readUpload(archiver.encodedData) }.code == .unresolvableClass)
  }

  @Test("the one-line functions and the decoder take the same settings")
  func settings() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Upload(rows: [Row(number: 7)]))
    var limits = ArchiveLimits()
    limits.maximumByteCount = 10 << 20

    let upload = try KeyedUnarchiver.unarchive(
      Upload.self,
      from: data,
      limits: limits,
      classPolicy: .registeredOnly
    )

    #expect(upload.rows.count == 1)

    var decoder = ArchiveDecoder()
    decoder.limits = limits
    decoder.classPolicy = .registeredOnly
    let same = try decoder.decode(Upload.self, from: data)

    #expect(same.rows.count == 1)
    limits.maximumByteCount = 10
    #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(Upload.self, from: data, limits: limits)
    }
  }
}
