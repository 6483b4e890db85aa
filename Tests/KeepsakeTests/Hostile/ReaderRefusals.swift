import Foundation
import Keepsake
import Testing

/// Nothing is written that cannot be read with the default limits. For each refusal of the reader this says why the writer
/// cannot run into it.
@Suite struct ReaderRefusals {
  enum Why {
    /// The writer never writes such bytes: tables, lengths and numbers follow from what it wrote. The tests of random graphs,
    /// calls and values read all that they write, with every checksum.
    case bytes
    /// The writer never writes it since it has looked: what it says instead is tested.
    case writerRefuses(() throws -> Void)
    /// The reader's program asked for it: by limits of its own, another type, or what its initializers do.
    case reader
    /// No archive in memory is that large, or the machine has not what it takes.
    case machine
  }

  /// The beginnings of all messages with which Wire, Tables and Decoding refuse an archive.
  private static var table: [(message: String, why: Why)] {
    [
      // Files.
      ("These bytes do not begin", .bytes), ("The archive does not end as one does", .bytes),
      ("The archive is not as long", .bytes), ("The archive was damaged", .bytes),
      ("The archive has format version", .bytes), ("The archive sets flags", .bytes),
      ("The trailer points", .bytes), ("The directory", .bytes),
      // Tables.
      ("A table is larger", .bytes), ("The tables do not fill", .bytes), ("The offset table", .bytes),
      ("The bodies do not stand", .bytes), ("The key table has a key twice", .bytes),
      ("A shape names a key twice", .bytes), ("A shape has more keys", .bytes), ("The conditional table", .bytes),
      ("A conditional reference names", .bytes), ("A class ", .bytes), ("A type that is no class", .bytes),
      ("The shapes have more keys than can be counted", .machine),
      // Numbers, texts and values.
      ("A number is ", .bytes), ("A string is not valid UTF-8", .bytes), ("A block of numbers", .bytes),
      ("A packed array", .bytes), ("A decimal number", .bytes), ("The byte 0x", .bytes),
      ("A value has more parts", .bytes), ("A value reaches past", .bytes), ("A value is of a type", .bytes),
      ("A record has a shape", .bytes), ("No such", .bytes), ("The key of a map", .bytes), ("This is no ", .bytes),
      ("These are no indexes", .bytes),
      ("A map has a key twice", .writerRefuses(keysThatMeet)),
      ("A map has more keys than can be looked up", .machine),
      ("A container has more keys than when", .machine),
      ("The number does not fit", .reader), ("Expected ", .reader),
      // Objects.
      ("A reference ", .bytes), ("An object does not fill", .bytes), ("An object is of a", .bytes),
      ("An object has the key", .bytes),
      ("The top level", .bytes),
      ("The object refers back", .writerRefuses(cycle)),
      ("The archive names the type", .writerRefuses(unfindable)),
      ("An initializer registered one object", .reader), ("The value of a @Deferred property was read", .reader),
      // How much there is.
      ("Values are nested more than", .writerRefuses(tooDeep)),
      ("Objects and values are nested more than", .writerRefuses(tooDeepInObjects)),
      ("Deferred values are nested", .writerRefuses(deferredInDeferred)),
      ("A collection has ", .reader), ("A string has ", .reader), ("There are more objects", .reader),
      ("The values would take more than", .reader), ("The same values are read again", .reader),
      ("The stack of this thread", .machine), ("The thread for deep recursion", .machine),
    ]
  }

  @Test("for each refusal there is a reason why the writer does not run into it")
  func everyRefusal() throws {
    for (_, why) in ReaderRefusals.table {
      if case .writerRefuses(let test) = why { try test() }
    }
  }

  @Test("and no refusal is missing here")
  func complete() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Keepsake")
    let error = try Regex(
      #"ArchiveError\(\s*\.(damaged|limitExceeded|cycle|unresolvableClass|unsupportedVersion|notAnArchive),\s*"([^"\\]*)"#
    )
    var found = 0
    for folder in ["Wire", "Tables", "Decoding"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: sources.appending(path: folder).path)) ?? []
      for name in names where name.hasSuffix(".swift") {
        let text = try String(contentsOf: sources.appending(path: "\(folder)/\(name)"), encoding: .utf8)
        for match in text.matches(of: error) {
          let message = match.output[2].substring.map(String.init) ?? ""
          // What begins with a name is told by what is behind it.
          guard message.count > 4 else { continue }
          found += 1
          #expect(
            ReaderRefusals.table.contains { message.hasPrefix($0.message) || $0.message.hasPrefix(message) },
            "\(name): \(message)"
          )
        }
      }
    }
    // The sources are not there where the tests run elsewhere.
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
    var next: Ring?
  }

  private static func cycle() throws {
    let ring = Ring()
    ring.next = ring
    defer { ring.next = nil }
    #expect(try failure { try ArchiveEncoder().encode(ring) }.code == .cycle)
  }

  private static func unfindable() throws {
    struct Local: Sized { var size = 1 }
    let value = Polymorphic<any Sized>(wrappedValue: Local())
    #expect(try failure { try ArchiveEncoder().encode(value) }.code == .unresolvableClass)
  }

  /// Lists in lists.
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
    // Not refused, and read: what is walked once is not walked again.
    let versions = (0..<500).reduce(Version(text: "", previous: [])) { previous, _ in
      Version(text: String(repeating: "x", count: 600), previous: [previous])
    }
    var back = try roundTrip(versions)
    var count = 0
    while let previous = back.previous.first { (back, count) = (previous, count + 1) }
    #expect(count == 500)
  }
}
