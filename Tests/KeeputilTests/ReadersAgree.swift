import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// The decoder, the dynamic view, `keeputil print` and `keeputil verify` agree on an archive: each checks the rules of
/// Format §10 in what it reads.
///
/// What `verify` refuses and the others accept is unreachable, so they do not read it. A reader that cannot tell,
/// because a limit was reached or its types cannot hold a value, is left out.
@Suite struct ReadersAgree {
  /// How often all readers accepted, and how often all refused.
  private struct Tally {
    var accepted = 0
    var refused = 0
  }

  private func compare(_ data: Data, _ name: String, _ tally: inout Tally) {
    let reader = EveryReader(data)
    let (viewed, bodies, urls) = reader.viewed
    let (verified, decoded) = (reader.verified, reader.decoded)
    let (printed, json) = (reader.printed, reader.printedAsJSON)
    func fail(_ problem: String) {
      Issue.record(
        """
        \(name): \(problem)
        verified: \(verified)\nviewed: \(viewed)\nprinted: \(printed)\nas JSON: \(json)\ndecoded: \(decoded)
        \(data.count < 4_096 ? data.base64EncodedString() : "\(data.count) bytes")
        """
      )
    }
    for other in [printed, json] where other.isRefused != viewed.isRefused {
      fail("the dynamic view and print do not agree")
    }
    if viewed == .accepted, case .refused(let place, _) = decoded, !isBeyond(bodies, place, in: data) {
      fail("the decoder refuses what the dynamic view accepts")
    }
    if decoded == .accepted, viewed.isRefused { fail("the decoder accepts what the dynamic view refuses") }
    if viewed.isRefused, !verified.isRefused { fail("verify accepts what the dynamic view refuses") }
    if viewed == .accepted, case .refused(let place, _) = verified, isReached(place, in: data, bodies, urls) {
      fail("verify refuses what the dynamic view accepts, and has read")
    }
    if viewed == .accepted, verified == .accepted { tally.accepted += 1 }
    if viewed.isRefused, verified.isRefused { tally.refused += 1 }
  }

  /// Whether a fault is in a body that the view does not read: only a conditional reference, which the decoder follows,
  /// leads to it.
  private func isBeyond(_ bodies: Set<Int>, _ place: Int?, in data: Data) -> Bool {
    guard let place, let image = try? ArchiveImage(data: data, verification: .disabled) else { return false }
    let numbers = [place - 1, place].compactMap { image.bodyNumber(containing: $0) }
    return numbers.contains { !bodies.contains($0) }
  }

  /// Whether a fault is in the values that the top level leads to.
  private func isReached(_ place: Int?, in data: Data, _ bodies: Set<Int>, _ urls: [Range<Int>]) -> Bool {
    guard let place, let image = try? ArchiveImage(data: data, verification: .disabled) else { return false }
    // A value of an unreachable body may extend into a reachable one; the fault is reported there.
    guard bodies.count == image.directory.bodyCount, !urls.contains(where: { $0.contains(place) }) else {
      return false
    }
    // Tables may have entries that nothing names, and groups of bodies that nothing requests. A value that ends too
    // late is reported at the first byte behind its body.
    return [place - 1, place].allSatisfy { place in
      image.directory.topLevel.contains(place)
        || image.bodyNumber(containing: place) != nil
    }
  }

  // MARK: Rules

  private static let a: [UInt8] = [0x21, 0x61]
  private static let b: [UInt8] = [0x21, 0x62]

  /// A top level with the value under the key "a".
  private static func top(_ value: UInt8...) -> [UInt8] { [0, Tag.map, 1] + a + value }

  private static let url: [UInt8] = [0x28] + Array("relative".utf8) + [0x23] + Array("a/b".utf8)
  private static let base: [UInt8] = [0x24] + Array("base".utf8)

  private static func url(_ rest: [UInt8], count: UInt8 = 2) -> Data {
    HandmadeArchive.data(topLevel: [0, Tag.map, 1] + a + [Tag.url, Tag.map, count] + url + rest)
  }

