import Foundation
import Keepsake
import TestSupport
import Testing

/// Errors in values that are decoded last: the outermost decode throws them, and leaves no incomplete
/// objects.
@Suite struct DeferredFailures {
  @Test("an error in a deferred value has its coding path")
  func paths() throws {
    let data = try ArchiveEncoder().encode(["list": [Written(inner: .init(wrong: "no number", own: 1))]])
    let found = try failure { try ArchiveDecoder().decode([String: [Read]].self, from: data) }
    #expect(
      found.kind == .typeMismatch && found.code == .typeMismatch && found.path == "list/[0]/inner/wrong"
    )

    let missing = try ArchiveEncoder().encode([WrittenShort(inner: .init(own: 1))])
    let absent = try failure { try ArchiveDecoder().decode([Read].self, from: missing) }
    #expect(absent.kind == .keyNotFound && absent.missingKey == "wrong" && absent.path == "[0]/inner")
  }

  @Test("the coding path includes objects reached by deferred references")
  func pathsThroughObjects() throws {
    let line = [WrittenLink("0"), WrittenLink("1"), WrittenLink("2")]
    line[0].next = line[1]
    line[1].next = line[2]
    line[2].number = "three"
    let data = try ArchiveEncoder().encode(["line": line[0]])
    let found = try failure { try ArchiveDecoder().decode([String: ReadLink].self, from: data) }
    #expect(found.kind == .typeMismatch && found.path == "line/next/next/number")
    let byHand = try failure { try ArchiveDecoder().decode([String: HandLink].self, from: data) }
    #expect(byHand.kind == .typeMismatch && byHand.path == "line/next/next/number")
  }

  @Test("an initializer sees its coding path and throws with it")
  func ownErrors() throws {
    let data = try ArchiveEncoder().encode(["a": [Written(inner: .init(wrong: "path", own: 1))]])
    let found = try failure { try ArchiveDecoder().decode([String: [ReadThrowing]].self, from: data) }
    #expect(
      found.kind == .dataCorrupted && found.path == "a/[0]/inner" && found.description.contains("of my own")
    )
  }

  @Test("after an error, the unarchiver continues and makes the objects anew")
  func goesOn() throws {
    let shared = WrittenLink("shared")
    let bad = WrittenLink("bad")
    bad.number = "three"
    let archiver = KeyedArchiver()
    try archiver.encode("text", forKey: "text")
    try archiver.encode([shared, WrittenLink("x", next: shared, then: bad)], forKey: "bad")
    try archiver.encode([shared], forKey: "good")
    let log = Log()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[.named("log")] = log
    for round in 1...3 {
      let found = try failure { try unarchiver.decode([ReadLink].self, forKey: "bad") }
      #expect(found.kind == .typeMismatch && found.path == "bad/[1]/then/number", "\(round)")
      #expect(log.made == ["shared", "x"])
      log.made = []
    }
    let good = try unarchiver.decode([ReadLink].self, forKey: "good")
    #expect(good.map(\.name) == ["shared"] && log.made == ["shared"] && log.awakened == ["shared"])
    #expect(try unarchiver.decode(String.self, forKey: "text") == "text")
    // Objects of an earlier decode stay.
    #expect(throws: DecodingError.self) { try unarchiver.decode([ReadLink].self, forKey: "bad") }
    #expect(try unarchiver.decode([ReadLink].self, forKey: "good")[0] === good[0])
    // After an error, the same key can be read as another type.
    let other = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(throws: DecodingError.self) { try other.decode([ReadLink].self, forKey: "bad") }
    let strings = try other.decode([WrittenLink].self, forKey: "bad")
    #expect(strings[1].then?.number == "three" && strings[1].next === strings[0])
  }

  @Test("if a deferred value cannot be read, no object of the decode awakes")
  func allOrNothing() throws {
    let bad = WrittenLink("bad")
    bad.number = "three"
    let data = try ArchiveEncoder().encode([WrittenLink("a", next: bad), WrittenLink("b")])
    let log = Log()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.userInfo[.named("log")] = log
    #expect(throws: DecodingError.self) { try unarchiver.decode([ReadLink].self, forKey: "root") }
    #expect(log.awakened == [] && log.made == ["a", "b"])
  }
}

// MARK: - Types

private final class Log {
  var made: [String] = []
  var awakened: [String] = []
}

private struct Written: Codable {
  struct Inner: Codable {
    var wrong: String
    var own: Int
  }
  var inner: Inner
}

private struct WrittenShort: Codable {
  struct Inner: Codable { var own: Int }
  var inner: Inner
}

private struct Read: Codable {
  struct Inner: Codable {
    var wrong: Int
    var own: Int
  }
  @Deferred var inner: Inner
}

private struct ReadThrowing: Decodable {
  struct Inner: Decodable {
    init(from decoder: any Decoder) throws {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "of my own"))
    }
  }
  @Deferred var inner: Inner
}

private final class WrittenLink: Codable {
  let name: String
  var number: String?
  @Deferred var next: WrittenLink?
  @Deferred var then: WrittenLink?

  init(_ name: String, next: WrittenLink? = nil, then: WrittenLink? = nil) {
    self.name = name
    self.next = next
    self.then = then
  }
}

private final class ReadLink: Decodable, ArchiveAwakening {
  let name: String
  var number: Int?
  @Deferred var next: ReadLink?
  @Deferred var then: ReadLink?
  private var log: Log?
  private enum CodingKeys: CodingKey { case name, number, next, then }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    number = try container.decodeIfPresent(Int.self, forKey: .number)
    _next = try container.decode(Deferred<ReadLink?>.self, forKey: .next)
    _then = try container.decode(Deferred<ReadLink?>.self, forKey: .then)
    log = decoder.userInfo[.named("log")] as? Log
    log?.made.append(name)
  }

  func awakeFromArchive() {
    log?.awakened.append(name)
  }
}

private final class HandLink: Decodable {
  let name: String
  var number: Int?
  var next: HandLink?
  private enum CodingKeys: CodingKey { case name, number, next }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    number = try container.decodeIfPresent(Int.self, forKey: .number)
    try container.decodeDeferredIfPresent(HandLink.self, forKey: .next) { [unowned self] in next = $0 }
  }
}
