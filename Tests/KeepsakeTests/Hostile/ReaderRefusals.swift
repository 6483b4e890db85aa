import Foundation
import Keepsake
import TestSupport
import Testing

/// The archiver writes nothing that cannot be read with the default limits. For each error of the reader, this suite
/// states why written archives cannot cause it.
@Suite struct ReaderRefusals {
  enum Why {
    /// The archiver never writes such bytes: tables, lengths and numbers follow from its values. The tests of random
    /// graphs and values read everything that they write, with every checksum.
    case bytes
    /// The archiver refuses the value first, or writes it so that it can be read, which the test shows.
    case writerRefuses(() throws -> Void)
    /// The reader's program causes it: by its own limits, another type, or its initializers.
    case reader
    /// No archive in memory is that large, or the machine lacks the resources.
    case machine
  }

  struct Row {
    let message: String
    let why: Why

    init(_ message: String, _ why: Why) {
      (self.message, self.why) = (message, why)
    }
  }

  /// The beginnings of all messages with which Wire, Tables, Types, Image and Decoding refuse an archive.
  private static var table: [Row] {
    [
      // Files.
      Row("The bytes do not start", .bytes), Row("The archive does not end", .bytes),
      Row("The length of the archive", .bytes), Row("The archive was damaged", .bytes),
      Row("The archive has format version", .bytes), Row("The archive uses features", .bytes),
      Row("An offset in ", .bytes), Row("The archive is truncated", .bytes),
      Row("The archive has no ", .bytes), Row("A short archive has more than ", .bytes),
      // Tables.
      Row("A table is longer", .bytes), Row("There are unused bytes", .bytes),
      Row("The offset table", .bytes),
      Row("The offset of a body", .bytes), Row("The key table contains a key twice", .bytes),
      Row("A shape contains a key twice", .bytes), Row("A shape has more keys", .bytes),
      Row("The conditional table", .bytes), Row("An object in the conditional table", .bytes),
      Row("A conditional reference", .bytes), Row("A class ", .bytes),
      Row("A structure or enumeration", .bytes), Row("The number of a ", .bytes),
      Row("The shapes have more keys than can be counted", .machine),
      // Saves.
      Row("A part of a save ", .bytes), Row("A save ", .bytes), Row("The bodies of a save ", .bytes),
      Row("The saves of the file ", .bytes),
      // Numbers, texts and values.
      Row("A varint is ", .bytes), Row("A string is not valid UTF-8", .bytes),
      Row("A block of numbers", .bytes),
      Row("A packed array", .bytes), Row("A decimal number", .bytes), Row("Unknown tag 0x", .bytes),
      Row("A value has more parts", .bytes), Row("A value extends past", .bytes),
      Row("A typed value refers", .bytes),
      Row("No such", .bytes), Row("The key of a map", .bytes),
      Row("Not a ", .bytes), Row("Not the ", .bytes),
      Row("A map contains a key twice", .writerRefuses(keysThatMeet)),
      Row("A map has more keys than can be looked up", .machine),
      Row("The keys of a container changed", .machine),
      Row("The number does not fit", .reader), Row("Expected ", .reader),
      // Objects.
      Row("A reference ", .bytes), Row("The type of an object", .bytes),
      Row("An object has the key", .bytes),
      Row("The top level", .bytes), Row("Two keys of the top level", .bytes),
      Row("The object refers back", .writerRefuses(cycle)),
      Row("The archive names the type", .writerRefuses(unfindable)),
      Row("An initializer registered one object", .reader),
      Row("A @Deferred property was read", .reader),
      // Limits.
      Row("Values are nested more than", .writerRefuses(tooDeep)),
      Row("Objects and values are nested more than", .writerRefuses(tooDeepInObjects)),
      Row("Deferred values are nested", .writerRefuses(deferredInDeferred)),
      Row("A collection has ", .reader), Row("A string has ", .reader),
      Row("There are more objects", .reader),
      Row("The values would take more than", .reader), Row("The same values are read too often", .reader),
      Row("The stack of this thread", .machine),
      Row("The values are nested too deep for the stack", .machine),
      // URLs.
      Row("A URL has more than", .bytes), Row("A URL is malformed", .bytes),
      Row("Foundation does not accept the text as a URL", .reader),
    ]
  }

