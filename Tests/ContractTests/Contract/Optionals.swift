import Foundation
import Keepsake
import RandomArchives
import TestSupport
import Testing

/// Nil in every position: a missing key, an explicit nil, an empty container and an optional of an optional are
/// four different things.
@Suite struct Optionals {
  private struct Deep: Codable, Equatable {
    var one: Int?
    var two: Int??
    var three: Int???
    var list: [Int??]
    var text: String??
  }

  @Test("optionals of optionals come back exactly as they were")
  func exact() throws {
    let twos: [Int??] = [nil, .some(nil), .some(.some(2))]
    let threes: [Int???] = [nil, .some(nil), .some(.some(nil)), .some(.some(.some(3)))]
    let texts: [String??] = [nil, .some(nil), "text"]
    for two in twos {
      for three in threes {
        for text in texts {
          for one in [nil, 1] {
            let deep = Deep(one: one, two: two, three: three, list: [two, nil, two, .some(nil)], text: text)
            #expect(try roundTrip(deep) == deep)
          }
        }
      }
    }
  }

  @Test("optionals of optionals come back at the root, in arrays and in dictionaries")
  func exactElsewhere() throws {
    let threes: [Int???] = [nil, .some(nil), .some(.some(nil)), .some(.some(.some(3)))]
    for three in threes { #expect(try roundTrip(three) == three) }
    #expect(try roundTrip(threes) == threes)
    let byName = Dictionary(uniqueKeysWithValues: threes.enumerated().map { ("\($0)", $1) })
    #expect(try roundTrip(byName) == byName)
    let optionalList: [[Int?]?]? = [nil, [], [nil], [nil, 1]]
    #expect(try roundTrip(optionalList) == optionalList)
    let lists: [[String]??] = [nil, .some(nil), [], ["a"]]
    #expect(try roundTrip(lists) == lists)
    let sets: [Set<Int>??] = [nil, .some(nil), [], [1]]
    #expect(try roundTrip(sets) == sets)
    let lazies: [Lazy<[Int]>??] = [nil, .some(nil), Lazy(wrappedValue: []), Lazy(wrappedValue: [1])]
    #expect(try roundTrip(lazies) == lazies)
  }

  @Test("encode and encodeIfPresent keep the levels of optionals of optionals")
  func byHand() throws {
    let values: [Int??] = [nil, .some(nil), .some(.some(5))]
    for value in values {
      let data = try writeKeyed { container in
        try container.encode(value, forKey: "always")
        try container.encodeIfPresent(value, forKey: "present")
      }
      try readKeyed(data) { container throws in
        #expect(try container.decode(Int??.self, forKey: "always") == value)
        #expect(try container.decodeIfPresent(Int?.self, forKey: "present") == value)
        #expect(container.contains("present") == (value != nil))
      }
    }
  }

  @Test("some(nil) reads as nil where one level of the optional is requested, as from JSON")
  func flattened() throws {
    let data = try writeKeyed { container in
      try container.encode(Int??.some(nil), forKey: "number")
      try container.encode(Int????.some(.some(.some(nil))), forKey: "deep")
      try container.encode([Int]??.some(nil), forKey: "list")
      try container.encode(Deep??.some(nil), forKey: "record")
      try container.encode(Single(number: nil) as Single?, forKey: "single")
      try container.encode("end", forKey: "end")
    }
    try readKeyed(data) { container throws in
      #expect(try container.decodeIfPresent(Int.self, forKey: "number") == nil)
      #expect(try container.decode(Int?.self, forKey: "number") == nil)
      let others: [Any?] = try [
        container.decodeIfPresent(Float.self, forKey: "number"),
        container.decodeIfPresent(Int8.self, forKey: "number"),
        container.decodeIfPresent(Int16.self, forKey: "number"),
        container.decodeIfPresent(Int32.self, forKey: "number"),
        container.decodeIfPresent(Int64.self, forKey: "number"),
        container.decodeIfPresent(UInt.self, forKey: "number"),
        container.decodeIfPresent(UInt8.self, forKey: "number"),
        container.decodeIfPresent(UInt16.self, forKey: "number"),
        container.decodeIfPresent(UInt32.self, forKey: "number"),
        container.decodeIfPresent(UInt64.self, forKey: "number"),
        container.decodeIfPresent(Int128.self, forKey: "number"),
        container.decodeIfPresent(UInt128.self, forKey: "number"),
      ]
      #expect(others.allSatisfy { $0 == nil })
      #expect(try container.decodeIfPresent(Int.self, forKey: "deep") == nil)
      #expect(try container.decode(Int?.self, forKey: "deep") == nil)
      #expect(try container.decodeIfPresent([Int].self, forKey: "list") == nil)
      #expect(try container.decodeIfPresent(Deep.self, forKey: "record") == nil)
      #expect(try container.decode(Deep?.self, forKey: "record") == nil)
      #expect(try container.decodeIfPresent(Single.self, forKey: "single") == Single(number: nil))
      #expect(try container.decode(Single.self, forKey: "single") == Single(number: nil))
      #expect(try container.decode(String.self, forKey: "end") == "end")
      #expect(try failure { try container.decode(Int.self, forKey: "number") }.kind == .valueNotFound)
      #expect(try failure { try container.decode(Double.self, forKey: "deep") }.kind == .valueNotFound)
      #expect(try failure { try container.decode([Int].self, forKey: "list") }.kind == .valueNotFound)
      #expect(try failure { try container.decode(Deep.self, forKey: "record") }.kind == .valueNotFound)
    }
    let list = try writeUnkeyed { list in
      try list.encode([Int]??.some(nil))
      try list.encode(Deep??.some(nil))
      try list.encode("end")
    }
    try readUnkeyed(list) { list throws in
      #expect(try list.decodeIfPresent([Int].self) == nil)
      #expect(try list.decodeIfPresent(Deep.self) == nil)
      #expect(try list.decode(String.self) == "end")
    }
  }

  private struct Single: Codable, Equatable {
    let number: Int?

    init(number: Int?) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int?.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  private struct Asked: Codable, Equatable {
    var answer: AnyValue?
    var single: Single?
    var next = 1

    struct Answered: Codable { var answer: AnyValue? }
  }
  private struct AskedFields: ArchivedFields {
    var answer: AnyValue?
  }
  private struct MustAnswer: Codable {
    var answer: AnyValue
  }

  @Test("a value that codes itself as nil is present in an optional property, as in an array")
  func presentNil() throws {
    let answers: [AnyValue?] = [nil, .null, .int(1)]
    #expect(try roundTrip(answers) == answers)
    let singles: [Single?] = [nil, Single(number: nil), Single(number: 2)]
    let all = answers.flatMap { answer in singles.map { Asked(answer: answer, single: $0) } }
    #expect(try roundTrip(all) == all)
    let data = try writeKeyed { container in
      // String keys make a map.
      for (name, answer) in zip("abc", answers) {
        try container.encodeIfPresent(answer, forKey: AnyKey(String(name)))
      }
      try container.encode(9, forKey: "again")
      try container.encodeIfPresent(AnyValue.null, forKey: "again")
    }
    try readKeyed(data) { container throws in
      for (name, answer) in zip("abc", answers) {
        #expect(try container.decodeIfPresent(AnyValue.self, forKey: AnyKey(String(name))) == answer)
      }
      #expect(try container.decodeIfPresent(AnyValue.self, forKey: "again") == .null)
    }
  }

  @Test("a value that codes itself as nil reads whether it was archived as an optional or not")
  func liftedNil() throws {
    for answer in [AnyValue.null, .int(1)] {
      let asked = Asked(answer: answer)
      #expect(try transcode(asked, to: MustAnswer.self).answer == answer)
      #expect(try transcode(asked, to: AskedFields.self).answer == answer)
      #expect(try transcode(AskedFields(answer: answer), to: Asked.Answered.self).answer == answer)
      #expect(try transcode(AskedFields(answer: answer), to: MustAnswer.self).answer == answer)
      #expect(try transcode([answer] as [AnyValue?], to: [AnyValue].self) == [answer])
    }
  }

  @Test("optional elements of every type come back in arrays")
  func elements() throws {
    #expect(try roundTrip([1, nil, 3] as [Int?]) == [1, nil, 3])
    #expect(try roundTrip([nil, nil] as [Double?]) == [nil, nil])
    #expect(try roundTrip([true, nil, false] as [Bool?]) == [true, nil, false])
    #expect(try roundTrip(["a", nil, ""] as [String?]) == ["a", nil, ""])
    #expect(try roundTrip([UInt8(1), nil] as [UInt8?]) == [1, nil])
    #expect(try roundTrip([[1], nil, []] as [[Int]?]) == [[1], nil, []])
    #expect(try roundTrip([nil, Data([1])] as [Data?]) == [nil, Data([1])])
    #expect(try roundTrip(["a": 1, "b": nil] as [String: Int?]) == ["a": 1, "b": nil])
    let shared = Node()
    let nodes = try roundTrip([shared, nil, shared] as [Node?])
    #expect(nodes.count == 3 && nodes[1] == nil)
    #expect(nodes[0] != nil && nodes[0] === nodes[2])
  }

  @Test("a missing key, an explicit nil and an empty container are distinguished")
  func missingNilEmpty() throws {
    let data = try writeKeyed { container in
      try container.encodeNil(forKey: "nil")
      try container.encode([String: Int](), forKey: "empty")
      try container.encode("", forKey: "text")
    }
    try readKeyed(data) { container throws in
      #expect(container.contains("nil") && container.contains("empty") && !container.contains("missing"))
      #expect(try container.decodeNil(forKey: "nil"))
      #expect(try !container.decodeNil(forKey: "empty"))
      #expect(try !container.decodeNil(forKey: "text"))
      #expect(try container.decodeIfPresent([String: Int].self, forKey: "missing") == nil)
      #expect(try container.decodeIfPresent([String: Int].self, forKey: "nil") == nil)
      #expect(try container.decodeIfPresent([String: Int].self, forKey: "empty") == [:])
      #expect(try container.decode([String: Int]?.self, forKey: "nil") == nil)
      #expect(try container.decode([String: Int]?.self, forKey: "empty") == [:])
    }
    try readKeyed(data) { container throws in
      #expect(try failure { try container.decodeNil(forKey: "missing") }.kind == .keyNotFound)
      #expect(try failure { try container.decode(Int.self, forKey: "missing") }.kind == .keyNotFound)
      #expect(try failure { try container.decode(Int?.self, forKey: "missing") }.kind == .keyNotFound)
      #expect(try failure { try container.decode(Int.self, forKey: "nil") }.kind == .valueNotFound)
      #expect(try failure { try container.decode(String.self, forKey: "nil") }.kind == .valueNotFound)
      #expect(try failure { try container.decode([Int].self, forKey: "nil") }.kind == .valueNotFound)
      #expect(try failure { try container.decode(Node.self, forKey: "nil") }.kind == .valueNotFound)
      #expect(try failure { try container.nestedUnkeyedContainer(forKey: "nil") }.kind == .valueNotFound)
      let nested = try failure { try container.nestedContainer(keyedBy: AnyKey.self, forKey: "nil") }
      #expect(nested.kind == .valueNotFound)
    }
  }

  @Test("decodeIfPresent reads a value, nil and a missing key for many types")
  func ifPresent() throws {
    func check<T: Codable & Equatable & Sendable & SendableMetatype>(_ value: T) throws {
      let data = try writeKeyed { container in
        try container.encodeIfPresent(value, forKey: "there")
        try container.encodeIfPresent(nil as T?, forKey: "absent")
        try container.encode(nil as T?, forKey: "nil")
      }
      try readKeyed(data) { container throws in
        #expect(container.allKeys.count == 2)
        #expect(try container.decodeIfPresent(T.self, forKey: "there") == value)
        #expect(try container.decodeIfPresent(T.self, forKey: "nil") == nil)
        #expect(try container.decodeIfPresent(T.self, forKey: "absent") == nil)
      }
    }
    try check(true)
    try check("text")
    try check(1.5)
    try check(Float(1.5))
    try check(-1)
    try check(Int8(1))
    try check(Int16(1))
    try check(Int32(1))
    try check(Int64(1))
    try check(UInt(1))
    try check(UInt8(1))
    try check(UInt16(1))
    try check(UInt32(1))
    try check(UInt64(1))
    try check([1])
    try check(Data([1]))
  }

  @Test("in an unkeyed container, decodeNil advances only past a nil")
  func unkeyed() throws {
    let data = try writeUnkeyed { list in
      try list.encodeNil()
      try list.encode(1)
      try list.encode(nil as Int?)
      try list.encode("last")
    }
    try readUnkeyed(data) { list throws in
      #expect(try list.decodeNil())
      #expect(list.currentIndex == 1)
      #expect(try !list.decodeNil())
      #expect(try !list.decodeNil())
      #expect(list.currentIndex == 1)
      #expect(try list.decode(Int?.self) == 1)
      #expect(try list.decodeIfPresent(Int.self) == nil)
      #expect(list.currentIndex == 3)
      #expect(try list.decodeIfPresent(String.self) == "last")
      #expect(list.isAtEnd)
      #expect(try list.decodeIfPresent(Int.self) == nil)
      #expect(try failure { try list.decodeNil() }.kind == .valueNotFound)
      #expect(try failure { try list.decode(Int.self) }.kind == .valueNotFound)
    }
  }

  @Test("nil comes back as the root, from a single-value container and under a top-level key")
  func atTheTop() throws {
    let data = try write { encoder in
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
    #expect(try read(data) { try $0.singleValueContainer().decodeNil() })
    #expect(try ArchiveDecoder().decode(Int?.self, from: data) == nil)
    #expect(try failure { try ArchiveDecoder().decode(Int.self, from: data) }.kind == .valueNotFound)
    #expect(try failure { try readKeyed(data) { $0.allKeys.count } }.kind == .valueNotFound)
    #expect(try failure { try readUnkeyed(data) { $0.count } }.kind == .valueNotFound)

    let archiver = KeyedArchiver()
    try archiver.encode(Int?.none, forKey: "nil")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.containsValue(forKey: "nil"))
    #expect(try unarchiver.decodeIfPresent(Int.self, forKey: "nil") == nil)
    #expect(try failure { try unarchiver.decode(Int.self, forKey: "nil") }.kind == .valueNotFound)
  }

  @Test("a value reads as an optional of itself, and an optional as its value")
  func lifting() throws {
    #expect(try transcode(1, to: Int?.self) == 1)
    #expect(try transcode(1 as Int?, to: Int.self) == 1)
    #expect(try transcode([1, 2], to: [Int?].self) == [1, 2])
    #expect(try transcode([1, 2] as [Int?], to: [Int].self) == [1, 2])
    #expect(try transcode(["a"] as [String?], to: [String].self) == ["a"])
    #expect(try failure { try transcode([1, nil] as [Int?], to: [Int].self) }.kind == .valueNotFound)
  }
}

private final class Node: Codable {}
