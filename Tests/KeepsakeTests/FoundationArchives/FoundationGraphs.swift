import Foundation
import Keepsake
import TestSupport
import Testing

/// Objects of NSKeyedArchiver archives: shared ones, cycles, subclasses, conditional ones.
@Suite struct FoundationGraphs {
  private func staff() -> OldPerson {
    let boss = OldPerson("Ada", age: 36)
    let first = OldPerson("Ben", age: 20)
    let second = OldPerson("Cyd", age: 21)
    boss.friends = [first, second, first]
    first.best = second
    second.best = first
    first.employer = boss
    boss.best = boss
    return boss
  }

  @Test(arguments: foundationFormats)
  func sharedObjectsCyclesAndConditionalOnes(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let staff = staff()
    let outsider = OldPerson("Eve")
    staff.friends[1].employer = outsider
    let ada = try KeyedUnarchiver.unarchive(NewPerson.self, from: foundationArchive(staff, format: format))
    #expect(ada.name == "Ada" && ada.age == 36 && ada.friends.map(\.name) == ["Ben", "Cyd", "Ben"])
    #expect(ada.friends[0] === ada.friends[2])
    #expect(ada.friends[0].best === ada.friends[1] && ada.friends[1].best === ada.friends[0])
    #expect(ada.best === ada)
    #expect(ada.friends[0].employer === ada)
    // Encoded only conditionally.
    #expect(ada.friends[1].employer == nil)
    ada.best = nil
    ada.friends[0].best = nil
    _ = outsider
  }

  @Test func readAsStructures() throws {
    let data = foundationArchive([OldPerson("Ada", age: 1), OldPerson("Ben", age: 2)] as NSArray)
    let people = try KeyedUnarchiver.unarchive([PersonValue].self, from: data)
    #expect(people == [PersonValue(name: "Ada", age: 1), PersonValue(name: "Ben", age: 2)])
  }

  @Test func readAsModels() throws {
    let ada = try KeyedUnarchiver.unarchive(ModelOfPerson.self, from: foundationArchive(staff()))
    #expect(ada.name == "Ada" && ada.age == 36 && ada.added == "default" && ada.best === ada)
    #expect(ada.friends.map(\.name) == ["Ben", "Cyd", "Ben"] && ada.friends[0] === ada.friends[2])
    ada.best = nil
    ada.friends[0].best = nil
  }

  @Test func severalKeys() throws {
    let shared = OldPerson("Ada", age: 3)
    let data = foundationArchive {
      $0.encode(shared, forKey: "a")
      $0.encode([shared] as NSArray, forKey: "list")
      $0.encode(42, forKey: "count")
      $0.encode(true, forKey: "flag")
      $0.encode(2.5, forKey: "real")
      $0.encode(nil, forKey: "nothing")
      $0.encode("x" as NSString, forKey: "$odd")
    }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(Set(unarchiver.allKeys) == ["a", "list", "count", "flag", "real", "nothing", "$odd"])
    let list = try unarchiver.decode([NewPerson].self, forKey: "list")
    #expect(try unarchiver.decode(NewPerson.self, forKey: "a") === list[0])
    #expect(try unarchiver.decode(Int.self, forKey: "count") == 42)
    #expect(try unarchiver.decode(Bool.self, forKey: "flag"))
    #expect(try unarchiver.decode(Double.self, forKey: "real") == 2.5)
    #expect(try unarchiver.decodeIfPresent(String.self, forKey: "nothing") == nil)
    #expect(try unarchiver.decode(String.self, forKey: "$odd") == "x")
    #expect(unarchiver.containsValue(forKey: "nothing") && !unarchiver.containsValue(forKey: "other"))
    #expect(throws: DecodingError.self) { try unarchiver.decode(Int.self, forKey: "other") }
  }

