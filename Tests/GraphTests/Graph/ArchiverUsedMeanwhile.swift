import Foundation
import Keepsake
import TestSupport
import Testing

/// Code that an archiver calls while it encodes a value can neither finish the archive nor add to it.
@Suite struct ArchiverUsedMeanwhile {
  /// The ways to finish an archive.
  enum Finishing: CaseIterable, Sendable {
    case finish, bytes, file

    func run(_ archiver: KeyedArchiver) throws {
      switch self {
      case .finish: try archiver.finishEncoding()
      case .bytes: _ = try archiver.encodedData
      case .file: try archiver.write(toFile: "/nowhere/at all")
      }
    }
  }

  @Test("a delegate cannot finish the archive while an object is encoded", arguments: Finishing.allCases)
  func finishedByADelegate(_ finishing: Finishing) throws {
    let meddler = Meddler()
    meddler.willEncode = { archiver, _ in try finishing.run(archiver) }
    meddler.didEncode = { archiver, _ in try finishing.run(archiver) }
    let archiver = KeyedArchiver()
    archiver.delegate = meddler
    try archiver.encode(Data(count: 40_000), forKey: "big")
    try archiver.encode(Piece("a", [Piece("b")]), forKey: "a")
    #expect(meddler.codes == [.misuse, .misuse, .misuse, .misuse] && meddler.finishes == 0)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(meddler.finishes == 2 && unarchiver.allKeys == ["big", "a"])
    #expect(try unarchiver.decode(Data.self, forKey: "big").count == 40_000)
    #expect(try unarchiver.decode(Piece.self, forKey: "a").children.map(\.name) == ["b"])
  }

  @Test("an encode(to:) cannot finish the archive, and may continue", arguments: Finishing.allCases)
  func finishedByAnEncodeTo(_ finishing: Finishing) throws {
    let log = Codes()
    let archiver = KeyedArchiver()
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode([Piece("first")], forKey: "first")
      log.note { try finishing.run(archiver) }
      try container.encode([Piece("second")], forKey: "second")
    }
    try archiver.encode("before", forKey: "before")
    try archiver.encode([value, value], forKey: "values")
    try archiver.encode(value, forKey: "value")
    try archiver.encode("after", forKey: "after")
    #expect(log.codes == [.misuse, .misuse, .misuse])
    let data = try archiver.encodedData
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, verification: .everything)
    #expect(unarchiver.allKeys == ["before", "values", "value", "after"])
    let values = try unarchiver.decode([[String: [Piece]]].self, forKey: "values")
    let last = try unarchiver.decode([String: [Piece]].self, forKey: "value")
    #expect(
      (values + [last]).allSatisfy { $0["first"]?[0].name == "first" && $0["second"]?[0].name == "second" }
    )
  }

  @Test("a delegate or an encode(to:) cannot encode another key, and no value is lost")
  func anotherKey() throws {
    let meddler = Meddler()
    let add = { (archiver: KeyedArchiver, _: Any) in try archiver.encode("x", forKey: "b") }
    meddler.willEncode = add
    meddler.didEncode = add
    let archiver = KeyedArchiver()
    archiver.delegate = meddler
    let value = Writing { encoder in
      meddler.note { try archiver.encode("x", forKey: "b") }
      meddler.note { try archiver.container(keyedBy: AnyKey.self).encodeNow("x", "b") }
      try Piece("written").encode(to: encoder)
    }
    try archiver.encode(Piece("a"), forKey: "a")
    try archiver.encode(Piece("another"), forKey: "a")
    try archiver.encode(value, forKey: "value")
    #expect(meddler.codes == Array(repeating: .misuse, count: 6))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["a", "value"])
    #expect(try unarchiver.decode(Piece.self, forKey: "a").name == "another")
    #expect(try unarchiver.decode(Piece.self, forKey: "value").name == "written")
  }

  @Test("the error advises to finish after encode(_:forKey:) returns")
  func sentence() throws {
    let archiver = KeyedArchiver()
    var found: Failure?
    let value = Writing { encoder in
      found = try failure { try archiver.finishEncoding() }
      try encoder.encodeAlone(1)
    }
    try archiver.encode([value], forKey: "list")
    #expect(found?.kind == .invalidValue && found?.path == "list/[0]")
    #expect(found?.description.contains("after encode(_:forKey:) returns") == true)
  }

  @Test("a top-level container requested during encoding stays unusable")
  func containerAskedForMeanwhile() throws {
    let archiver = KeyedArchiver()
    var kept: (any UnkeyedEncodingContainer)?
    try archiver.encode(
      Writing { encoder in
        kept = archiver.unkeyedContainer()
        try encoder.encodeAlone("text")
      },
      forKey: "a"
    )
    #expect(try failure { try kept?.encode(1) }.code == .misuse)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["a"])
    #expect(try unarchiver.decode(String.self, forKey: "a") == "text")
  }

  @Test("a container of an outer encoder requested during encoding stays unusable")
  func outerContainerAskedForMeanwhile() throws {
    let refusals = Codes()
    let data = try write { outer in
      var container = outer.container(keyedBy: AnyKey.self)
      var kept: (any UnkeyedEncodingContainer)?
      try container.encode(
        Writing { encoder in
          kept = outer.unkeyedContainer()
          try encoder.encodeAlone("text")
        },
        forKey: "a"
      )
      refusals.note { try kept?.encode(1) }
      try container.encode("more", forKey: "b")
    }
    #expect(refusals.codes == [.misuse])
    #expect(try ArchiveDecoder().decode([String: String].self, from: data) == ["a": "text", "b": "more"])
  }

  @Test("user code cannot use the archiver while it encodes into a nested top-level container")
  func nestedAtTheTopLevel() throws {
    let meddler = Meddler()
    let meddle = { [unowned meddler] (archiver: KeyedArchiver, _: Any) in
      meddler.note { try archiver.encode(1, forKey: "b") }
      try archiver.finishEncoding()
    }
    meddler.willEncode = meddle
    meddler.didEncode = meddle
    let archiver = KeyedArchiver()
    archiver.outputFormatting = .sortedKeys
    archiver.delegate = meddler
    archiver.userInfo[.named("meddle")] = { [unowned archiver] in try meddle(archiver, 0) }
    var container = archiver.container(keyedBy: AnyKey.self)
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    try nested.encode(Piece("a"), forKey: "a")
    try nested.encode(Set([MeddlingElement(number: 1), MeddlingElement(number: 2)]), forKey: "set")
    let fields = MeddlingFields()
    try MeddlingFields.$meddler.withValue(.init { [unowned archiver] in try? meddle(archiver, 0) }) {
      try nested.encode(fields, forKey: "fields")
    }
    try nested.encode(Piece("c"), forKey: "c")
    try container.encode("end", forKey: "end")
    #expect(meddler.codes.count >= 8 && meddler.codes.allSatisfy { $0 == .misuse })
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["nested", "end"])
    let top = try unarchiver.container(keyedBy: AnyKey.self)
    let back = try top.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
    #expect(try back.decode(Piece.self, forKey: "a").name == "a")
    #expect(try back.decode([MeddlingElement].self, forKey: "set").map(\.number).sorted() == [1, 2])
    #expect(try back.decode(MeddlingFields.self, forKey: "fields").number == 1)
    #expect(try back.decode(Piece.self, forKey: "c").name == "c")
  }

  @Test("an initializer in a rehearsal cannot use the archiver")
  func rehearsal() throws {
    let log = Codes()
    let archiver = KeyedArchiver()
    archiver.userInfo[.named("meddle")] = { [unowned archiver] in
      log.note { try archiver.encode(1, forKey: "b") }
      log.note { try archiver.finishEncoding() }
    }
    let ring = MeddlingRing()
    ring.next = ring
    defer { ring.next = nil }
    try archiver.encode(ring, forKey: "ring")
    #expect(log.codes == [.misuse, .misuse])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["ring"])
    let back = try unarchiver.decode(MeddlingRing.self, forKey: "ring")
    #expect(back.next === back)
    back.next = nil
  }

  @Test("an encode(to:) that is called to find the properties of a cycle cannot use the archiver")
  func probed() throws {
    let log = Codes()
    let archiver = KeyedArchiver()
    archiver.userInfo[.named("meddle")] = { [unowned archiver] in
      log.note { try archiver.encode([Piece("b")], forKey: "b") }
    }
    let loop = MeddlingLoop()
    loop.other = loop
    defer { loop.other = nil }
    try archiver.encode(loop, forKey: "loop")
    #expect(log.codes == [.misuse, .misuse])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.allKeys == ["loop"])
    let back = try unarchiver.decode(MeddlingLoop.self, forKey: "loop")
    #expect(back.other === back)
    back.other = nil
  }

  @Test("a delegate may use another archiver")
  func anotherArchiver() throws {
    let meddler = Meddler()
    var inner: Data?
    meddler.willEncode = { _, _ in inner = try ArchiveEncoder().encode("inner") }
    let archiver = KeyedArchiver()
    archiver.delegate = meddler
    try withExtendedLifetime(meddler) { try archiver.encode(Piece("a"), forKey: "a") }
    #expect(try ArchiveDecoder().decode(String.self, from: inner ?? Data()) == "inner")
    #expect(
      try KeyedUnarchiver(forReadingFrom: archiver.encodedData).decode(Piece.self, forKey: "a").name == "a"
    )
  }
}

