import Foundation
import HostileArchives
import Keepsake
import TestSupport
import Testing

/// Properties that are read directly into memory get the same values from the same bytes as through the containers of
/// `Codable`, or errors of the same kind.
@Suite struct FastPaths {
  /// Values to put in place of each property, as after a change of types or from a hostile writer.
  private static let replacements: [any Encodable & Sendable] = [
    Int?.none, true, 3, -70_000, UInt64.max, 1.5, Float(0.1), "text", "", ["a", "b"], [String](), ["a": "b"],
    [1, 2, 3],
    [1.5, 2], [true, false], [Int?.none], Data([1, 2]), Date(timeIntervalSinceReferenceDate: 7), UUID(),
    URL(string: "https://example.com") ?? .init(filePath: "/"), Decimal(1) / 3, FastInner(name: "i"),
    [FastInner(name: "j")],
    ["x": FastInner(name: "k")], FastObject(), Int??.some(nil),
  ]

  private func compare<Fast: FastSample, Plain: FastSample>(
    _ data: Data,
    _ fast: Fast.Type,
    _ plain: Plain.Type,
    _ tally: inout (values: Int, errors: Int)
  ) {
    var decoder = ArchiveDecoder()
    decoder.verification = .disabled
    func outcome<Value: FastSample>(_ type: Value.Type) -> (text: String, path: String?) {
      do {
        return (try decoder.decode([Value].self, from: data).map(\.text).joined(separator: " / "), nil)
      } catch {
        guard let failure = Failure(error) else { return ("\(error)", "none") }
        return ("\(failure.kind)", failure.path)
      }
    }
    let (found, expected) = (outcome(fast), outcome(plain))
    if expected.path == nil { tally.values += 1 } else { tally.errors += 1 }
    // If several values are faulty, each side may find another one first. An unknown tag is another type when it is
    // read, and damage when it is skipped.
    let bothFail = found.path != nil && expected.path != nil
    let isSame =
      found == expected || bothFail && (found.path != expected.path || expected.text == "dataCorrupted")
    #expect(isSame, "\(fast): \(found), but \(plain): \(expected), of \(data.base64EncodedString())")
  }

  @Test("other values in place of each property give the same results on both paths")
  func otherValues() throws {
    var tally = (values: 0, errors: 0)
    for key in FastKey.allCases {
      for replacement in FastPaths.replacements {
        let data = try write { encoder in
          var list = encoder.unkeyedContainer()
          try list.encode(FastFields())
          try list.encode(FastChange(key: key, replacement: replacement))
        }
        compare(data, FastFields.self, PlainFields.self, &tally)
        compare(data, FastClass.self, PlainClass.self, &tally)
        compare(data, FastModel.self, PlainModel.self, &tally)
      }
    }
    #expect(tally.values > 100 && tally.errors > 100)
  }

  @Test("mutants of structures, classes and models give the same results on both paths")
  func mutants() throws {
    var random = SeededGenerator("fast and plain paths of the same mutants")
    let seed = random.next()
    let fields = Array(try ArchiveEncoder().encode([FastFields.full, FastFields()]))
    let objects = Array(try ArchiveEncoder().encode([FastClass(), FastClass()]))
    let mutator = StructureMutator(others: [fields, objects])
    var tally = (values: 0, errors: 0)
    for number in 0..<600 {
      var generator = HostileGenerator(seed: seed, mutant: number)
      let mutant = Data(mutator.mutant(of: number % 3 == 0 ? objects : fields, using: &generator))
      compare(mutant, FastFields.self, PlainFields.self, &tally)
      compare(mutant, FastClass.self, PlainClass.self, &tally)
      compare(mutant, FastModel.self, PlainModel.self, &tally)
    }
    #expect(tally.errors > 0)
  }
}

// MARK: - Samples

private protocol FastSample: Decodable {
  var content: FastContent { get }
}

extension FastSample {
  /// The values of the content. Dates are numbers here, since Foundation's description of an extreme one ends the
  /// program.
  var text: String {
    Mirror(reflecting: content).children
      .map { String(reflecting: ($0.value as? Date)?.timeIntervalSinceReferenceDate ?? $0.value) }
      .joined(separator: ", ")
  }
}

/// One value of every kind that has its own path.
private struct FastContent {
  var int = 1
  var small: Int8 = 2
  var real = 0.5
  var flag = true
  var name = "name"
  var names = ["one", "two"]
  var maybe: Int?
  var maybeName: String?
  var numbers = [1, 2, 300]
  var reals = [0.5, 1]
  var date = Date(timeIntervalSinceReferenceDate: 1)
  var data = Data([1])
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var url: URL?
  var decimal = Decimal(5)
  var inner = FastInner(name: "")
  var inners: [FastInner] = []
  var table: [String: FastInner] = [:]
  var object: FastObject?

  init() {}

