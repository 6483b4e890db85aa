import Foundation
import Keepsake
import TestSupport
import Testing

/// The view of an archive without its types.
@Suite struct ArchiveValueTests {
  private struct Mixed: Codable {
    var none: Int?? = .some(.none)
    var bool = true
    var small = 5
    var large = Int.min
    var wide = UInt128.max
    var float: Float = 0.1
    var double = -0.0
    var text = "text"
    var longText = String(repeating: "x", count: 2_000)
    var bytes = Data([1, 2, 3])
    var decimal = Decimal(string: "1.25")
    var date = Date(timeIntervalSinceReferenceDate: 1.5)
    var id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    var numbers = [1, 2, 300]
    var flags = [true, false]
    var texts = ["a", "text", "text"]
    var map = ["k": 1]
    var url = URL(string: "path?x", relativeTo: URL(string: "https://example.org/"))
    var crew = Crew()
  }

  @Test("every kind of value can be read")
  func kinds() throws {
    let image = try open(KeyedArchiver.archivedData(withRootObject: Mixed()))
    let topLevel = try image.topLevelValue
    #expect(try topLevel.members().count == 1)
    let reference = try #require(try topLevel["root"])
    #expect(reference.kind == .value)
    let root = try #require(try reference.target)
    #expect(root.className == nil)
    let value = root.value
    func member(_ key: String) throws -> ArchiveValue { try #require(try value[key]) }
    #expect(value.kind == .record)
    #expect(try value.count == 19)
    #expect(try value["absent"] == nil)
    #expect(try member("bool").bool == true)
    #expect(try member("small").integer.flatMap { Int(exactly: $0) } == 5)
    #expect(try member("large").integer.flatMap { Int(exactly: $0) } == Int.min)
    #expect(try member("wide").integer.flatMap { UInt128(exactly: $0) } == UInt128.max)
    #expect(try member("float").float32 == 0.1)
    #expect(try member("double").float64?.sign == .minus)
    #expect(try member("text").string == "text")
    #expect(try member("longText").string?.count == 2_000)
    #expect(try member("bytes").bytes == [1, 2, 3])
    #expect(try member("decimal").decimal?.decimal == Decimal(string: "1.25"))
    #expect(try member("date").date == 1.5)
    #expect(try member("id").uuidValue?.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    #expect(try member("url").urlParts == ["path?x", "https://example.org/"])
    #expect(try member("texts")[2]?.string == "text")
    #expect(try member("texts")[3] == nil)
    #expect(try member("map")["k"]?.integer.flatMap { Int(exactly: $0) } == 1)
    #expect(try member("numbers").count == 3)
    guard case .signed([1, 2, 300])? = try member("numbers").numbers else { throw Unexpected() }
    guard case .bools([true, false])? = try member("flags").numbers else { throw Unexpected() }
    #expect(try member("small").count == nil)
    #expect(try member("small").string == nil)
    #expect(try value.byteRange.upperBound == root.byteRange.upperBound)
  }

  @Test("objects have numbers and classes, and references lead to them")
  func objects() throws {
    let image = try open(KeyedArchiver.archivedData(withRootObject: Crew()))
    let root = try #require(try image.topLevelValue["root"])
    #expect(root.kind == .object)
    let crew = try #require(try root.target)
    #expect(crew.className?.hasSuffix(".Crew") == true)
    let captain = try #require(try crew.value["captain"]?.target)
    #expect(try crew.value["sailors"]?[1]?.bodyNumber == captain.number)
    #expect(try captain.value["name"]?.string == "Ann")
    let summary = try image.verifyStructure()
    #expect(summary.objectCount == 3)
    #expect(summary.referenceCounts == [0, 1, 2, 1])
  }

  @Test("verifying the keys of a large dictionary takes time in proportion to their number")
  func manyKeys() throws {
    try expectTimeInProportion(to: 150_000) { count in
      let keys = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", $0) })
      let image = try open(KeyedArchiver.archivedData(withRootObject: keys))
      #expect(try image.verifyStructure().valueCount == count + 3)
    }
  }

  @Test("a walk skips members and follows references on request")
  func walk() throws {
    let image = try open(KeyedArchiver.archivedData(withRootObject: Crew()))
    var walk = ArchiveWalk(try image.topLevelValue)
    var labels: [PathElement?] = []
    var leaves = 0
    while let step = try walk.next() {
      switch step {
      case .leave: leaves += 1
      case .value(let value, let label):
        labels.append(label)
        if label == .key("sailors") { try walk.skipMembers() }
        if label == .key("root"), let body = try value.target { walk.follow(body) }
      }
    }
    #expect(walk.depth == 0)
    let keys = ["captain", "sailors", "founded", "badge", "id", "home"].map { PathElement?.some(.key($0)) }
    #expect(labels.prefix(9) == [nil, .key("root"), nil] + keys.prefix(6))
    #expect(leaves >= 3)
  }

  @Test(
    "an archive with a changed bit, read without verification, gives an error or a value, and never crashes"
  )
  func flippedBits() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Mixed(), Mixed()].map(\.crew))
    for place in data.indices {
      for bit in 0..<8 {
        var changed = data
        changed[place] ^= 1 << UInt8(bit)
        guard let image = try? ArchiveImage(data: changed, verification: .disabled) else { continue }
        _ = try? image.verifyStructure()
      }
    }
  }

  private func open(_ data: Data) throws -> ArchiveImage {
    let image = try ArchiveImage(data: data, verification: .everything)
    try image.verifyStructure()
    return image
  }

  private struct Unexpected: Error {}
}