// MARK: - Types

extension KeyedEncodingContainer {
  fileprivate func encodeNow(_ value: String, _ key: Key) throws {
    var container = self
    try container.encode(value, forKey: key)
  }
}

extension Encoder {
  fileprivate func encodeAlone(_ value: some Encodable) throws {
    var container = singleValueContainer()
    try container.encode(value)
  }
}

/// Runs the function in the user info, if there is one.
private func meddle(_ userInfo: [CodingUserInfoKey: Any]) throws {
  try (userInfo[.named("meddle")] as? () throws -> Void)?()
}

/// The archiver makes one to find the defaults.
private struct MeddlingFields: ArchivedFields {
  struct Meddler: @unchecked Sendable {
    let meddle: () -> Void
  }

  @TaskLocal static var meddler: Meddler?
  var number: Int? = 1

  init() { MeddlingFields.meddler?.meddle() }
}

private struct MeddlingElement: Codable, Hashable {
  let number: Int

  init(number: Int) {
    self.number = number
  }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    try? meddle(encoder.userInfo)
    try encoder.encodeAlone(number)
  }
}

/// Encoded plainly and read deferred, so only a rehearsal shows whether it can be read.
private final class MeddlingRing: Codable {
  var next: MeddlingRing?
  private enum CodingKeys: String, CodingKey { case theNext = "next" }

  init() {}

  init(from decoder: any Decoder) throws {
    try? meddle(decoder.userInfo)
    try decoder.container(keyedBy: CodingKeys.self)
      .decodeDeferredIfPresent(MeddlingRing.self, forKey: .theNext) { [unowned self] in next = $0 }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(next, forKey: .theNext)
  }
}

/// A cycle that the archiver closes, and for which it must know what the objects encode.
private final class MeddlingLoop: Codable {
  var other: MeddlingLoop?
  private enum CodingKeys: CodingKey { case other }
  init() {}
  func encode(to encoder: any Encoder) throws {
    try? meddle(encoder.userInfo)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(other, forKey: .other)
  }
}