  private static let sound: [(String, Data)] = [
    ("a value", HandmadeArchive.data(bodies: [[0, 0x95]], topLevel: top(0x48, 1))),
    ("an object", HandmadeArchive.data(bodies: [[1, Tag.map, 1] + a + [0x40, 1]], topLevel: top(0x40, 1))),
    ("a URL", url([], count: 1)),
    ("a URL with a base", url(base + [Tag.url, Tag.map, 1] + url)),
    ("a URL with another key", url(b + [0x95])),
    ("some in front of a number", HandmadeArchive.data(topLevel: top(5, 0x95))),
    ("a top level that is an array", HandmadeArchive.data(topLevel: [0, 0x52, 0x95, 0x96])),
    ("a top level that is a number", HandmadeArchive.data(topLevel: [0, 0x95])),
    (
      "a body to which nothing refers, with a byte too many",
      HandmadeArchive.data(bodies: [[0, 0x95], [0, 0x95, 0x95]], topLevel: top(0x48, 1))
    ),
    (
      "a body to which a conditional reference leads, with a byte too many",
      HandmadeArchive.data(bodies: [[1, 0x50, 0x95]], topLevel: top(0x4C, 0), conditionals: [[1]])
    ),
  ]

  private static let faults = faultyBodies.map(archive) + faultyURLs

  private static func archive(_ name: String, bodies: [[UInt8]], topLevel: [UInt8]) -> (String, Data) {
    let conditionals: [[UInt8]] = bodies.isEmpty ? [] : [[0], [1]]
    let strings = [Array("a".utf8), Array("a".utf8)]
    return (
      name,
      HandmadeArchive.data(bodies: bodies, topLevel: topLevel, strings: strings, conditionals: conditionals)
    )
  }

  private static let faultyBodies: [(String, [[UInt8]], [UInt8])] = [
    // Rules 20 and 22.
    ("a text that ends in the next body", [[0, 0x23, 0x61], [0, 0x95]], top(0x48, 1)),
    ("elements in the next body", [[0, 0x52, 0x95], [0, 0x95]], top(0x48, 1)),
    ("a text of an object that ends in the next body", [[1, 0x51, 0x23, 0x61], [0, 0x95]], top(0x40, 1)),
    ("elements of an object in the next body", [[1, 0x52, 0x95], [1, 0x95]], top(0x40, 1)),
    ("packed numbers in the next body", [[0, 0x1B, 2, 2, 1, 5], [0, 0x95]], top(0x48, 1)),
    ("a body without a value", [[0], [0, 0x95]], top(0x48, 1)),
    ("a byte behind a value", [[0, 0x95, 0x95]], top(0x48, 1)),
    ("a byte behind a value behind a mark", [[0, 5, 0x95, 0x95]], top(0x48, 1)),
    ("a byte behind an array behind a mark", [[1, 5, 0x51, 0x95, 0x95]], top(0x40, 1)),
    ("a byte behind nil", [[0, 1, 1]], top(0x48, 1)),
    ("a byte behind an array", [[0, 0x51, 0x95, 0x95]], top(0x48, 1)),
    ("a byte behind an empty array", [[0, 0x50, 0x95]], top(0x48, 1)),
    ("a byte behind an object", [[1, 0x51, 0x95, 0x95]], top(0x40, 1)),
    ("a byte behind the top level", [], top(0x95, 0x95)),
    ("a top level that ends in the tables", [], [0, Tag.map, 2, 0x21, 0x61, 0x95]),
    // Rule 27.
    ("a key twice", [[1, Tag.map, 2, 0x21, 0x61, 1, 0x21, 0x61, 1]], top(0x40, 1)),
    ("a key twice, as a number and as text", [[1, Tag.map, 2, 0x95, 1, 0x21, 0x35, 1]], top(0x40, 1)),
    ("a key twice, once shared", [[1, Tag.map, 2, 0x21, 0x61, 1, 0x44, 0, 1]], top(0x40, 1)),
    ("a key twice, shared twice", [[1, Tag.map, 2, 0x44, 0, 1, 0x44, 1, 1]], top(0x40, 1)),
    (
      "a key twice at the top level", [],
      [0, Tag.map, 3, 0x21, 0x61, 0x95, 0x21, 0x62, 0x95, 0x21, 0x61, 0x95]
    ),
    // Rules 24 to 26.
    ("a value reference in an array", [[0, 0x95]], top(0x51, 0x48, 1)),
    ("a value reference in the array of the top level", [[0, 0x95]], [0, 0x51, 0x48, 1]),
    ("a value reference behind a mark", [[0, 0x95]], top(5, 0x48, 1)),
    ("a value reference as the top level", [[0, 0x95]], [0, 0x48, 1]),
    ("a value reference in a body", [[0, 0x51, 0x48, 2], [0, 0x95]], top(0x48, 1)),
    ("value references in a cycle", [[0, 0x48, 1]], top(0x48, 1)),
    ("value references in a cycle of two", [[0, 0x51, 0x48, 2], [0, 0x51, 0x48, 1]], top(0x48, 1)),
    ("one value under two keys", [[0, 0x95]], [0, Tag.map, 2, 0x21, 0x61, 0x48, 1, 0x21, 0x62, 0x48, 1]),
    ("a value reference to an object", [[1, 0x50]], top(0x48, 1)),
    ("an object reference to a value", [[0, 0x50]], top(0x40, 1)),
    ("a conditional reference to a value", [[0, 0x50]], top(0x4C, 1)),
    ("a reference to no body", [], top(0x40, 1)),
  ]

