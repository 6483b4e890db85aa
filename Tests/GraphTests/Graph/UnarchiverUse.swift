import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// The unarchiver itself: its limits, its end, and a delegate without methods.
@Suite struct UnarchiverUse {
  private final class Quiet: KeyedArchiverDelegate, KeyedUnarchiverDelegate {}

  private final class Node: Codable {
    var name = "node"
  }

  @Test("an archive larger than the byte limit is refused, one of that size is read")
  func byteCount() throws {
    let data = try ArchiveEncoder().encode("text")
    var limits = ArchiveLimits()
    limits.maximumByteCount = data.count
    #expect(try KeyedUnarchiver.unarchive(String.self, from: data, limits: limits) == "text")
    limits.maximumByteCount = data.count - 1
    let found = try failure { try KeyedUnarchiver(forReadingFrom: data, limits: limits) }
    #expect(found.kind == .dataCorrupted && found.code == .limitExceeded && found.path == "")
    #expect(found.description.contains("\(data.count) bytes"))
    #expect(found.description.contains("ArchiveLimits.maximumByteCount"))
  }

  @Test("limits that are set later apply to later decodes")
  func laterLimits() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: ArchiveEncoder().encode([[[["deep"]]]]))
    let key = KeyedArchiver.rootKey
    #expect(try unarchiver.decode([[[[String]]]].self, forKey: key) == [[[["deep"]]]])
    unarchiver.limits.maximumDepth = 3
    #expect(try failure { try unarchiver.decode([[[[String]]]].self, forKey: key) }.code == .limitExceeded)
    unarchiver.limits.maximumDepth = 10
    unarchiver.limits.maximumValueDepth = 3
    #expect(try failure { try unarchiver.decode([[[[String]]]].self, forKey: key) }.code == .limitExceeded)
    unarchiver.limits = ArchiveLimits()
    #expect(try unarchiver.decode([[[[String]]]].self, forKey: key) == [[[["deep"]]]])
  }

  @Test("after finishDecoding, decoding throws, and finishing again has no effect")
  func finished() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(1, forKey: "a")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.codingPath.isEmpty && archiver.codingPath.isEmpty)
    #expect(try unarchiver.decode(Int.self, forKey: "a") == 1)
    unarchiver.finishDecoding()
    unarchiver.finishDecoding()
    #expect(unarchiver.allKeys.isEmpty && !unarchiver.containsValue(forKey: "a"))
    for found in [
      try failure { try unarchiver.decode(Int.self, forKey: "a") },
      try failure { try unarchiver.decodeIfPresent(Int.self, forKey: "a") },
      try failure { try unarchiver.container(keyedBy: AnyKey.self) },
      try failure { try unarchiver.unkeyedContainer() },
    ] {
      #expect(found.kind == .dataCorrupted && found.code == .misuse)
    }
  }

  @Test("a delegate that implements nothing changes nothing")
  func quietDelegate() throws {
    let quiet = Quiet()
    let archiver = KeyedArchiver()
    archiver.delegate = quiet
    let node = Node()
    node.name = "other"
    try archiver.encode([node, node], forKey: "nodes")
    try archiver.finishEncoding()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.delegate = quiet
    let nodes = try unarchiver.decode([Node].self, forKey: "nodes")
    unarchiver.finishDecoding()
    #expect(nodes.map(\.name) == ["other", "other"] && nodes[0] === nodes[1])
  }

  @Test("without an answer from the delegate, an unknown class is an error")
  func unknownClass() throws {
    let data = HandmadeArchive.data(
      bodies: [[1, 0x50]],
      topLevel: [0, 0x1C, 1, 0x21, 0x61, 0x40, 1],
      classes: [HandmadeArchive.type("Zoo.Nowhere", flags: 1)]
    )
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let quiet = Quiet()
    unarchiver.delegate = quiet
    let found = try failure { try unarchiver.decode(Node.self, forKey: "a") }
    #expect(found.code == .unresolvableClass && found.path == "a")
    #expect(found.description.contains("Zoo.Nowhere"))
  }

  @Test("a deinit may decode other values while objects of a failed value are released")
  func decodingDeinit() throws {
    let archived = (0..<200).map { Parting($0) }
    let data = try writeKeyed { container in
      try container.encode(Array(archived[..<100]), forKey: "first")
      try container.encode(Array(archived[100...]), forKey: "others")
    }
    let parts = try KeyedUnarchiver.unarchive(
      PartingTwice.self,
      from: data,
      userInfo: [.named("last"): PartingCall()]
    )
    #expect(parts.early.count == 100 && zip(parts.early, parts.others).allSatisfy { $0 === $1 })
    #expect(parts.others.map(\.number) == Array(101...200))
  }

  @Test("a missing super decoder reads as nil, and reading an object from it throws")
  func missingSuper() throws {
    let data = try ArchiveEncoder().encode(["a": 1])
    #expect(try readKeyed(data) { try $0.superDecoder().singleValueContainer().decodeNil() })
    let found = try failure { try readKeyed(data) { try Node(from: $0.superDecoder()) } }
    #expect(found.kind == .valueNotFound && found.code == .typeMismatch && found.path == "super")
  }
}

private final class PartingCall {
  var body: (() -> Void)?
}

private final class Parting: Codable, ArchiveAwakening {
  var number: Int
  var last: PartingCall?
  private enum CodingKeys: CodingKey { case number }

  init(_ number: Int) { self.number = number }
  deinit { last?.body?() }
  func awakeFromArchive() { number += 1 }
}

/// Throws after it has decoded everything.
private struct PartingFailure: Decodable {
  init(from decoder: any Decoder) throws {
    let parts = try decoder.singleValueContainer().decode([Parting].self)
    parts[50].last = decoder.userInfo[.named("last")] as? PartingCall
    throw CancellationError()
  }
}

private struct PartingTwice: Decodable {
  var early: [Parting] = []
  let others: [Parting]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    var early: [Parting] = []
    let call = try #require(decoder.userInfo[.named("last")] as? PartingCall)
    call.body = { early = (try? container.decode([Parting].self, forKey: "others")) ?? [] }
    #expect(throws: CancellationError.self) { try container.decode(PartingFailure.self, forKey: "first") }
    others = try container.decode([Parting].self, forKey: "others")
    self.early = early
  }
}
