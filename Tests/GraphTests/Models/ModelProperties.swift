import Foundation
import Keepsake
import TestSupport
import Testing

/// Subclasses of the model class are archived without their own coding code.
@Suite struct ModelsAndTheirProperties {
  @Test("the properties of three classes in a hierarchy come back")
  func inheritance() throws {
    let admin = Owner()
    admin.name = "Ada"
    admin.level = 7
    admin.rooms = ["north", "south"]
    let back = try roundTrip(admin)
    #expect(back.name == "Ada" && back.level == 7 && back.rooms == ["north", "south"])
    let member = try roundTrip(Member())
    #expect(member.name == "" && member.nickname == nil)
  }

  @Test("a class without own properties and one without any come back")
  func empty() throws {
    let guest = Guest()
    guest.name = "Grace"
    #expect(try roundTrip(guest).name == "Grace")
    _ = try roundTrip(Hollow())
    _ = try JSONDecoder().decode(Hollow.self, from: Data("{}".utf8))
  }

  @Test("every scalar comes back, up to its extremes")
  func scalars() throws {
    let scalars = Scalars()
    scalars.int = .min
    scalars.int8 = .min
    scalars.int16 = .min
    scalars.int32 = .min
    scalars.int64 = .min
    scalars.int128 = .min
    scalars.uint = .max
    scalars.uint8 = .max
    scalars.uint16 = .max
    scalars.uint32 = .max
    scalars.uint64 = .max
    scalars.uint128 = .max
    scalars.float = .leastNonzeroMagnitude
    scalars.double = -0.1
    scalars.bool = true
    scalars.string = "ein Wörtchen 🌍"
    let back = try roundTrip(scalars)
    #expect(back.int == .min && back.int8 == .min && back.int16 == .min && back.int32 == .min)
    #expect(back.int64 == .min && back.int128 == .min)
    #expect(back.uint == .max && back.uint8 == .max && back.uint16 == .max && back.uint32 == .max)
    #expect(back.uint64 == .max && back.uint128 == .max)
    #expect(back.float == .leastNonzeroMagnitude && back.double == -0.1)
    #expect(back.bool && back.string == "ein Wörtchen 🌍")
  }

  @Test("values of many types come back")
  func values() throws {
    let values = Values()
    values.date = Date(timeIntervalSinceReferenceDate: 1.5)
    values.data = Data([1, 2, 3])
    values.url = URL(string: "https://example.org/a")
    values.mood = .wild
    values.shape = .circle(radius: 2)
    values.point = Point(x: 1, y: 2)
    values.points = [Point(x: 3, y: 4), Point(x: 5, y: 6)]
    values.named = ["a": Point(x: 7, y: 8)]
    values.numbers = [1, 2, 300]
    values.set = [4, 5]
    for back in [try roundTrip(values), try jsonRoundTrip(values), try plistRoundTrip(values)] {
      #expect(back.date == values.date && back.data == values.data && back.url == values.url)
      #expect(back.mood == .wild && back.shape == .circle(radius: 2) && back.point == values.point)
      #expect(back.points == values.points && back.named == values.named)
      #expect(back.numbers == values.numbers && back.set == values.set)
    }
  }

  @Test("optionals come back, also nil where the default is a value")
  func optionals() throws {
    let options = Options()
    options.empty = 1
    options.full = nil
    options.child = Guest()
    options.child?.name = "child"
    for back in [try roundTrip(options), try jsonRoundTrip(options), try plistRoundTrip(options)] {
      #expect(back.empty == 1 && back.full == nil && back.child?.name == "child" && back.text == nil)
    }
    let fresh = try roundTrip(Options())
    #expect(fresh.empty == nil && fresh.full == 5 && fresh.child == nil)
  }

  @Test("an optional of an optional keeps its levels")
  func nestedOptionals() throws {
    let options = Options()
    options.deep = .some(nil)
    #expect(try roundTrip(options).deep == .some(nil))
    options.deep = .some(3)
    #expect(try roundTrip(options).deep == .some(3))
    options.deep = nil
    #expect(try roundTrip(options).deep == nil as Int??)
  }

  @Test("arrays and dictionaries of models keep shared instances")
  func collections() throws {
    let group = Group()
    let one = Guest()
    one.name = "one"
    let two = Guest()
    two.name = "two"
    group.members = [one, two, one]
    group.byRole = ["first": one, "second": two]
    group.leader = two
    let back = try roundTrip(group)
    #expect(back.members.map(\.name) == ["one", "two", "one"])
    #expect(back.members[0] === back.members[2] && back.members[0] === back.byRole["first"])
    #expect(back.leader === back.members[1] && back.leader === back.byRole["second"])
    let json = try jsonRoundTrip(group)
    #expect(json.members.map(\.name) == ["one", "two", "one"] && json.leader?.name == "two")
    #expect(json.byRole.mapValues(\.name) == ["first": "one", "second": "two"])
  }

  @Test("generic models come back")
  func generic() throws {
    let box = Crate<[String]>()
    box.content = ["a", "b"]
    box.label = "words"
    let back = try roundTrip(box)
    #expect(back.content == ["a", "b"] && back.label == "words")
    let numbers = Crate<Int>()
    numbers.content = 4
    #expect(try roundTrip(numbers).content == 4)
    let special = IntCrate()
    special.content = 3
    special.weight = 2
    let specialBack = try roundTrip(special)
    #expect(specialBack.content == 3 && specialBack.weight == 2)
  }