  /// Reads with containers only, and numbers one by one.
  init(plainly decoder: any Decoder, isClass: Bool = false, keepsDefaults: Bool = false) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    func read<Value: Decodable>(_ value: inout Value, _ key: AnyKey) throws {
      guard container.contains(key) else { return }
      do { value = try container.decode(Value.self, forKey: key) } catch {
        guard keepsDefaults, try container.decodeNil(forKey: key) else { throw error }
      }
    }
    func readEach<Value: Decodable>(_ values: inout [Value], _ key: AnyKey) throws {
      guard container.contains(key) else { return }
      if keepsDefaults, try container.decodeNil(forKey: key) { return }
      var list = try container.nestedUnkeyedContainer(forKey: key)
      var found: [Value] = []
      while !list.isAtEnd { found.append(try list.decode(Value.self)) }
      values = found
    }
    try read(&int, "int")
    try read(&small, "small")
    try read(&real, "real")
    try read(&flag, "flag")
    try read(&name, "name")
    try readEach(&names, "names")
    try read(&maybe, "maybe")
    try read(&maybeName, "maybeName")
    try readEach(&numbers, "numbers")
    try readEach(&reals, "reals")
    try read(&table, "table")
    try read(&object, "object")
    // The classes have no more properties.
    if isClass { return }
    try read(&date, "date")
    try read(&data, "data")
    try read(&uuid, "uuid")
    try read(&url, "url")
    try read(&decimal, "decimal")
    try read(&inner, "inner")
    try readEach(&inners, "inners")
  }
}

private struct FastInner: Codable, CustomStringConvertible {
  var name: String
  var description: String { name }
}

private final class FastObject: Codable, CustomStringConvertible, @unchecked Sendable {
  var number = 3
  var description: String { "object" }
}

private struct FastFields: ArchivedFields, FastSample {
  var int = 1
  var small: Int8 = 2
  var real = 0.5
  var flag = true
  var name = "name"
  var names = ["one", "two"]
  var maybe: Int?
  var maybeName: String?
  var numbers = [1, 2, 300]
  var reals = [0.5, 1]
  var date = Date(timeIntervalSinceReferenceDate: 1)
  var data = Data([1])
  var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var url: URL?
  var decimal = Decimal(5)
  var inner = FastInner(name: "")
  var inners: [FastInner] = []
  var table: [String: FastInner] = [:]
  var object: FastObject?

  static var full: FastFields {
    var fields = FastFields()
    fields.maybe = 7
    fields.maybeName = "some"
    fields.url = URL(string: "https://example.com/a")
    fields.inners = [FastInner(name: "a"), FastInner(name: "b")]
    fields.table = ["k": FastInner(name: "v")]
    fields.object = FastObject()
    return fields
  }

  var content: FastContent {
    var all = FastContent()
    (all.int, all.small, all.real, all.flag) = (int, small, real, flag)
    (all.name, all.names, all.maybe, all.maybeName) = (name, names, maybe, maybeName)
    (all.numbers, all.reals, all.date, all.data) = (numbers, reals, date, data)
    (all.uuid, all.url, all.decimal, all.inner) = (uuid, url, decimal, inner)
    (all.inners, all.table, all.object) = (inners, table, object)
    return all
  }
}

private struct PlainFields: FastSample {
  var content: FastContent
  init(from decoder: any Decoder) throws { content = try FastContent(plainly: decoder) }
}

private final class FastClass: ArchivedFields, FastSample {
  private(set) var int = 1
  private(set) var small: Int8 = 2
  private(set) var real = 0.5
  private(set) var flag = true
  private(set) var name = "name"
  private(set) var names = ["one", "two"]
  private(set) var maybe: Int?
  private(set) var maybeName: String?
  private(set) var numbers = [1, 2, 300]
  private(set) var reals = [0.5, 1]
  private(set) var table: [String: FastInner] = [:]
  private(set) var object: FastObject?

  var content: FastContent {
    var all = FastContent()
    (all.int, all.small, all.real, all.flag) = (int, small, real, flag)
    (all.name, all.names, all.maybe, all.maybeName) = (name, names, maybe, maybeName)
    (all.numbers, all.reals, all.table, all.object) = (numbers, reals, table, object)
    return all
  }
}

private final class PlainClass: FastSample {
  let content: FastContent

  init(from decoder: any Decoder) throws {
    content = try FastContent(plainly: decoder, isClass: true)
  }
}

private final class FastModel: ArchivedModel, FastSample {
  var int = 1
  var small: Int8 = 2
  var real = 0.5
  var flag = true
  var name = "name"
  var names = ["one", "two"]
  var maybe: Int?
  var maybeName: String?
  var numbers = [1, 2, 300]
  var reals = [0.5, 1]
  var table: [String: FastInner] = [:]
  var object: FastObject?

  var content: FastContent {
    var all = FastContent()
    (all.int, all.small, all.real, all.flag) = (int, small, real, flag)
    (all.name, all.names, all.maybe, all.maybeName) = (name, names, maybe, maybeName)
    (all.numbers, all.reals, all.table, all.object) = (numbers, reals, table, object)
    return all
  }
}

private final class PlainModel: FastSample {
  let content: FastContent

  init(from decoder: any Decoder) throws {
    content = try FastContent(plainly: decoder, isClass: true, keepsDefaults: true)
  }
}

/// A record with another value under one key.
private struct FastChange: Encodable {
  let key: FastKey
  let replacement: any Encodable

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FastKey.self)
    try container.encode(1, forKey: key == .int ? .small : .int)
    func encode(_ value: some Encodable) throws { try container.encode(value, forKey: key) }
    try encode(replacement)
    try container.encode("behind", forKey: key == .name ? .maybeName : .name)
  }
}

/// Cases, so that the library writes records and not maps.
private enum FastKey: String, CodingKey, CaseIterable {
  case int, small, real, flag, name, names, maybe, maybeName, numbers, reals, date, data, uuid, url, decimal,
    inner
  case inners, table, object
}