  private static let faultyURLs: [(String, Data)] = [
    // Rule 29.
    ("a URL that is a text", HandmadeArchive.data(topLevel: top(Tag.url, 0x21, 0x61))),
    ("a URL without its text", HandmadeArchive.data(topLevel: top(Tag.url, Tag.map, 0))),
    ("a URL that is empty", HandmadeArchive.data(topLevel: top(Tag.url, Tag.empty))),
    (
      "a URL whose text is a number",
      HandmadeArchive.data(topLevel: [0, Tag.map, 1] + a + [Tag.url, Tag.map, 1] + url.prefix(9) + [0x95])
    ),
    ("a URL with a text for its base", url(base + [0x21, 0x61])),
    ("a URL with nil for its base", url(base + [1])),
    ("a URL with a base that is not marked", url(base + [Tag.map, 1] + url)),
    ("a URL with a key twice", url(url)),
    ("a URL with another key twice", url(b + [1] + b + [1], count: 3)),
    ("a URL whose base lacks its text", url(base + [Tag.url, Tag.map, 0])),
  ]

  @Test("the dynamic view and print accept archives without faults in what they read")
  func sound() {
    var tally = Tally()
    for (name, data) in Self.sound { compare(data, name, &tally) }
    for (name, data) in Self.sound {
      #expect(EveryReader(data).viewed.verdict == .accepted, "\(name)")
      #expect(EveryReader(data).printed == .accepted, "\(name)")
    }
  }

  @Test("all readers refuse archives that break the rules")
  func faults() {
    for (name, data) in Self.faults {
      let reader = EveryReader(data)
      #expect(reader.verified.isRefused, "\(name): \(reader.verified)")
      #expect(reader.viewed.verdict.isRefused, "\(name): \(reader.viewed.verdict)")
      #expect(reader.printed.isRefused, "\(name): \(reader.printed)")
      #expect(reader.printedAsJSON.isRefused, "\(name): \(reader.printedAsJSON)")
      #expect(reader.decoded != .accepted, "\(name)")
    }
  }

  @Test(
    "a text that Foundation cannot parse as a URL is valid, but no reader gives a URL",
    arguments: [false, true]
  )
  func textsThatAreNoURL(inBase: Bool) throws {
    let text: [UInt8] = [0x28] + Array("relative".utf8) + [0x2A] + Array("http://a\0b".utf8)
    let data =
      inBase
      ? Self.url(Self.base + [Tag.url, Tag.map, 1] + text)
      : HandmadeArchive.data(topLevel: Self.top(Tag.url, Tag.map, 1) + text)
    var tally = Tally()
    compare(data, "a URL with a NUL byte in its host", &tally)
    #expect(tally.accepted == 1)
    #expect(try ArchiveValue(forReadingFrom: data)["a"]?.urlValue == nil)
    let error = #expect(throws: DecodingError.self) {
      _ = try KeyedUnarchiver(forReadingFrom: data).decode(URL.self, forKey: "a")
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect((context.underlyingError as? ArchiveError)?.code == .typeMismatch)
  }

