import Foundation
import Keepsake
import TestSupport
import Testing

/// Collections of NSKeyedArchiver archives whose elements have different classes.
@Suite struct FoundationMixedCollections {
  private var mixed: NSDictionary {
    [
      "text": "a", "number": 7, "real": 2.5, "flag": true, "data": Data([1, 2]) as NSData,
      "date": Date(timeIntervalSinceReferenceDate: 5) as NSDate,
      "list": ["x", 3, ["deep": NSNull()] as NSDictionary, [] as NSArray] as NSArray,
      "person": OldPerson("Ada", age: 36),
      "url": NSURL(fileURLWithPath: "/a"),
      "byNumber": [5: "five"] as NSDictionary, "none": NSDictionary(),
    ]
  }

  private func person(_ data: Data) throws -> KeyedUnarchiver {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let value = try ArchiveValue(forReadingFrom: data)
    let name = try #require(
      try value[path: "root.person"]?.className ?? value[path: "root[0].person"]?.className
    )
    unarchiver.setClass(NewPerson.self, forClassName: name)
    return unarchiver
  }

  private func check(_ mixed: [String: Any]) throws {
    #expect(mixed["text"] as? String == "a" && mixed["number"] as? Int == 7)
    #expect(mixed["real"] as? Double == 2.5 && mixed["flag"] as? Bool == true)
    #expect(mixed["data"] as? Data == Data([1, 2]))
    #expect(mixed["date"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
    #expect((mixed["url"] as? URL)?.absoluteString == "file:///a")
    let list = try #require(mixed["list"] as? [Any])
    #expect(list[0] as? String == "x" && list[1] as? Int == 3 && (list[3] as? [Any])?.isEmpty == true)
    let deep = try #require(list[2] as? [String: Any])
    let nothing = try #require(deep["deep"])
    #expect("\(nothing)" == "nil")
    #expect((mixed["byNumber"] as? [String: Any])?["5"] as? String == "five")
    #expect((mixed["none"] as? [String: Any])?.isEmpty == true)
    let person = try #require(mixed["person"] as? NewPerson)
    #expect(person.name == "Ada" && person.age == 36)
  }

  @Test("dictionaries and arrays of anything are read", arguments: foundationFormats)
  func anything(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let data = foundationArchive(mixed, format: format)
    let value = try person(data).decode(Polymorphic<[String: Any]>.self, forKey: "root").wrappedValue
    try check(value)
    let twice = mixed
    let array = foundationArchive([twice, twice, "end"] as NSArray, format: format)
    let elements = try person(array).decode(Polymorphic<[Any]>.self, forKey: "root").wrappedValue
    try check(#require(elements[0] as? [String: Any]))
    #expect(elements[2] as? String == "end" && elements.count == 3)
    // One object for all references.
    let people = try elements.prefix(2).map { try #require(($0 as? [String: Any])?["person"] as? NewPerson) }
    #expect(people[0] === people[1])
  }

  @Test("mixed collections are archived and read again")
  func savedAgain() throws {
    let value = try person(foundationArchive(mixed)).decode(Polymorphic<[String: Any]>.self, forKey: "root")
    let data = try KeyedArchiver.archivedData(withRootObject: value)
    try check(KeyedUnarchiver.unarchive(Polymorphic<[String: Any]>.self, from: data).wrappedValue)
    let array = try KeyedArchiver.archivedData(withRootObject: Polymorphic<[Any]>([value.wrappedValue, 1]))
    let again = try KeyedUnarchiver.unarchive(Polymorphic<[Any]>.self, from: array).wrappedValue
    try check(#require(again[0] as? [String: Any]))
    let json = try JSONEncoder().encode(Polymorphic<[Any]>(["a", [1, ["b": Any?.none as Any]] as [Any]]))
    let back = try JSONDecoder().decode(Polymorphic<[Any]>.self, from: json).wrappedValue
    #expect((back[1] as? [Any])?[0] as? Int == 1)
  }

  @Test("an object without a Swift type, and an array that contains itself, are errors")
  func unknownClass() throws {
    #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(
        Polymorphic<[Any]>.self,
        from: FoundationPropertyList.archive(objects: [
          .object("NSArray", ["NS.objects": .array([.reference(2)])]),
          .object("NoSuchClassAnywhere", ["a": .integer(1)]),
        ])
      )
    }
    // An array that contains itself is an error, too.
    #expect(throws: DecodingError.self) {
      try KeyedUnarchiver.unarchive(
        Polymorphic<[Any]>.self,
        from: FoundationPropertyList.archive(objects: [
          .object("NSArray", ["NS.objects": .array([.reference(1), .reference(1)])])
        ])
      )
    }
  }

  @Test("a value that does not conform to the protocol is an error that names its type, if the archive does")
  func otherTypes() throws {
    func message(_ data: Data) throws -> String {
      do {
        return "\(try KeyedUnarchiver.unarchive(Polymorphic<[any Error]>.self, from: data))"
      } catch { return "\(error)" }
    }
    let original = foundationArchive([1] as NSArray)
    #expect(try message(original).contains("but the value is a Int"))
    let converted = try ArchiveEditor(forReadingFrom: original).encodedData
    #expect(try message(converted).contains("without the name of its type"))
  }

  @Test("a converted archive reads as the original does")
  func converted() throws {
    let twice = mixed
    let data = foundationArchive(["list": [twice, twice] as NSArray, "text": "a"] as NSDictionary)
    let archive = try ArchiveEditor(forReadingFrom: data).encodedData
    #expect(archive.starts(with: try KeyedArchiver.archivedData(withRootObject: 1).prefix(8)))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
    let person = try ArchiveValue(forReadingFrom: archive)[path: "root.list[0].person"]?.className
    unarchiver.setClass(NewPerson.self, forClassName: try #require(person))
    let value = try unarchiver.decode(Polymorphic<[String: Any]>.self, forKey: "root").wrappedValue
    for element in try #require(value["list"] as? [Any]) { try check(#require(element as? [String: Any])) }
    #expect(value["text"] as? String == "a")
  }

  private struct Plain: Codable { var x = 1 }

  @Test("mixed collections are read without @Polymorphic in the archive, except structures")
  func plain() throws {
    func read<Value>(_ type: Value.Type, _ root: some Encodable) throws -> Value {
      let data = try KeyedArchiver.archivedData(withRootObject: root)
      return try KeyedUnarchiver.unarchive(Polymorphic<Value>.self, from: data).wrappedValue
    }
    #expect(try read([Any].self, [1, 2]) as? [Int] == [1, 2])
    #expect(try read([Any].self, [1.5, 2]) as? [Double] == [1.5, 2])
    #expect(try read([Any].self, [UInt64.max, 1])[0] as? UInt64 == .max)
    #expect(try read([String: Any].self, ["a": [true, false]])["a"] as? [Bool] == [true, false])
    #expect(try read([Any].self, [[1: "x"], [:]]).count == 2)
    #expect(try read([String: Any].self, ["a": ["b": 2.5]])["a"] as? [String: Double] == ["b": 2.5])
    #expect(try read([any Sendable].self, ["a", nil])[0] as? String == "a")
    #expect(throws: DecodingError.self) { try read([Any].self, [Plain()]) }
    #expect(throws: DecodingError.self) { try read([any Error].self, [1]) }
  }
}
