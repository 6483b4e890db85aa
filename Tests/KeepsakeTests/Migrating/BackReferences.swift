import Keepsake
import Testing

// The code of Docs/Migrating.md, step 9.

@Suite("Migrating: back references") struct MigratingBackReferences {
  final class Department: Codable {
    var name = ""
    var staff: [Employee] = []
  }

  final class Employee: Codable {
    var name: String
    weak var department: Department?

    init(name: String) {
      self.name = name
    }
  }

  @Test("a weak back reference leads to its object, or is nil without it")
  func weak() throws {
    let sales = Department()
    sales.name = "Sales"
    sales.staff = [Employee(name: "Ada"), Employee(name: "Bob")]
    for employee in sales.staff { employee.department = sales }

    let data = try KeyedArchiver.archivedData(withRootObject: sales)
    let back = try KeyedUnarchiver.unarchive(Department.self, from: data)
    #expect(back.staff.map(\.name) == ["Ada", "Bob"])
    #expect(back.staff.allSatisfy { $0.department === back })

    let alone = try KeyedArchiver.archivedData(withRootObject: sales.staff)
    #expect(try KeyedUnarchiver.unarchive([Employee].self, from: alone)[0].department == nil)
  }

  final class Author: Codable {
    var name: String
    var posts: [Post] = []

    init(name: String) {
      self.name = name
    }
  }

  final class Post: Codable {
    var text: String
    @Deferred var author: Author

    init(text: String, author: Author) {
      self.text = text
      self.author = author
    }
  }

  @Test("a strong back reference leads to its object")
  func strong() throws {
    let author = Author(name: "Ada")
    author.posts = [Post(text: "first", author: author), Post(text: "second", author: author)]
    let data = try KeyedArchiver.archivedData(withRootObject: author.posts[1])

    let post = try KeyedUnarchiver.unarchive(Post.self, from: data)
    #expect(post.text == "second" && post.author.name == "Ada")
    #expect(post.author.posts[1] === post && post.author.posts[0].author === post.author)
    author.posts = []
    post.author.posts = []
  }

  struct Next: Codable {
    var link: Link?
  }

  final class Link: Codable {
    var next = Next()
  }

  @Test("a cycle through a structure without weak or @Deferred is an error that names @Deferred")
  func plainCycle() throws {
    let link = Link()
    link.next.link = link
    defer { link.next.link = nil }
    let error = #expect(throws: EncodingError.self) { try KeyedArchiver.archivedData(withRootObject: link) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect((context.underlyingError as? ArchiveError)?.code == .cycle)
    #expect(context.debugDescription.contains("@Deferred"))
  }

  final class Node: Codable {
    var children: [Node] = []
    private(set) weak var parent: Node?

    private enum CodingKeys: String, CodingKey { case children, parent }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      children = try container.decode([Node].self, forKey: .children)
      try container.decodeDeferredIfPresent(Node.self, forKey: .parent) { [weak self] in self?.parent = $0 }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(children, forKey: .children)
      try container.encodeConditional(parent, forKey: .parent)
    }

    func add(_ child: Node) {
      children.append(child)
      child.parent = self
    }
  }

  @Test("hand-written code can encode a weak back reference, as with encodeConditionalObject")
  func byHand() throws {
    let root = Node()
    root.add(Node())
    root.children[0].add(Node())
    let data = try KeyedArchiver.archivedData(withRootObject: root)
    let back = try KeyedUnarchiver.unarchive(Node.self, from: data)
    #expect(back.parent == nil && back.children[0].parent === back)
    #expect(back.children[0].children[0].parent === back.children[0])

    let branch = try KeyedArchiver.archivedData(withRootObject: root.children[0])
    #expect(try KeyedUnarchiver.unarchive(Node.self, from: branch).parent == nil)
  }

  final class Topic: Codable {
    var name: String

    init(name: String) {
      self.name = name
    }
  }

  final class Remark: Codable {
    var topic: Topic
    var others: [Topic?] = []

    private enum CodingKeys: String, CodingKey { case topic, others }

    init(topic: Topic) {
      self.topic = topic
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      topic = try container.decodeIfPresent(Topic.self, forKey: .topic) ?? Topic(name: "none")
      others = try container.decode([Topic?].self, forKey: .others)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeConditional(topic, forKey: .topic)
      var list = container.nestedUnkeyedContainer(forKey: .others)
      try list.encodeConditional(topic)
    }
  }

  struct Discussion: Codable {
    var remarks: [Remark]
    var topics: [Topic]
  }

  @Test("encodeConditional accepts an object that is not optional, with keys and without")
  func notOptional() throws {
    let topic = Topic(name: "trees")
    let discussion = Discussion(remarks: [Remark(topic: topic)], topics: [topic])
    let whole = try KeyedArchiver.archivedData(withRootObject: discussion)
    let back = try KeyedUnarchiver.unarchive(Discussion.self, from: whole)
    #expect(back.remarks[0].topic === back.topics[0] && back.remarks[0].others[0] === back.topics[0])

    let alone = try KeyedArchiver.archivedData(withRootObject: discussion.remarks)
    let remark = try KeyedUnarchiver.unarchive([Remark].self, from: alone)[0]
    #expect(remark.topic.name == "none" && remark.others.count == 1 && remark.others[0] == nil)
  }

  @Test("encodeConditional works at the top level")
  func topLevel() throws {
    enum Key: String, CodingKey { case favourite, topics }
    let topic = Topic(name: "trees")
    let archiver = KeyedArchiver()
    var container = archiver.container(keyedBy: Key.self)
    try container.encodeConditional(topic, forKey: .favourite)
    let without = KeyedArchiver()
    var other = without.container(keyedBy: Key.self)
    try other.encodeConditional(topic, forKey: .favourite)
    try container.encode([topic], forKey: .topics)

    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let favourite = try unarchiver.decodeIfPresent(Topic.self, forKey: "favourite")
    #expect(try favourite === unarchiver.decode([Topic].self, forKey: "topics")[0])
    let bare = try KeyedUnarchiver(forReadingFrom: without.encodedData)
    #expect(try bare.decodeIfPresent(Topic.self, forKey: "favourite") == nil)
  }
}
