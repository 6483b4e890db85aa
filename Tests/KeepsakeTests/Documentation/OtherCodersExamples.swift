import Foundation
import Keepsake
import TestSupport
import Testing

/// The examples of the article What differs from JSONEncoder.
@Suite struct OtherCodersExamples {
  struct Unavailable: Error {}

  final class Attachment: Encodable {
    let isAvailable: Bool
    init(isAvailable: Bool) { self.isAvailable = isAvailable }

    func encode(to encoder: any Encoder) throws {
      guard isAvailable else { throw Unavailable() }
      var container = encoder.singleValueContainer()
      try container.encode("contents")
    }
  }

  struct Message: Encodable {
    let text: String
    let attachment: Attachment

    enum CodingKeys: CodingKey { case text, attachment }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      // This catches nothing: the attachment is a class, and is not encoded yet.
      // try? container.encode(attachment, forKey: .attachment)
      if attachment.isAvailable { try container.encode(attachment, forKey: .attachment) }
    }
  }

  /// Code that works with other coders.
  struct Trying: Encodable {
    let attachment: Attachment

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try? container.encode(attachment)
    }
  }

  @Test func objectsAreEncodedLater() throws {
    let message = Message(text: "hello", attachment: Attachment(isAvailable: false))
    #expect(
      try ArchiveDecoder().decode([String: String].self, from: ArchiveEncoder().encode(message)) == [
        "text": "hello"
      ]
    )
    let full = Message(text: "hello", attachment: Attachment(isAvailable: true))
    let back = try ArchiveDecoder().decode([String: String].self, from: ArchiveEncoder().encode(full))
    #expect(back == ["text": "hello", "attachment": "contents"])
  }

  @Test func aCaughtErrorComesLater() throws {
    let value = Trying(attachment: Attachment(isAvailable: false))
    #expect(try JSONEncoder().encode(value) == Data("[]".utf8))
    #expect(throws: Unavailable.self) { try ArchiveEncoder().encode(value) }
  }

  final class Levels: @unchecked Sendable {
    static let key = CodingUserInfoKey.named("levels")
    var count = 0
  }

  final class Child: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode((encoder.userInfo[Levels.key] as? Levels)?.count)
    }
  }

  struct Parent: Encodable {
    let children: [Child]

    func encode(to encoder: any Encoder) throws {
      let levels = encoder.userInfo[Levels.key] as? Levels
      levels?.count += 1
      defer { levels?.count -= 1 }
      var container = encoder.singleValueContainer()
      try container.encode(children)
    }
  }

  @Test func stateAroundAnObjectIsGone() throws {
    let json = JSONEncoder()
    json.userInfo[Levels.key] = Levels()
    #expect(try json.encode(Parent(children: [Child()])) == Data("[1]".utf8))
    var archive = ArchiveEncoder()
    archive.userInfo[Levels.key] = Levels()
    let data = try archive.encode(Parent(children: [Child()]))
    #expect(try ArchiveDecoder().decode([Int].self, from: data) == [0])
  }
}