  @Test func sharedCollections() throws {
    let numbers = NSMutableArray(array: [1, 2, 3])
    let table = ["k": numbers] as NSDictionary
    let data = foundationArchive([numbers, numbers, numbers] as NSArray)
    #expect(try KeyedUnarchiver.unarchive([[Int]].self, from: data) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    let tables = foundationArchive([table, table] as NSArray)
    #expect(
      try KeyedUnarchiver.unarchive([[String: Set<Int>]].self, from: tables).map { $0["k"] } == [
        [1, 2, 3], [1, 2, 3],
      ]
    )
    let bytes = NSMutableData(data: Data(repeating: 7, count: 1_000))
    let blobs = try KeyedUnarchiver.unarchive(
      [Data].self,
      from: foundationArchive([bytes, bytes] as NSArray)
    )
    #expect(blobs == [bytes as Data, bytes as Data])
    let words = NSMutableArray(array: ["a", "b"])
    let texts = try KeyedUnarchiver.unarchive(
      [[String]].self,
      from: foundationArchive([words, words] as NSArray)
    )
    #expect(texts == [["a", "b"], ["a", "b"]])
    let url = NSURL(string: "http://example.org/" + String(repeating: "x", count: 400))
    let urls = try KeyedUnarchiver.unarchive(
      [URL].self,
      from: foundationArchive([url, url].compactMap(\.self) as NSArray)
    )
    #expect(urls.count == 2 && urls[0] == urls[1] && urls[0].absoluteString.count == 419)
  }

  @Test func deepCollections() throws {
    // Foundation compares the values that it archives, which takes too long here.
    let levels = 2_000
    let deep = FoundationPropertyList.archive(
      objects: (1...levels).map { .object("NSArray", ["NS.objects": .array([.reference($0 + 1)])]) } + [
        .integer(7)
      ]
    )
    struct Nest: Decodable {
      var depth: Int

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        if let inner = try? container.decode(Nest.self) {
          depth = inner.depth + 1
        } else {
          depth = try container.decode(Int.self) == 7 ? 0 : -1_000
        }
      }
    }
    #expect(try KeyedUnarchiver.unarchive(Nest.self, from: deep).depth == levels - 1)
  }

  // MARK: Classes

  private func shapes() -> Data {
    let circle = OldCircle()
    circle.title = "round"
    circle.radius = 2
    let plain = OldShape()
    plain.title = "plain"
    return foundationArchive([plain, circle, circle] as NSArray)
  }

  @Test func subclassesByTheirAliases() throws {
    let shapes = try KeyedUnarchiver.unarchive([NewShape].self, from: shapes())
    #expect(shapes.map(\.title) == ["plain", "round", "round"])
    #expect(type(of: shapes[0]) == NewShape.self && (shapes[1] as? NewCircle)?.radius == 2)
    #expect(shapes[1] === shapes[2])
  }

  @Test func subclassesByTheirMapping() throws {
    let archive = FoundationPropertyList.archive(objects: [
      .instance(
        ["_TtC8OtherApp4Disc", "_TtC8OtherApp4Form", "NSObject"],
        [("title", .reference(2)), ("radius", .real(3))]
      ),
      .string("mapped"),
    ])
    for name in ["_TtC8OtherApp4Disc", "OtherApp.Disc"] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
      unarchiver.setClass(NewCircle.self, forClassName: name)
      let shape = try unarchiver.decode(NewShape.self, forKey: "root")
      #expect((shape as? NewCircle)?.radius == 3 && shape.title == "mapped")
    }
    // Without a mapping, it is not decoded as its superclass, which would lose its own properties.
    let failure = try failure { try KeyedUnarchiver.unarchive(NewShape.self, from: archive) }
    #expect(failure.code == .unresolvableClass)
  }

  @Test func classesMayHaveBeenRenamed() throws {
    let archive = FoundationPropertyList.archive(objects: [
      .object("ABCPerson", ["name": .reference(2), "age": .integer(5)]), .string("Ada"),
    ])
    #expect(
      try KeyedUnarchiver.unarchive(PersonValue.self, from: archive) == PersonValue(name: "Ada", age: 5)
    )
  }

  private final class Stamp: Codable, EqualByIdentity { let name: String }

  @Test("an object that a list names twice stays one, as does one that is both key and value")
  func sharedElsewhere() throws {
    let data = FoundationPropertyList.archive(
      objects: [
        .object("Stamp", ["name": .string("a")]),
        .object("NSDictionary", ["NS.keys": .array([.reference(3)]), "NS.objects": .array([.reference(3)])]),
        .object("Stamp", ["name": .string("b")]),
      ],
      top: [("list", .array([.reference(1), .reference(1)])), ("own", .reference(2))]
    )
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let list = try unarchiver.decode([Stamp].self, forKey: "list")
    #expect(list.count == 2 && list[0] === list[1] && list[0].name == "a")
    let own = try unarchiver.decode([Stamp: Stamp].self, forKey: "own")
    #expect(own.count == 1 && own.allSatisfy { $0 === $1 && $0.name == "b" })
  }

  @Test func manglingIsTakenOff() throws {
    let names = [
      "_TtC5MyApp4Note": "MyApp.Note", "_TtCC5MyApp5Outer5Inner": "MyApp.Outer.Inner",
      "MyApp.Note": "MyApp.Note",
      "NSThing": "NSThing", "_TtC5MyApp40Note": "_TtC5MyApp40Note",
      "_TtGC5MyApp3BoxSi_": "_TtGC5MyApp3BoxSi_",
      "_Tt": "_Tt", "_TtC": "_TtC", "_TtC5MyApp": "_TtC5MyApp", "_TtC5MyApp0": "_TtC5MyApp0",
    ]
    for (name, expected) in names {
      let archive = FoundationPropertyList.archive(objects: [.instance([name, "Base", "NSObject"], [])])
      var asked: [String] = []
      let witness = NameWitness { asked.append($0) }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
      unarchiver.delegate = witness
      _ = try? unarchiver.decode(NewShape.self, forKey: "root")
      #expect(asked == [expected])
    }
  }
}

private final class NameWitness: KeyedUnarchiverDelegate {
  private let ask: (String) -> Void

  init(_ ask: @escaping (String) -> Void) {
    self.ask = ask
  }

  func unarchiver(
    _ unarchiver: KeyedUnarchiver,
    cannotDecodeObjectOfClassName name: String,
    originalClasses classNames: [String]
  ) -> AnyClass? {
    ask(name)
    return nil
  }
}
