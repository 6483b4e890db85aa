import Foundation
import Keepsake
import TestSupport
import Testing

/// The `userInfo` of the caller reaches every encoder and decoder.
@Suite struct UserInfo {
  private static let key = CodingUserInfoKey.named("tag")
  private static let other = CodingUserInfoKey.named("other")

  /// A value that consists of the user info of its coders.
  private struct Tag: Codable, Equatable {
    var text = ""

    init() {}

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      text += "/" + (decoder.userInfo[UserInfo.key] as? String ?? "nothing")
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(encoder.userInfo[UserInfo.key] as? String ?? "nothing")
    }
  }

  private final class Object: Codable {
    var tag = Tag()
    var inner: [Object] = []
  }

  private struct Tree: Codable {
    var tag = Tag()
    var list = [Tag()]
    var byName = ["a": Tag()]
    var object = Object()
    var choice: Tag? = Tag()

    var tags: [String] {
      [tag, list.first, byName["a"], object.tag, object.inner.first?.tag, choice].map {
        $0?.text ?? "missing"
      }
    }

    init() { object.inner = [Object()] }
  }

  @Test("ArchiveEncoder and ArchiveDecoder pass user info to every value")
  func dropIn() throws {
    var encoder = ArchiveEncoder()
    var decoder = ArchiveDecoder()
    #expect(encoder.userInfo.isEmpty && decoder.userInfo.isEmpty)
    let plain = try decoder.decode(Tree.self, from: encoder.encode(Tree()))
    #expect(plain.tags == Array(repeating: "nothing/nothing", count: 6))
    encoder.userInfo[Self.key] = "written"
    decoder.userInfo[Self.key] = "read"
    let tagged = try decoder.decode(Tree.self, from: encoder.encode(Tree()))
    #expect(tagged.tags == Array(repeating: "written/read", count: 6))
  }

  @Test("the archiver and unarchiver pass the user info of the moment to each key")
  func pair() throws {
    let archiver = KeyedArchiver()
    archiver.userInfo[Self.key] = "one"
    try archiver.encode(Tag(), forKey: "first")
    archiver.userInfo[Self.key] = "two"
    try archiver.encode(Tag(), forKey: "second")
    try archiver.encode(Tree(), forKey: "tree")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[Self.key] = "x"
    #expect(try unarchiver.decode(Tag.self, forKey: "first").text == "one/x")
    unarchiver.userInfo[Self.key] = "y"
    #expect(try unarchiver.decode(Tag.self, forKey: "second").text == "two/y")
    #expect(try unarchiver.decode(Tree.self, forKey: "tree").tags == Array(repeating: "two/y", count: 6))
  }

  @Test("the static methods pass user info, for memory and files")
  func oneLiners() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Tree(), userInfo: [Self.key: "memory"])
    let tree = try KeyedUnarchiver.unarchive(Tree.self, from: data, userInfo: [Self.key: "r"])
    #expect(tree.tags == Array(repeating: "memory/r", count: 6))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).keepsake").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try KeyedArchiver.archive(rootObject: Tree(), toFile: file, userInfo: [Self.key: "file"])
    let read = try KeyedUnarchiver.unarchive(Tree.self, fromFile: file, userInfo: [Self.key: "r"])
    #expect(read.tags == Array(repeating: "file/r", count: 6))
  }

  @Test("super encoders, nested containers and the archiver have the user info")
  func everyCoder() throws {
    let archiver = KeyedArchiver()
    archiver.userInfo = [Self.key: 1, Self.other: [2, 3]]
    func check(_ info: [CodingUserInfoKey: Any]) {
      #expect(info[Self.key] as? Int == 1)
      #expect(info[Self.other] as? [Int] == [2, 3])
      #expect(info.count == 2)
    }
    let value = Writing { encoder in
      check(encoder.userInfo)
      var container = encoder.container(keyedBy: AnyKey.self)
      check(container.superEncoder().userInfo)
      var list = container.nestedUnkeyedContainer(forKey: "list")
      check(list.superEncoder().userInfo)
      try container.encode(Writing { check($0.userInfo) }, forKey: "inner")
    }
    try value.encode(to: archiver)
    try archiver.encode(value, forKey: "value")
    try archiver.encode([value, value], forKey: "values")
    check((archiver as any Encoder).userInfo)
  }
}
