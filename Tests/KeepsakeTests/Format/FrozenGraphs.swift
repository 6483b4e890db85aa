import Foundation
import Keepsake
import TestSupport
import Testing

/// Archives of version 1 with graphs, frozen in Fixtures/Version1/Graphs. Every later version of the library must read
/// them.
///
/// The files are never rewritten. This command adds the files of new samples, and leaves the others:
///
///     KEEPSAKE_FREEZE=Tests/TestSupport/Fixtures/Version1 swift test --filter FrozenGraphs
@Suite struct FrozenGraphs {
  static let folder = FrozenSamples.folder.appendingPathComponent("Graphs")
  private static let freezingFolder = ProcessInfo.processInfo.environment["KEEPSAKE_FREEZE"]

  static func data(_ graph: FrozenGraph) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent("\(graph).keepsake"))
  }

  @Test("missing graphs are frozen", .enabled(if: freezingFolder != nil), arguments: FrozenGraph.allCases)
  func freeze(graph: FrozenGraph) throws {
    let folder = URL(fileURLWithPath: try #require(Self.freezingFolder)).appendingPathComponent("Graphs")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("\(graph).keepsake")
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    try graph.archive().write(to: file, options: .withoutOverwriting)
  }

  @Test("every file is a graph, and every graph has a file", .enabled(if: freezingFolder == nil))
  func noneForgotten() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let expected = FrozenGraph.allCases.map { "\($0).keepsake" }
    #expect(files.filter { $0.hasSuffix(".keepsake") }.sorted() == expected.sorted())
  }

  @Test(
    "each graph reads as it was written, with each verification",
    .enabled(if: freezingFolder == nil),
    arguments: FrozenGraph.allCases
  )
  func holds(graph: FrozenGraph) throws {
    let data = try Self.data(graph)
    for verification in [ArchiveVerification.everything, .onDemand, .disabled] {
      try graph.check(KeyedUnarchiver(forReadingFrom: data, verification: verification))
    }
  }

  @Test("graphs that are written today have the same contents", arguments: FrozenGraph.allCases)
  func writtenToday(graph: FrozenGraph) throws {
    let data = try graph.archive()
    try graph.check(KeyedUnarchiver(forReadingFrom: data, verification: .everything))
    #expect(data.prefix(10) == Data([0x89, 0x4B, 0x45, 0x45, 0x50, 0x0D, 0x0A, 0x1A, 1, 0]))
  }

  @Test("no file contains the name of the module", .enabled(if: freezingFolder == nil))
  func names() throws {
    for graph in FrozenGraph.allCases {
      let data = try Self.data(graph)
      #expect(data.range(of: Data("Frozen.".utf8)) != nil)
      #expect(data.range(of: Data("KeepsakeTests".utf8)) == nil)
    }
  }
}

extension FrozenGraph {
  /// Compares the archive with the values that it was made of.
  func check(_ unarchiver: KeyedUnarchiver) throws {
    #expect(unarchiver.allKeys == [KeyedArchiver.rootKey])
    func root<Root: Decodable>(_ type: Root.Type) throws -> Root {
      try unarchiver.decode(type, forKey: KeyedArchiver.rootKey)
    }
    switch self {
    case .ring: try check(root([FrozenPerson].self))
    case .weak: try check(root(FrozenForest.self))
    case .subclasses: try check(root([FrozenVehicle].self))
    case .shapes: try check(root(FrozenSheet.self))
    case .models: try check(root(FrozenMember.self))
    }
  }

  private func check(_ people: [FrozenPerson]) throws {
    try #require(people.map(\.name) == ["Ada", "Bob", "Ada"])
    let (ada, bob) = (people[0], people[1])
    #expect(people[2] === ada)
    try #require(ada.letters.map(\.text) == ["one", "three"] && bob.letters.map(\.text) == ["two"])
    let (one, two, three) = (ada.letters[0], bob.letters[0], ada.letters[1])
    #expect(one.from === ada && two.from === bob && three.from === ada)
    #expect(one.to === bob && two.to === ada && three.to == nil)
    #expect(one.answers.map(ObjectIdentifier.init) == [two, three, two].map(ObjectIdentifier.init))
    #expect(two.answers.isEmpty && three.answers.count == 1 && three.answers.first === three)
    #expect(two.byDay.count == 2 && two.byDay["monday"] === one && two.byDay["tuesday"] === two)
    #expect(one.byDay.isEmpty)
    for person in [ada, bob] {
      for letter in person.letters { letter.cut() }
      person.letters = []
    }
  }

