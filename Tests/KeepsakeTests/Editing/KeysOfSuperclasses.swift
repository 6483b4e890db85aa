import Keepsake
import TestSupport
import Testing

private class Base: Codable, ArchivableClass {
  class var archivedClassName: String { "KeysOfSuperclasses.Base" }
  var name = "base"

  init() {}
}

/// One of its keys is also in its superclass, so its superclass gets a container of its own.
private class Middle: Base {
  override class var archivedClassName: String { "KeysOfSuperclasses.Middle" }
  var own = "middle"

  enum CodingKeys: String, CodingKey { case own = "name" }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    own = try container.decode(String.self, forKey: .own)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(own, forKey: .own)
    try super.encode(to: container.superEncoder())
  }
}

/// Its keys are beside those of its superclass.
private final class Leaf: Middle {
  override class var archivedClassName: String { "KeysOfSuperclasses.Leaf" }
  var leaves = 3

  private enum CodingKeys: CodingKey { case leaves }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    leaves = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .leaves)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(leaves, forKey: .leaves)
  }
}

private class Ring: Codable, ArchivableClass {
  class var archivedClassName: String { "KeysOfSuperclasses.Ring" }
  var next: Ring?
  var last: Ring?
}

private final class InnerRing: Ring {
  override class var archivedClassName: String { "KeysOfSuperclasses.InnerRing" }
}

/// Edits of keys that a class and its superclass share.
@Suite struct KeysOfSuperclasses {
  private func keys(_ change: (inout ArchiveEditor) -> Void) throws -> [String] {
    let objects = [Base(), Middle(), Leaf()]
    var editor = try ArchiveEditor(forReadingFrom: ArchiveEncoder().encode(objects))
    change(&editor)
    let root = try ArchiveValue(forReadingFrom: editor.encodedData)["root"]
    return try objects.indices.flatMap { index in
      let object = try root?[index]
      let inner = try object?["super"]?.keys.map { "super.\($0)" } ?? []
      return try ["\(index):"] + (object?.keys.filter { $0 != "super" } ?? []) + inner
    }
  }

  @Test("a change in a class does not affect the container of its superclass")
  func keysOfTheSubclass() throws {
    // The archive does not tell which of its containers a leaf shares with its superclass.
    let renamed = try keys {
      $0.renameKey("name", to: "title", inObjectsOfClass: Middle.archivedClassName)
    }
    #expect(renamed.starts(with: ["0:", "name", "1:", "title", "super.name", "2:", "title", "leaves"]))
    let removed = try keys { $0.removeKey("name", inObjectsOfClass: Middle.archivedClassName) }
    #expect(removed.starts(with: ["0:", "name", "1:", "super.name", "2:", "leaves"]))
  }

  @Test("a change in a superclass affects its container in subclasses")
  func keysOfTheSuperclass() throws {
    let renamed = try keys { $0.renameKey("name", to: "title", inObjectsOfClass: Base.archivedClassName) }
    #expect(
      renamed == ["0:", "title", "1:", "name", "super.title", "2:", "name", "leaves", "super.title"]
    )
  }

  @Test("keys of a class are found beside those of its superclass if the base class has its own container")
  func keysBesideThoseOfASubclass() throws {
    let renamed = try keys { $0.renameKey("leaves", to: "needles", inObjectsOfClass: Leaf.archivedClassName) }
    #expect(
      renamed == ["0:", "name", "1:", "name", "super.name", "2:", "name", "needles", "super.name"]
    )
  }

  @Test("a class inherits read-last keys unless a change renames them in it")
  func keysThatAreReadLast() throws {
    let rings = [Ring(), InnerRing()]
    for ring in rings { (ring.next, ring.last) = (ring, ring) }
    defer { for ring in rings { (ring.next, ring.last) = (nil, nil) } }
    let data = try ArchiveEncoder().encode(rings)
    func keys(_ change: (inout ArchiveEditor) -> Void) throws -> [String: [String]] {
      var editor = try ArchiveEditor(forReadingFrom: data)
      change(&editor)
      let classes = try ArchiveImage(data: editor.encodedData, verification: .everything).classes
      return classes.reduce(into: [:]) { $0[String($1.name.dropFirst(19))] = $1.keysReadLast }
    }
    #expect(try keys { _ in } == ["Ring": ["next", "last"], "InnerRing": []])
    let ring = "KeysOfSuperclasses.Ring"
    let renamed = try keys { $0.renameKey("next", to: "after", inObjectsOfClass: ring) }
    #expect(renamed == ["Ring": ["after", "last"], "InnerRing": []])
    let renamedInner = try keys {
      $0.renameKey("next", to: "after", inObjectsOfClass: "KeysOfSuperclasses.InnerRing")
    }
    #expect(renamedInner == ["Ring": ["next", "last"], "InnerRing": ["after"]])
    let removed = try keys { $0.removeKey("next", inObjectsOfClass: ring) }
    #expect(removed == ["Ring": ["last"], "InnerRing": []])
  }
}
