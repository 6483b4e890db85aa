import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Models read by a class with other properties: other versions of the program, and mistakes.
@Suite struct ModelsOverTime {
  @Test("properties that were added later have their defaults")
  func added() throws {
    let old = PersonOne()
    old.name = "Ada"
    let back = try transcode(old, to: PersonTwo.self)
    #expect(
      back.name == "Ada" && back.age == 18 && back.tags == ["new"] && back.partner == nil && back.rank == 3
    )
    let json = try JSONDecoder().decode(PersonTwo.self, from: JSONEncoder().encode(old))
    #expect(json.name == "Ada" && json.age == 18 && json.rank == 3)
  }

  @Test("removed properties are ignored")
  func removed() throws {
    let new = PersonTwo()
    new.name = "Grace"
    new.partner = PersonTwo()
    new.tags = ["a", "b"]
    #expect(try transcode(new, to: PersonOne.self).name == "Grace")
  }

  @Test("the order of the properties does not matter")
  func reordered() throws {
    let one = Ordered()
    one.first = 1
    one.second = "2"
    one.third = 3
    let back = try transcode(one, to: Reordered.self)
    #expect(back.first == 1 && back.second == "2" && back.third == 3)
  }

  @Test("nil for a property that is not optional leaves the default")
  func nilForScalars() throws {
    let json = Data(#"{"name":null,"age":null,"tags":null,"partner":null,"rank":null}"#.utf8)
    let back = try JSONDecoder().decode(PersonTwo.self, from: json)
    #expect(
      back.name == "" && back.age == 18 && back.tags == ["new"] && back.partner == nil && back.rank == nil
    )
    let loose = Loose()
    #expect(loose.age == nil)
    let strict = try transcode(loose, to: Strict.self)
    #expect(strict.age == 7 && strict.name == "unnamed" && strict.child.name == "" && strict.last == 9)
  }

  @Test("a value that encodes itself as nil comes back")
  func ownNil() throws {
    let holder = LooseJSON()
    holder.value = .null
    #expect(try roundTrip(holder).value == .null)
    #expect(try jsonRoundTrip(holder).value == .null)
    holder.value = .int(3)
    #expect(try roundTrip(holder).value == .int(3))
  }

  @Test("a value of another type is an error with its path, not a default")
  func mismatch() throws {
    let old = Ordered()
    old.second = "no number"
    let found = try failure { try transcode(["k": [old]], to: [String: [OtherTypes]].self) }
    #expect(found.kind == .typeMismatch && found.path == "k/[0]/second")
    let inJSON = try failure {
      try JSONDecoder().decode(OtherTypes.self, from: Data(#"{"first":1,"second":"x"}"#.utf8))
    }
    #expect(inJSON.kind == .typeMismatch && inJSON.path == "second")
    // A wrong type inside a value is not nil either.
    let inside = try failure {
      try JSONDecoder().decode(Nested.self, from: Data(#"{"inner":{"first":"x"}}"#.utf8))
    }
    #expect(inside.path == "inner/first")
  }

  @Test("reading a model from an unkeyed container or a scalar is an error")
  func noContainer() throws {
    #expect(try failure { try transcode([1, 2], to: PersonOne.self) }.kind == .typeMismatch)
    #expect(
      try failure { try JSONDecoder().decode(PersonOne.self, from: Data("3".utf8)) }.kind == .typeMismatch
    )
  }

  @Test("the keys of archivedKeys are the keys of the archive")
  func givenKeys() throws {
    let renamed = Renamed()
    renamed.title = "title"
    renamed.partner = "partner"
    let back = try roundTrip(renamed)
    #expect(back.title == "title" && back.partner == "partner")
    #expect(try transcode(renamed, to: [String: String?].self) == ["name": "title", "mate": "partner"])
    #expect(try transcode(renamed, to: PersonOne.self).name == "title")
  }

  @Test("private properties with one name in several classes of a hierarchy come back")
  func collisions() throws {
    let leaf = Leaf()
    leaf.setAll("base", "middle", "leaf")
    for back in [try roundTrip(leaf), try jsonRoundTrip(leaf), try plistRoundTrip(leaf)] {
      #expect(back.all == ["base", "middle", "leaf"])
    }
    let names = try transcode(leaf, to: [String: String].self)
    #expect(names == ["secret": "base", "Middle.secret": "middle", "Leaf.secret": "leaf"])
    // The key of a base class does not depend on the subclass.
    #expect(try transcode(leaf, to: Root.self).rootSecret == "base")
  }

  @Test("properties with one name are found by the declared names of a renamed class")
  func collisionsInRenamedClass() throws {
    let leaf = Leaf()
    leaf.setAll("base", "middle", "leaf")
    let archive = try ArchiveEncoder().encode(leaf)
    let json = try JSONEncoder().encode(leaf)
    for back in [
      try ArchiveDecoder().decode(RenamedLeaf.self, from: archive),
      try JSONDecoder().decode(RenamedLeaf.self, from: json),
    ] {
      #expect(back.all == ["base", "middle", "leaf"])
      // Encoded again, the values have the current keys.
      #expect(try roundTrip(back).all == ["base", "middle", "leaf"])
      #expect(try transcode(back, to: [String: String].self)["RenamedLeaf.secret"] == "leaf")
    }
  }

  @Test("two properties with one key are refused in both directions")
  func doubleKeys() throws {
    for found in [
      try failure { try ArchiveEncoder().encode(["k": DoubleKey()]) },
      try failure { try transcode(["k": Ordered()], to: [String: DoubleKey].self) },
      try failure { try ArchiveEncoder().encode(["k": TakenKey()]) },
    ] {
      #expect(found.code == .misuse && found.description.contains("\"first\""))
    }
  }

  @Test("a model with a custom mirror is archived")
  func customReflection() throws {
    let hidden = Hidden()
    hidden.first = 5
    #expect(try roundTrip(hidden).first == 5)
    #expect(try jsonRoundTrip(hidden).first == 5)
  }

  @Test("JSON is one object with the names of the properties, nil included")
  func json() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(PersonTwo()), as: UTF8.self)
    #expect(text == #"{"age":18,"name":"","partner":null,"rank":3,"tags":["new"]}"#)
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let snake = Snake()
    snake.longName = "long"
    let data = try encoder.encode(snake)
    #expect(String(decoding: data, as: UTF8.self) == #"{"long_name":"long"}"#)
    #expect(try decoder.decode(Snake.self, from: data).longName == "long")
  }

  @Test("a model reads the archive of a plain class, and the other way round")
  func plainClasses() throws {
    final class Plain: Codable {
      var name = "plain"
      var age = 30
    }
    let model = try transcode(Plain(), to: PersonTwo.self)
    #expect(model.name == "plain" && model.age == 30 && model.rank == 3)
    model.age = 31
    let plain = try transcode(model, to: Plain.self)
    #expect(plain.name == "plain" && plain.age == 31)
  }
}