  private func check(_ forest: FrozenForest) throws {
    let root = forest.root
    try #require(root.number == 1 && root.children.map(\.number) == [2, 3])
    #expect(root.parent == nil && root.elsewhere == nil && root.watched.isEmpty)
    for child in root.children {
      #expect(child.parent === root && child.elsewhere == nil && child.watched.count == 3)
      #expect(child.watched[0].wrappedValue === root && child.watched[1].wrappedValue == nil)
      #expect(child.watched[2].wrappedValue === child)
    }
    let leaf = try #require(root.children[1].children.first)
    #expect(leaf.number == 4 && leaf.parent === root.children[1] && root.children[0].children.isEmpty)
    #expect(forest.leaf === leaf && forest.absent == nil)
  }

  private func check(_ vehicles: [FrozenVehicle]) throws {
    try #require(vehicles.map(\.wheels) == [3, 4, 4, 0, 4])
    #expect(type(of: vehicles[0]) == FrozenVehicle.self && type(of: vehicles[1]) == FrozenCar.self)
    #expect(type(of: vehicles[2]) == FrozenTaxi.self && type(of: vehicles[3]) == FrozenShip.self)
    #expect(vehicles[4] === vehicles[2])
    #expect(vehicles.map { ($0 as? FrozenCar)?.plate } == [nil, "C 1", "T 1", nil, "T 1"])
    #expect(vehicles.map(\.versions) == [[3], [3, 200], [3, 200, 0], [3], [3, 200, 0]])
  }

  private func check(_ sheet: FrozenSheet) throws {
    let spot = sheet.spot
    #expect(spot.x == 1_000 && (spot.inner as? FrozenDisc)?.radius == 0.5)
    let first = try #require(sheet.first as? FrozenDisc)
    #expect(first.radius == 2.5 && first.version == 5 && sheet.none == nil)
    try #require(sheet.list.count == 5)
    #expect(sheet.list[0] as? FrozenSpot === spot && sheet.list[3] as? FrozenSpot === spot)
    #expect(sheet.list[1] as? FrozenCorner == .round(radius: 3, name: nil))
    #expect((sheet.list[2] as? FrozenDisc)?.radius.sign == .minus)
    #expect(sheet.list[4] as? FrozenCorner == .sharp)
    let other = try #require(sheet.table["a"] as? FrozenSpot)
    #expect(other.x == 0 && other.inner as? FrozenSpot === spot)
    #expect(sheet.table.count == 2 && (sheet.table["b"] as? FrozenDisc)?.radius == 1)
    try #require(sheet.nested.map(\.count) == [0, 2, 1])
    #expect(sheet.nested[1][0] == nil && sheet.nested[1][1] as? FrozenSpot === spot)
    #expect(sheet.nested[2][0] as? FrozenCorner == .round(radius: -1, name: "n"))
    try #require(sheet.anything.count == 5)
    #expect(sheet.anything[0] as? Int == 7 && sheet.anything[1] as? String == "seven")
    #expect(sheet.anything[2] as? Int8 == -7 && sheet.anything[3] as? Int64 == 1 << 40)
    #expect(sheet.anything[4] as? Date == Date(timeIntervalSinceReferenceDate: 7))
    try #require(sheet.later.count == 2)
    #expect(sheet.later[0] as? FrozenSpot === other && (sheet.later[1] as? FrozenDisc)?.radius == 9)
  }

  private func check(_ member: FrozenMember) throws {
    let president = try #require(member.boss as? FrozenPresident)
    #expect(type(of: member) == FrozenMember.self && member.name == "member" && president.name == "president")
    #expect(member.friends.map(ObjectIdentifier.init) == [president, member].map(ObjectIdentifier.init))
    #expect(member.nickname == "mem" && president.nickname == nil)
    #expect(member.scores == ["a": 1, "b": -200] && president.scores.isEmpty)
    #expect(member.rival === president && president.rival == nil)
    #expect(member.heir === member && president.heir == nil)
    #expect(president.friends.map(ObjectIdentifier.init) == [ObjectIdentifier(member)])
    #expect(president.boss === president && president.level == 300)
    #expect(president.club.count == 2 && president.club["m"] === member && president.club["p"] === president)
    for one in [member, president] { (one.friends, one.boss, one.heir) = ([], nil, nil) }
    president.club = [:]
  }
}
