import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// The caller's limits apply to NSKeyedArchiver archives, which are translated as a whole when they are opened; no
/// archive overflows the stack.
@Suite struct FoundationLimits {
  private func code<Value: Decodable>(
    _ type: Value.Type,
    _ data: Data,
    _ change: (inout ArchiveLimits) -> Void
  ) throws -> ArchiveError.Code? {
    var limits = ArchiveLimits()
    change(&limits)
    return try failure { try KeyedUnarchiver.unarchive(type, from: data, limits: limits) }.code
  }

  /// Whether `data` can be opened.
  private func opens(_ data: Data, _ change: (inout ArchiveLimits) -> Void) -> Bool {
    var limits = ArchiveLimits()
    change(&limits)
    return (try? KeyedUnarchiver(forReadingFrom: data, limits: limits)) != nil
  }

  private func staff(_ count: Int) -> NSArray {
    (0..<count).map { OldPerson("Person \($0)", age: $0 % 100) } as NSArray
  }

  // MARK: The caller's limits

  @Test(arguments: foundationFormats)
  func objects(_ format: PropertyListSerialization.PropertyListFormat) {
    let data = foundationArchive(staff(20), format: format)
    #expect(!opens(data) { $0.maximumObjectCount = 19 })
    #expect(opens(data) { $0.maximumObjectCount = 20 })
  }

  @Test(arguments: foundationFormats)
  func elements(_ format: PropertyListSerialization.PropertyListFormat) {
    let roots: [Any] = [
      Array(1...20) as NSArray, NSSet(array: Array(1...20)),
      Dictionary(uniqueKeysWithValues: (1...20).map { ("\($0)", $0) }) as NSDictionary,
      Data(repeating: 1, count: 20) as NSData, IndexPath(indexes: 1...20) as NSIndexPath,
      IndexSet((1...20).map { 2 * $0 }) as NSIndexSet,
    ]
    for root in roots {
      let data = foundationArchive(root, format: format)
      #expect(!opens(data) { $0.maximumElementCount = 19 }, "\(type(of: root))")
      #expect(opens(data) { $0.maximumElementCount = 20 }, "\(type(of: root))")
    }
  }

  @Test(arguments: foundationFormats)
  func strings(_ format: PropertyListSerialization.PropertyListFormat) {
    let text = String(repeating: "x", count: 40)
    for root in [text as NSString, [text, text, text] as NSArray, [text: 1] as NSDictionary] as [Any] {
      let data = foundationArchive(root, format: format)
      #expect(!opens(data) { $0.maximumStringByteCount = 39 })
      #expect(opens(data) { $0.maximumStringByteCount = 40 })
    }
    #expect(opens(foundationArchive("short" as NSString, format: format)) { $0.maximumStringByteCount = 0 })
  }