  @Test("models come back as properties of structures")
  func inOtherTypes() throws {
    struct Letter: Codable { var from: Guest, to: [Guest?] }
    let guest = Guest()
    guest.name = "writer"
    for back in [
      try roundTrip(Letter(from: guest, to: [guest, nil])),
      try jsonRoundTrip(Letter(from: guest, to: [guest, nil])),
    ] {
      #expect(
        back.from.name == "writer" && back.to.count == 2 && back.to[0]?.name == "writer" && back.to[1] == nil
      )
    }
    let letter = try roundTrip(Letter(from: guest, to: [guest]))
    #expect(letter.from === letter.to[0])
  }

  @Test("omitted and lazy properties keep their defaults")
  func plainProperties() throws {
    let mixed = Mixed()
    mixed.kept = 1
    mixed.forgotten = 2
    mixed.alsoKept = 3
    mixed.lazily = "set"
    let back = try roundTrip(mixed)
    #expect(back.kept == 1 && back.forgotten == 0 && back.alsoKept == 3 && back.double == 2)
    #expect(back.lazily == "lazily")
  }

  @Test("observers run for assignments of the program, not while decoding")
  func observers() throws {
    let observed = Observed()
    observed.value = 1
    observed.value = 2
    #expect(observed.seen == [0, 1])
    let back = try roundTrip(observed)
    #expect(back.value == 2 && back.seen == [])
    back.value = 3
    #expect(back.seen == [2])
  }

  @Test("a subclass may do more in its initializers")
  func customInitializers() throws {
    let counted = Counted(start: 5)
    counted.note = "noted"
    let back = try roundTrip(counted)
    #expect(back.start == 5 && back.note == "noted" && back.wasDecoded && !counted.wasDecoded)
  }

  @Test("instances of a class do not share values")
  func separate() throws {
    let one = Guest()
    let two = Guest()
    one.name = "one"
    #expect(two.name == "")
    let copy = try KeyedArchiver.copy(of: one)
    copy.name = "copy"
    #expect(one.name == "one")
  }

  @Test("models are records, whose keys are written once")
  func records() throws {
    let members = (0..<1000).map { number in
      let member = Owner()
      member.level = number
      return member
    }
    let data = try ArchiveEncoder().encode(members)
    let count = String(decoding: data, as: UTF8.self).components(separatedBy: "nickname").count - 1
    #expect(count == 1)
    #expect(data.count < 16_000)
    #expect(try ArchiveDecoder().decode([Owner].self, from: data).map(\.level) == Array(0..<1000))
  }

  @Test("many threads use the same model classes for the first time")
  func manyThreads() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<32 {
        group.addTask {
          let first = First<Second<Int>>()
          first.value = number
          return try roundTrip(first).value - number
        }
      }
      for try await difference in group { #expect(difference == 0) }
    }
  }
}

func jsonRoundTrip<T: Codable>(_ value: T) throws -> T {
  try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
}

func plistRoundTrip<T: Codable>(_ value: T) throws -> T {
  try PropertyListDecoder().decode(T.self, from: PropertyListEncoder().encode(value))
}

// MARK: - Models

private class Member: ArchivedModel {
  var name = ""
  var nickname: String?
}

private class Admin: Member {
  var level = 1
}

private final class Owner: Admin {
  var rooms: [String] = []
}

private final class Guest: Member {}

private final class Hollow: ArchivedModel {}

private final class Scalars: ArchivedModel {
  var int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var int128: Int128 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var uint128: UInt128 = 0
  var float: Float = 0
  var double = 0.0
  var bool = false
  var string = ""
}

private struct Point: Codable, Equatable {
  var x = 0.0
  var y = 0.0
}

private enum Mood: String, Codable {
  case calm, wild
}

private enum Shape: Codable, Equatable {
  case square
  case circle(radius: Double)
}

private final class Values: ArchivedModel {
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var url: URL?
  var mood = Mood.calm
  var shape = Shape.square
  var point = Point()
  var points: [Point] = []
  var named: [String: Point] = [:]
  var numbers: [Int] = []
  var set: Set<Int> = []
}

private final class Options: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["text": "words"] }

  var empty: Int?
  var full: Int? = 5
  var child: Guest?
  var text: String?
  var deep: Int??
}

private final class Group: ArchivedModel {
  var members: [Guest] = []
  var byRole: [String: Guest] = [:]
  var leader: Guest?
}

private class Crate<Content: Codable & ExpressibleByDefault>: ArchivedModel {
  var content = Content()
  var label = ""
}

private protocol ExpressibleByDefault {
  init()
}

extension Array: ExpressibleByDefault {}
extension Int: ExpressibleByDefault {}

private final class IntCrate: Crate<Int> {
  var weight = 0
}

private final class Mixed: ArchivedModel {
  override class var archivedKeys: [String: String?] { ["forgotten": nil] }

  var kept = 0
  var forgotten = 0
  var alsoKept = 0
  let constant = "constant"
  lazy var lazily = "lazily"
  var double: Int { kept * 2 }
}

private final class Observed: ArchivedModel {
  var value = 0 {
    didSet { seen.append(oldValue) }
  }
  var seen: [Int] = []

  override class var archivedKeys: [String: String?] { ["seen": nil] }
}

private final class Counted: ArchivedModel {
  var start = -1
  var note = ""
  var wasDecoded = false

  init(start: Int) {
    self.start = start
    super.init()
  }

  required init() {
    start = 0
    super.init()
  }

  required init(from decoder: any Decoder) throws {
    start = -2
    try super.init(from: decoder)
    wasDecoded = true
  }
}

private final class Second<Value> {}

private final class First<Parameter>: ArchivedModel {
  var value = 0
}