  @Test("the archiver writes no values that the reader would refuse")
  func everyRefusal() throws {
    for row in ReaderRefusals.table {
      if case .writerRefuses(let test) = row.why { try test() }
    }
  }

  @Test("the table lists every error of the reader")
  func complete() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Keepsake")
    let error = try Regex(
      #"\.(damaged|limitExceeded|cycle|unresolvableClass|unsupportedVersion|notAnArchive)[,(]\s*"([^"\\]*)"#
    )
    var found = 0
    for folder in ["Wire", "Tables", "Types", "Image", "Decoding"] {
      let names =
        (try? FileManager.default.contentsOfDirectory(atPath: sources.appending(path: folder).path)) ?? []
      for name in names where name.hasSuffix(".swift") {
        let text = try String(contentsOf: sources.appending(path: "\(folder)/\(name)"), encoding: .utf8)
        for match in text.matches(of: error) {
          let message = match.output[2].substring.map(String.init) ?? ""
          // A message that begins with a name is identified by the rest.
          guard message.count > 4 else { continue }
          found += 1
          #expect(
            ReaderRefusals.table.contains { message.hasPrefix($0.message) || $0.message.hasPrefix(message) },
            "\(name): \(message)"
          )
        }
      }
    }
    // The sources may be missing where the tests run.
    #expect(found == 0 || found > 40)
  }

  // MARK: What the writer refuses

  private struct Blurred: Codable, Hashable, CodingKeyRepresentable {
    var number = 0
    var codingKey: any CodingKey { AnyKey("same") }
    init(_ number: Int) { self.number = number }
    init?(codingKey: some CodingKey) {}
  }

  private static func keysThatMeet() throws {
    #expect(try failure { try ArchiveEncoder().encode([Blurred(1): 1, Blurred(2): 2]) }.code == .misuse)
  }

  private final class Ring: Codable {
    @Kept var next: Ring? = nil
  }

  private static func cycle() throws {
    let ring = Ring()
    ring.next = ring
    defer { ring.next = nil }
    #expect(try failure { try ArchiveEncoder().encode(ring) }.code == .cycle)
  }

  private static func unfindable() throws {
    struct Local: Codable {}
    let value = Polymorphic<any Codable>(wrappedValue: Local())
    #expect(try failure { try ArchiveEncoder().encode(value) }.code == .unresolvableClass)
  }

  /// Nested lists.
  private struct Lists: Encodable {
    let levels: Int
    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      if levels > 1 { try list.encode(Lists(levels: levels - 1)) }
    }
  }

  private static func tooDeep() throws {
    let levels = ArchiveLimits().maximumValueDepth
    _ = try ArchiveEncoder().encode(Lists(levels: levels))
    #expect(try failure { try ArchiveEncoder().encode(Lists(levels: levels + 1)) }.code == .limitExceeded)
  }

  /// Objects of many levels each.
  private final class Tower: Encodable {
    let next: Tower?
    init(_ next: Tower?) { self.next = next }

    func encode(to encoder: any Encoder) throws {
      try Floors(levels: 35_000, top: next).encode(to: encoder)
    }

    struct Floors: Encodable {
      let levels: Int
      let top: Tower?
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        if levels > 1 { try list.encode(Floors(levels: levels - 1, top: top)) } else { try list.encode(top) }
      }
    }
  }

  private static func tooDeepInObjects() throws {
    let tower = (0..<8).reduce(nil as Tower?) { next, _ in Tower(next) }
    #expect(try failure { try ArchiveEncoder().encode(tower) }.code == .limitExceeded)
  }

  private struct Version: Codable {
    var text: String
    @Deferred var previous: [Version]
  }

  private static func deferredInDeferred() throws {
    // Not refused, and readable: values are walked only once.
    let versions = (0..<500).reduce(Version(text: "", previous: [])) { previous, _ in
      Version(text: String(repeating: "x", count: 600), previous: [previous])
    }
    var back = try roundTrip(versions)
    var count = 0
    while let previous = back.previous.first { (back, count) = (previous, count + 1) }
    #expect(count == 500)
  }
}
