import Foundation
import Keepsake
import TestSupport
import Testing

/// Classes that a program sets for names: which ones are decoded, and when they apply.
@Suite struct ClassesForNames {
  @Test("with the policy registeredOnly, only registered and declared classes are decoded")
  func registeredOnly() throws {
    let data = try ArchiveEncoder().encode([MappedSix(), MappedBase()] as [MappedBase])
    var decoder = ArchiveDecoder()
    decoder.classPolicy = .registeredOnly
    let found = try failure { try decoder.decode([MappedBase].self, from: data) }
    #expect(found.code == .unresolvableClass && found.path == "[0]" && found.description.contains("setClass"))
    #expect(
      try failure {
        try KeyedUnarchiver.unarchive([MappedBase].self, from: data, classPolicy: .registeredOnly)
      }.code == .unresolvableClass
    )
    let plain = try ArchiveEncoder().encode([MappedBase()])
    #expect(try decoder.decode([MappedBase].self, from: plain).count == 1)

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.classPolicy = .registeredOnly
    #expect(
      try failure { try unarchiver.decode([MappedBase].self, forKey: "root") }.code == .unresolvableClass
    )
    unarchiver.setClass(MappedSix.self, forClassName: "GraphTests.MappedSix")
    #expect(try unarchiver.decode([MappedBase].self, forKey: "root")[0] is MappedSix)
    #expect(try ArchiveDecoder().decode([MappedBase].self, from: data)[0] is MappedSix)
  }

  @Test("with the policy registeredOnly, collections need no registration, but their elements do")
  func registeredElements() throws {
    let data = try ArchiveEncoder().encode(Polymorphic<Any>(["a": [1, Any?.none as Any]] as [String: Any]))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.classPolicy = .registeredOnly
    let found = try failure { try unarchiver.decode(Polymorphic<Any>.self, forKey: "root") }
    #expect(found.code == .unresolvableClass && found.description.contains("Swift.Int,"))
    unarchiver.setClass(Int.self, forClassName: "Swift.Int")
    let back = try unarchiver.decode(Polymorphic<Any>.self, forKey: "root").wrappedValue as? [String: [Any]]
    #expect(back?["a"]?.first as? Int == 1 && back?["a"]?.count == 2)
  }

  @Test("a changed class applies from the next decode on")
  func changedMeanwhile() throws {
    let archiver = KeyedArchiver()
    for key in ["a", "b", "c"] { try archiver.encode([MappedSix()] as [MappedBase], forKey: key) }
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(try unarchiver.decode([MappedBase].self, forKey: "a")[0] is MappedSix)
    unarchiver.setClass(MappedFive.self, forClassName: "GraphTests.MappedSix")
    #expect(try unarchiver.decode([MappedBase].self, forKey: "b")[0] is MappedFive)
    unarchiver.setClass(nil, forClassName: "GraphTests.MappedSix")
    unarchiver.classPolicy = .registeredOnly
    #expect(throws: DecodingError.self) { try unarchiver.decode([MappedBase].self, forKey: "c") }
  }

  @Test(
    "a class that is no subclass is refused before any initializer runs",
    arguments: ["own", "process", "name"]
  )
  func checkedFirst(way: String) throws {
    let archiver = KeyedArchiver()
    // The name of a class of this program that is unrelated to the declared one.
    let name = way == "name" ? "GraphTests.MappedTrap" : "Mapped.Trap.\(way)"
    archiver.setClassName(name, for: MappedOne.self)
    try archiver.encode(["x": [MappedOne()]] as [String: [MappedBase]], forKey: "list")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let runs = TrapRuns()
    unarchiver.userInfo[.named("runs")] = runs
    if way == "own" { unarchiver.setClass(MappedTrap.self, forClassName: name) }
    if way == "process" { KeyedUnarchiver.setClass(MappedTrap.self, forClassName: name) }
    defer { if way == "process" { KeyedUnarchiver.setClass(nil, forClassName: name) } }
    let found = try failure { try unarchiver.decode([String: [MappedBase]].self, forKey: "list") }
    #expect(found.kind == .typeMismatch && found.path == "list/x/[0]")
    #expect(found.description.contains("MappedTrap") && found.description.contains("MappedBase"))
    #expect(runs.count == 0)
    // Nor is a superclass of the declared class a subclass.
    unarchiver.setClass(MappedBase.self, forClassName: name)
    #expect(throws: DecodingError.self) { try unarchiver.decode([String: [MappedOne]].self, forKey: "list") }
    #expect(try unarchiver.decode([String: [MappedBase]].self, forKey: "list")["x"]?.count == 1)
  }

  @Test("a type that is mapped and is not a class is an error")
  func notDecodable() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Odd", for: MappedOne.self)
    try archiver.encode([MappedOne()] as [MappedBase], forKey: "list")
    for odd in [Int.self, [MappedOne].self, String?.self] as [any Decodable.Type] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      unarchiver.setClass(odd, forClassName: "Mapped.Odd")
      #expect(try failure { try unarchiver.decode([MappedBase].self, forKey: "list") }.kind == .typeMismatch)
    }
  }

  @Test("a class that an initializer sets applies to the next object")
  func whileDecoding() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Mapped.Late", for: MappedOne.self)
    try archiver.encode(MappingNest(depth: 20), forKey: "nest")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.userInfo[.named("mapping")] = ClassMapping { [weak unarchiver] in
      unarchiver?.setClass(MappedOne.self, forClassName: "Mapped.Late")
    }
    var nest: MappingNest? = try unarchiver.decode(MappingNest.self, forKey: "nest")
    var count = 0
    while let next = nest {
      #expect(next.list.count == 1 && next.list[0] is MappedOne)
      (nest, count) = (next.inner.first, count + 1)
    }
    #expect(count == 20)
  }

  @Test("many threads set classes for names at once")
  func threads() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let name = "Mapped.Thread.\(number).\(round % 3)"
            KeyedUnarchiver.setClass(MappedOne.self, forClassName: name)
            guard KeyedUnarchiver.class(forClassName: name) == MappedOne.self else { return false }
            KeyedUnarchiver.setClass(nil, forClassName: name)
          }
          return true
        }
      }
      for await result in group { #expect(result) }
    }
  }
}

private struct ClassMapping {
  let set: () -> Void
}

/// Sets a class before and after it decodes an object of its own class.
private final class MappingNest: Codable {
  let inner: [MappingNest]
  let list: [MappedBase]

  init(depth: Int) {
    inner = depth > 1 ? [MappingNest(depth: depth - 1)] : []
    list = [MappedOne()]
  }

  init(from decoder: any Decoder) throws {
    let mapping = decoder.userInfo[.named("mapping")] as? ClassMapping
    let container = try decoder.container(keyedBy: CodingKeys.self)
    mapping?.set()
    inner = try container.decode([MappingNest].self, forKey: .inner)
    mapping?.set()
    list = try container.decode([MappedBase].self, forKey: .list)
  }
}

private final class TrapRuns {
  var count = 0
}

final class MappedTrap: Codable {
  init(from decoder: any Decoder) throws {
    (decoder.userInfo[.named("runs")] as? TrapRuns)?.count += 1
  }
}