// MARK: - Models

private class PersonOne: ArchivedModel {
  var name = ""
}

private final class PersonTwo: ArchivedModel {
  var age = 18
  var tags = ["new"]
  var partner: PersonTwo?
  var name = ""
  var rank: Int? = 3
}

private final class Ordered: ArchivedModel {
  var first = 0
  var second = ""
  var third = 0
}

private final class Reordered: ArchivedModel {
  var third = 0
  var first = 0
  var second = ""
}

private final class OtherTypes: ArchivedModel {
  var first = 0
  var second = 0
}

private final class Nested: ArchivedModel {
  var inner = Ordered()
}

private final class Loose: ArchivedModel {
  var age: Int?
  var name: String?
  var child: PersonOne?
  var last = 9
}

private final class Strict: ArchivedModel {
  var age = 7
  var name = "unnamed"
  var child = PersonOne()
  var last = 0
}

private final class LooseJSON: ArchivedModel {
  var value = AnyValue.int(1)
}

private final class Renamed: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["title": "name", "partner": "mate"] }

  var title = ""
  var partner: String?
}

private class Root: ArchivedModel {
  private var secret = ""

  var rootSecret: String {
    get { secret }
    set { secret = newValue }
  }
}

private class Middle: Root {
  private var secret = ""

  var middleSecret: String {
    get { secret }
    set { secret = newValue }
  }
}

private class RenamedMiddle: Root, ArchivableClass {
  class var archivedClassName: String { "Models.Middle" }
  class var archivedClassAliases: [String] { [] }
  private var secret = ""

  var renamedSecret: String { secret }
}

private final class RenamedLeaf: RenamedMiddle {
  override static var archivedClassName: String { "RenamedLeaf" }
  override static var archivedClassAliases: [String] { ["Leaf"] }
  private var secret = ""

  var all: [String] { [rootSecret, renamedSecret, secret] }
}

private final class Leaf: Middle {
  private var secret = ""

  var all: [String] { [rootSecret, middleSecret, secret] }

  func setAll(_ root: String, _ middle: String, _ leaf: String) {
    rootSecret = root
    middleSecret = middle
    secret = leaf
  }
}

private final class DoubleKey: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["one": "first", "two": "first"] }

  var one = 1
  var two = 2
}

private class TakenBase: ArchivedModel {
  var first = 1
}

private final class TakenKey: TakenBase {
  override class var archivedKeys: [String: String?] { ["second": "first"] }

  var second = 2
}

private final class Hidden: ArchivedModel, CustomReflectable {
  var first = 1

  var customMirror: Mirror { Mirror(self, children: []) }
}

private final class Snake: ArchivedModel {
  var longName = ""
}
