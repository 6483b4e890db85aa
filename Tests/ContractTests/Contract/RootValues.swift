import Foundation
import Keepsake
import TestSupport
import Testing

/// Every Codable type can be the root, written and read by every method, in one format.
@Suite struct RootValues {
  private struct Point: Codable, Equatable { var x = 1, y = -1 }
  private enum Choice: String, Codable { case this, that }

  /// Writes by every method, and reads each archive by every method.
  private func check<T: Codable & Equatable>(_ value: T) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try KeyedArchiver.archive(rootObject: value, toFile: file)
    let archiver = KeyedArchiver()
    try archiver.encode(value, forKey: KeyedArchiver.rootKey)
    let written = [
      try ArchiveEncoder().encode(value),
      try KeyedArchiver.archivedData(withRootObject: value),
      try Data(contentsOf: URL(fileURLWithPath: file)),
      try archiver.encodedData,
    ]
    #expect(try KeyedUnarchiver.unarchive(T.self, fromFile: file) == value)
    #expect(try KeyedUnarchiver(forReadingFile: file).decode(T.self, forKey: KeyedArchiver.rootKey) == value)
    for data in written {
      #expect(data == written[0])
      #expect(try ArchiveDecoder().decode(T.self, from: data) == value)
      #expect(try KeyedUnarchiver.unarchive(T.self, from: data) == value)
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      #expect(unarchiver.allKeys == [KeyedArchiver.rootKey])
      #expect(try unarchiver.decode(T.self, forKey: KeyedArchiver.rootKey) == value)
      #expect(try unarchiver.decodeIfPresent(T.self, forKey: KeyedArchiver.rootKey) == value)
    }
  }

  @Test("strings come back as the root") func strings() throws {
    try check("text")
    try check("")
    try check(String(repeating: "long ", count: 10_000))
  }

  @Test("numbers and Booleans come back as the root") func numbers() throws {
    try check(0)
    try check(Int.min)
    try check(UInt64.max)
    try check(Int128.min)
    try check(1.5)
    try check(Float(-0.5))
    try check(UInt8(255))
    try check(true)
    try check(false)
  }

  @Test("arrays come back as the root") func arrays() throws {
    try check([1, 2, 3])
    try check([String]())
    try check([["a"], []])
    try check([Point(), Point()])
    try check([1, nil])
  }

  @Test("dictionaries and sets come back as the root") func dictionaries() throws {
    try check(["a": 1])
    try check([1: ["x"]])
    try check([String: Int]())
    try check([Choice.this: Point()])
    try check(Set([5]))
  }

  @Test("structures, enumerations and native types come back as the root") func structs() throws {
    try check(Point())
    try check(Choice.that)
    try check(Date(timeIntervalSinceReferenceDate: 1))
    try check(UUID())
    try check(Data([1, 2, 3]))
    try check(Decimal(1))
    try check(URL(fileURLWithPath: "/"))
  }

  @Test("optionals come back as the root") func optionals() throws {
    try check(Int?.some(1))
    try check(Point?.some(Point()))
    try check([Int?.none])
  }

  @Test("nil comes back as the root") func null() throws {
    for data in [
      try ArchiveEncoder().encode(Point?.none), try KeyedArchiver.archivedData(withRootObject: Point?.none),
    ] {
      #expect(try ArchiveDecoder().decode(Point?.self, from: data) == nil)
      #expect(try KeyedUnarchiver.unarchive(Point?.self, from: data) == nil)
      #expect(try failure { try ArchiveDecoder().decode(Point.self, from: data) }.kind == .valueNotFound)
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      #expect(unarchiver.containsValue(forKey: KeyedArchiver.rootKey))
      #expect(try unarchiver.decodeIfPresent(Point.self, forKey: KeyedArchiver.rootKey) == nil)
    }
  }

  @Test("an archive of another type is an error")
  func otherTypes() throws {
    #expect(try failure { try transcode("text", to: Int.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(1, to: Point.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode([1], to: Point.self) }.kind == .typeMismatch)
    #expect(try failure { try transcode(["x": 1], to: Point.self) }.kind == .keyNotFound)
    #expect(try failure { try transcode(Point(), to: [Int].self) }.kind == .typeMismatch)
    #expect(try failure { try transcode("other", to: Choice.self) }.kind == .dataCorrupted)
  }

  @Test("one encoder and one decoder work in many tasks at once")
  func concurrently() async throws {
    let encoder = ArchiveEncoder()
    let decoder = ArchiveDecoder()
    let value = (0..<200).map { ["number \($0)": Point(x: $0, y: -$0)] }
    let expected = try encoder.encode(value)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let data = try encoder.encode(value)
          return try data == expected && decoder.decode([[String: Point]].self, from: data) == value
        }
      }
      for try await same in group { #expect(same) }
    }
  }
}