  @Test(arguments: foundationFormats)
  func allocation(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let data = foundationArchive(staff(sized(1_000, inDebug: 250)), format: format)
    #expect(!opens(data) { $0.maximumAllocation = data.count })
    #expect(opens(data) { $0.maximumAllocation = 40 * data.count })
    // The translation uses up a part of the budget for values.
    let count = sized(100_000, inDebug: 20_000)
    let numbers = foundationArchive(Array(repeating: 1, count: count) as NSArray, format: format)
    struct Large: Decodable {
      let fields: (Int, Int, Int, Int, Int, Int, Int, Int)

      init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decode(Int.self)
        fields = (number, number, number, number, number, number, number, number)
      }
    }
    let most = 70 * count
    let own = try KeyedArchiver.archivedData(withRootObject: Array(repeating: 1 as Int?, count: count))
    var limits = ArchiveLimits()
    limits.maximumAllocation = most
    #expect(try KeyedUnarchiver.unarchive([Large].self, from: own, limits: limits).count == count)
    limits.maximumAllocation = 40 * numbers.count
    let unarchiver = try KeyedUnarchiver(forReadingFrom: numbers, limits: limits)
    unarchiver.limits.maximumAllocation = most
    #expect(try failure { try unarchiver.decode([Large].self, forKey: "root") }.code == .limitExceeded)
  }

  @Test func depth() throws {
    let data = HostileFoundationArchives.nestedXML(depth: 2_000)
    #expect(try code(CraftedTree.self, data) { $0.maximumDepth = 1_000 } == .limitExceeded)
    #expect(try code(CraftedTree.self, data) { $0.maximumValueDepth = 1_000 } == .limitExceeded)
    #expect(!opens(data) { $0.maximumValueDepth = 1_000 })
    _ = try KeyedUnarchiver.unarchive(CraftedTree.self, from: data)
  }

  // MARK: By default

  @Test(arguments: foundationFormats)
  func honestArchivesAreFarFromTheDefault(
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    // Foundation takes time that grows with the square of the size.
    let count = sized(2_000, inDebug: 500)
    let mixed: [Any] = (0..<300).map { number -> Any in
      switch number % 6 {
      case 0: OldPerson("Person \(number)", age: number % 100)
      case 1: ["name": "\(number)", "size": number, "kind": "file"] as NSDictionary
      case 2: (0..<8).map { $0 + number } as NSArray
      case 3: Date(timeIntervalSinceReferenceDate: Double(number)) as NSDate
      case 4: UUID() as NSUUID
      default: IndexSet((0..<10).map { 3 * $0 + number }) as NSIndexSet
      }
    }
    let roots: [Any] = [
      mixed as NSArray, Array(1...count) as NSArray, Array(repeating: true, count: count) as NSArray,
      (1...500).map { "\($0)" } as NSArray, staff(200),
      IndexSet((0..<count).map { 2 * $0 }) as NSIndexSet, IndexPath(indexes: 1...count) as NSIndexPath,
    ]
    for (index, root) in roots.enumerated() {
      let data = foundationArchive(root, format: format)
      #expect(opens(data) { $0.maximumAllocation = 32 * data.count }, "root \(index)")
    }
  }

  @Test("a small file with exponentially many elements is refused")
  func laugh() throws {
    let data = HostileFoundationArchives.laugh(levels: 12, width: 10)
    #expect(data.count < 500)
    #expect(try code(CraftedTree.self, data) { _ in } == .limitExceeded)
    // With any memory allowed, too.
    #expect(try code(CraftedTree.self, data) { $0.maximumAllocation = .max } == .limitExceeded)
    #expect(throws: ArchiveError.self) { try ArchiveValue(forReadingFrom: data) }
  }

  @Test("the limit of memory counts at least twice the bytes of a shared value at each reference")
  func sharedValues() {
    let count = 10_000
    #expect(!opens(HostileFoundationArchives.oneRectangle(count)) { $0.maximumAllocation = 100 * count })
    let data = HostileFoundationArchives.oneData(count, byteCount: 200)
    #expect(!opens(data) { $0.maximumAllocation = 400 * count })
  }

  // MARK: The stack

  @Test("deeply nested lists and tables are opened on a small stack")
  func smallStack() throws {
    for data in [
      HostileFoundationArchives.nestedXML(depth: 5_000),
      HostileFoundationArchives.nestedXMLTables(depth: 5_000),
    ] {
      let (top, rewritten) = try onThread(stackSize: 128 << 10) {
        let archive = try ArchiveValue(forReadingFrom: data)
        // Rewriting takes no stack either.
        let rewritten = try ArchiveEditor(forReadingFrom: data).encodedData
        return (try archive["root"]?.count, rewritten)
      }
      #expect(top == 1)
      #expect(try ArchiveValue(forReadingFrom: rewritten)["root"]?.count == 1)
    }
  }

  @Test("nested lists and tables within objects are opened on a small stack")
  func smallStackInObjects() throws {
    var deep = FoundationPropertyList.integer(7)
    for level in 0..<500 { deep = level.isMultiple(of: 2) ? .array([deep]) : .dictionary([("k", deep)]) }
    let objects: [FoundationPropertyList] =
      (0..<200).map { .object("NSArray", ["NS.objects": .array([.reference($0 + 2)])]) }
      + [.object("Thing", ["deep": deep])]
    let data = FoundationPropertyList.archive(objects: objects)
    let count = try onThread(stackSize: 128 << 10) { () -> Int? in
      var value = try ArchiveValue(forReadingFrom: data)["root"]
      var depth = 0
      while let inner = try value?.members().first?.value {
        value = inner
        depth += 1
      }
      return depth
    }
    #expect(count == 200 + 1 + 500)
  }
}