  @Test("the tool's exit status agrees", arguments: ["print", "verify"])
  func tool(command: String) throws {
    let folder = try TemporaryFolder()
    for (name, data) in Self.faults.enumerated().filter({ $0.offset % 4 == 0 }).map(\.element) {
      try folder.write(data, "a.keepsake")
      #expect(try Keeputil.run(command, "a.keepsake", in: folder).status == 65, "\(name)")
    }
    for (name, data) in Self.sound.prefix(3) {
      try folder.write(data, "a.keepsake")
      #expect(try Keeputil.run(command, "a.keepsake", in: folder).status == 0, "\(name)")
    }
  }

  // MARK: Mutants

  @Test("all readers agree on mutants of all models", arguments: [MutantSource.Kind.repaired, .structure])
  func mutants(kind: MutantSource.Kind) throws {
    var generator = SeededGenerator("readers agree about \(kind) mutants")
    let source = MutantSource(kind, seed: generator.next(), seeds: try SeedArchives.make())
    var tally = Tally()
    for number in 0..<sized(2_000, inDebug: 400) {
      let data = Data(source[number].bytes)
      guard (try? ArchiveImage(data: data, verification: .disabled)) != nil else { continue }
      compare(data, "\(kind) mutant \(number)", &tally)
    }
    #expect(tally.accepted > sized(30, inDebug: 2) && tally.refused > sized(100, inDebug: 10), "\(tally)")
  }

  @Test("all readers agree on mutants of the frozen archives")
  func frozen() throws {
    var seeded = SeededGenerator("readers agree about frozen archives")
    var generator = HostileGenerator(seed: seeded.next())
    let samples = try FrozenArchives.all().map { Array($0.data) }
    let mutator = StructureMutator(others: samples.filter { $0.count < 4_000 })
    var tally = Tally()
    for (index, sample) in samples.enumerated() {
      compare(Data(sample), "frozen archive \(index)", &tally)
      for number in 0..<(sample.count < 4_000 ? sized(40, inDebug: 5) : sized(4, inDebug: 1)) {
        let data = Data(mutator.mutant(of: sample, using: &generator))
        compare(data, "mutant \(number) of the frozen archive \(index)", &tally)
      }
    }
    #expect(tally.accepted > samples.count && tally.refused > sized(50, inDebug: 15), "\(tally)")
  }

  @Test("all readers agree on crafted archives")
  func crafted() {
    var tally = Tally()
    for archive in CraftedArchive.all where archive.data.count < 100_000 {
      compare(archive.data, archive.name, &tally)
    }
    #expect(tally.refused > 30, "\(tally)")
  }

  // MARK: Chains

  @Test("a long chain of optional marks takes no stack", .timeLimit(.minutes(20)))
  func marks() throws {
    let count = 40_000
    let chain = [UInt8](repeating: Tag.some, count: count)
    let first = Self.a + chain + [0x40, 1]
    let second = Self.b + chain + [0x95]
    let data = HandmadeArchive.data(bodies: [[1, 0x50]], topLevel: [0, Tag.map, 2] + first + second)
    let archive = try ArchiveValue(forReadingFrom: data)
    let object = try #require(try archive["a"])
    #expect(try object.className == "Thing")
    #expect(try object.objectNumber == 1)
    #expect(try object.objectByteRange == 16..<18)
    #expect(try object.content.kind == .array)
    let number = try #require(try archive["b"])
    #expect(try number.className == nil && number.objectNumber == nil && number.objectByteRange == nil)
    #expect(try number.intValue == 5)
  }
}
