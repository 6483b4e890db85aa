import Foundation
import Keepsake
import TestSupport
import Testing

/// Cycles of references that are encoded plainly and read deferred, which only the initializers show.
@Suite struct Rehearsals {
  @Test("a plainly encoded back reference may be read deferred")
  func synthesizedEncoding() throws {
    let author = RehearsedAuthor(name: "Ada")
    author.posts = [RehearsedPost("one", author), RehearsedPost("two", author)]
    let back = try roundTrip(author)
    #expect(back.posts.map(\.title) == ["one", "two"])
    #expect(back.posts.allSatisfy { $0.author === back })
    let post = try roundTrip(author.posts[1])
    #expect(post.author?.posts[1] === post && post.author?.name == "Ada")
    let copy = try KeyedArchiver.copy(of: author)
    #expect(copy.posts[0].author === copy && copy !== author)
    author.posts = []
  }

  @Test("a back reference from encodeDeferred comes back")
  func deferredEncoding() throws {
    let author = CountedAuthor(name: "Ada")
    author.posts = [CountedPost(author)]
    let data = try ArchiveEncoder().encode(author)
    let back = try ArchiveDecoder().decode(CountedAuthor.self, from: data)
    #expect(back.posts[0].author === back)
    author.posts = []
    back.posts = []
  }

  @Test("a rehearsal leaves no objects and awakes none")
  func nothingLeft() throws {
    weak var leftover: RehearsedWitness?
    do {
      let witness = RehearsedWitness()
      let author = RehearsedAuthor(name: "Ada")
      author.posts = [RehearsedPost("one", author)]
      var encoder = ArchiveEncoder()
      encoder.userInfo[.named("witness")] = RehearsedWitness.Box(witness)
      _ = try encoder.encode(author)
      author.posts = []
      leftover = witness
      #expect(witness.readings == 2 && witness.awakenings == 0 && witness.living == 0)
    }
    #expect(leftover == nil)
  }

  @Test("the number of rehearsals is limited")
  func charged() throws {
    let author = RehearsedAuthor(name: String(repeating: "Ada", count: 100_000))
    author.posts = [RehearsedPost("one", author)]
    defer { author.posts = [] }
    let archiver = KeyedArchiver()
    var count = 0
    let found = try failure {
      while count < 1000 {
        try archiver.encode(author, forKey: String(count))
        count += 1
      }
    }
    #expect(found.code == .cycle && count > 256)
  }

  @Test("a cycle that its initializers do not read deferred is refused")
  func notDeferred() throws {
    let node = RehearsedNode()
    node.next = node
    #expect(try failure { try ArchiveEncoder().encode(node) }.code == .cycle)
    node.next = nil
  }
}

/// Counts what a rehearsal does.
private final class RehearsedWitness: @unchecked Sendable {
  struct Box: Sendable {
    let witness: RehearsedWitness
    init(_ witness: RehearsedWitness) { self.witness = witness }
  }

  var readings = 0
  var awakenings = 0
  var living = 0
}

private final class RehearsedAuthor: Codable, ArchiveAwakening {
  var name: String
  var posts: [RehearsedPost] = []
  private var witness: RehearsedWitness?

  // Not the names of the properties, so these cannot be read last.
  private enum CodingKeys: String, CodingKey { case name, thePosts = "posts" }

  init(name: String) {
    self.name = name
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    posts = try container.decode([RehearsedPost].self, forKey: .thePosts)
    witness = (decoder.userInfo[.named("witness")] as? RehearsedWitness.Box)?.witness
    witness?.readings += 1
    witness?.living += 1
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(posts, forKey: .thePosts)
  }

  deinit { witness?.living -= 1 }

  func awakeFromArchive() { witness?.awakenings += 1 }
}

private final class RehearsedPost: Codable {
  var title: String
  // A strong reference back, as in the example of the documentation.
  var author: RehearsedAuthor?
  private var witness: RehearsedWitness?

  private enum CodingKeys: String, CodingKey { case title, theAuthor = "author" }

  init(_ title: String, _ author: RehearsedAuthor) {
    self.title = title
    self.author = author
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    try container.decodeDeferred(RehearsedAuthor.self, forKey: .theAuthor) { [unowned self] in
      self.author = $0
    }
    witness = (decoder.userInfo[.named("witness")] as? RehearsedWitness.Box)?.witness
    witness?.readings += 1
    witness?.living += 1
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(author, forKey: .theAuthor)
  }

  deinit { witness?.living -= 1 }
}

private final class CountedAuthor: Codable {
  var name: String
  var posts: [CountedPost] = []

  init(name: String) {
    self.name = name
  }
}

private final class CountedPost: Codable {
  var author: CountedAuthor?

  private enum CodingKeys: CodingKey { case author }

  init(_ author: CountedAuthor) {
    self.author = author
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.decodeDeferred(CountedAuthor.self, forKey: .author) { [unowned self] in self.author = $0 }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let author { try container.encodeDeferred(author, forKey: .author) }
  }
}

private final class RehearsedNode: Codable {
  @Kept var next: RehearsedNode? = nil
}
