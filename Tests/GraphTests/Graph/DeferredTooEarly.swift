import Foundation
import Keepsake
import TestSupport
import Testing

/// A @Deferred property has no value while initializers run.
@Suite struct DeferredTooEarly {
  @Test("reading a @Deferred property in another object's initializer ends the program with a message")
  func readInAnInitializer() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let author = EarlyAuthor()
      author.reader = EarlyReader(EarlyPost(author))
      _ = try ArchiveDecoder().decode(EarlyAuthor.self, from: ArchiveEncoder().encode(author))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for word in ["@Deferred", "EarlyAuthor", "awakeFromArchive"] { #expect(text.contains(word), "\(text)") }
  }

  @Test("reading a @Deferred property after decoding failed ends the program with a message")
  func readAfterAFailure() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let keeper = Keeper()
      var decoder = ArchiveDecoder()
      decoder.userInfo[.named("keeper")] = keeper
      _ = try? decoder.decode([EscapingPost].self, from: ArchiveEncoder().encode([["author": 1]]))
      _ = keeper.post?.author
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("@Deferred"), "\(text)")
  }

  @Test("get() throws where the property would end the program, and decoding continues")
  func askedInAnInitializer() throws {
    let author = AskedAuthor()
    author.reader = AskingReader(AskedPost(author))
    let back = try ArchiveDecoder().decode(AskedAuthor.self, from: ArchiveEncoder().encode(author))
    let post = try #require(back.reader?.post)
    #expect(back.reader?.error?.code == .misuse && back.reader?.wasDecoded == false)
    #expect(post.$author.isDecoded)
    #expect(try post.$author.get() === back && post.author === back)
  }

  @Test("encoding a @Deferred property before it has its value throws, to an archive and to JSON")
  func encodedMeanwhile() throws {
    let author = EncodingAuthor()
    author.post = EncodingPost(author)
    let faults = Faults()
    var decoder = ArchiveDecoder()
    decoder.userInfo[.named("faults")] = faults
    let back = try decoder.decode(EncodingAuthor.self, from: ArchiveEncoder().encode(author))
    #expect(back.post?.author === back && faults.all.count == 3)
    for fault in faults.all {
      #expect(fault.kind == .invalidValue && fault.code == .misuse && fault.description.contains("@Deferred"))
    }
    #expect(faults.all.map(\.path) == ["[0]", "key", "[0]"])
  }

  @Test("a @Deferred property has its value when the object awakes")
  func awakened() throws {
    let owner = AwakeOwner()
    owner.part = AwakePart(owner)
    let back = try roundTrip(owner)
    #expect(back.part?.nameOfOwner == "owner")
  }
}

// MARK: - Types

private final class EarlyAuthor: Codable {
  var name = "name"
  var reader: EarlyReader?
}

private final class EarlyPost: Codable {
  @Deferred var author: EarlyAuthor

  init(_ author: EarlyAuthor) {
    self.author = author
  }
}

private final class EarlyReader: Codable {
  let post: EarlyPost
  private enum CodingKeys: CodingKey { case post }

  init(_ post: EarlyPost) {
    self.post = post
  }

  init(from decoder: any Decoder) throws {
    post = try decoder.container(keyedBy: CodingKeys.self).decode(EarlyPost.self, forKey: .post)
    guard post.author.name == "name" else { throw Refusal() }
  }
}

private final class AskedAuthor: Codable {
  var reader: AskingReader?
}

private final class AskedPost: Codable {
  @Deferred var author: AskedAuthor

  init(_ author: AskedAuthor) {
    self.author = author
  }
}

private final class AskingReader: Codable {
  let post: AskedPost
  var error: ArchiveError?
  var wasDecoded = true
  private enum CodingKeys: CodingKey { case post }

  init(_ post: AskedPost) {
    self.post = post
  }

  init(from decoder: any Decoder) throws {
    post = try decoder.container(keyedBy: CodingKeys.self).decode(AskedPost.self, forKey: .post)
    wasDecoded = post.$author.isDecoded
    do { _ = try post.$author.get() } catch { self.error = error }
  }
}

private final class Keeper: @unchecked Sendable {
  var post: EscapingPost?
}

private final class EscapingPost: Decodable {
  @Deferred var author: EarlyAuthor
  private enum CodingKeys: CodingKey { case author }

  init(from decoder: any Decoder) throws {
    _author = try decoder.container(keyedBy: CodingKeys.self)
      .decode(Deferred<EarlyAuthor>.self, forKey: .author)
    (decoder.userInfo[.named("keeper")] as? Keeper)?.post = self
  }
}

private final class Faults: @unchecked Sendable {
  var all: [Failure] = []

  func note(_ body: () throws -> Data) {
    do {
      _ = try body()
    } catch {
      if let failure = Failure(error) { all.append(failure) }
    }
  }
}

private final class EncodingAuthor: Codable {
  var post: EncodingPost?
}

private final class EncodingPost: Codable {
  @Deferred var author: EncodingAuthor
  private enum CodingKeys: CodingKey { case author }

  init(_ author: EncodingAuthor) {
    self.author = author
  }

  init(from decoder: any Decoder) throws {
    _author = try decoder.container(keyedBy: CodingKeys.self)
      .decode(Deferred<EncodingAuthor>.self, forKey: .author)
    let faults = decoder.userInfo[.named("faults")] as? Faults
    let early = _author
    faults?.note { try ArchiveEncoder().encode([early]) }
    faults?.note { try ArchiveEncoder().encode(["key": early]) }
    faults?.note { try JSONEncoder().encode([early]) }
  }
}

private final class AwakeOwner: Codable {
  var name = "owner"
  var part: AwakePart?
}

private final class AwakePart: Codable, ArchiveAwakening {
  @Deferred var owner: AwakeOwner
  private(set) var nameOfOwner: String?
  private enum CodingKeys: CodingKey { case owner }

  init(_ owner: AwakeOwner) {
    self.owner = owner
  }

  func awakeFromArchive() {
    nameOfOwner = owner.name
  }
}
