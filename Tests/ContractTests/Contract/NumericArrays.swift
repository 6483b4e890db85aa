import Foundation
import Keepsake
import TestSupport
import Testing

/// Arrays of numbers, of every element type and many counts: packed or not, coded by hand or by the library.
@Suite struct NumericArrays {
  typealias ElementType = any (Codable & Hashable & Sendable & ArrayElement).Type

  static let elementTypes: [ElementType] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
    UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self,
    Double.self, Float.self, Bool.self, String.self, [Int].self, [Double].self,
  ]

  static let counts = [0, 1, 2, 7, 8, 127, 128, 129, 1000]

  @Test("arrays of every element type and count come back", arguments: elementTypes, counts)
  func everyType(type: ElementType, count: Int) throws {
    func check<T: Codable & Hashable & Sendable & ArrayElement>(_ type: T.Type) throws {
      for samples in T.samples {
        let values = (0..<count).map { samples[$0 % samples.count] }
        let data = try ArchiveEncoder().encode(values)
        #expect(try ArchiveDecoder().decode([T].self, from: data) == values)
        #expect(try ArchiveDecoder().decode(ContiguousArray<T>.self, from: data) == ContiguousArray(values))
        #expect(try ArchiveDecoder().decode(ByHand<T>.self, from: data).values == values)
        #expect(try transcode(ByHand(values: values), to: [T].self) == values)
        #expect(try roundTrip(ByHand(values: values)).values == values)
        let fields = Fields(before: 1, list: values, maybe: values, nested: [values, [], values], after: "x")
        #expect(try roundTrip(fields) == fields)
        #expect(try transcode(values.map { $0 as T? }, to: [T].self) == values)
        #expect(try transcode(Set(values), to: [T].self).count == Set(values).count)
      }
    }
    try check(type)
  }

  private struct Fields<T: Codable & Equatable>: Codable, Equatable {
    var before: Int
    var list: [T]
    var maybe: [T]?
    var nested: [[T]]
    var after: String
  }

  /// An array that codes its elements one at a time.
  private struct ByHand<T: Codable>: Codable {
    var values: [T]

    init(values: [T]) {
      self.values = values
    }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      values = []
      #expect(container.currentIndex == 0)
      let count = try #require(container.count)
      while !container.isAtEnd {
        #expect(try !container.decodeNil())
        values.append(try container.decode(T.self))
        #expect(container.currentIndex == values.count)
      }
      #expect(count == values.count)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for (index, value) in values.enumerated() {
        #expect(container.count == index)
        try container.encode(value)
      }
    }
  }

  @Test("elements read by hand as several types come back, and failed attempts do not advance")
  func halfRead() throws {
    let data = try ArchiveEncoder().encode(["list": [1, 2, 3, 300, 5]])
    try readKeyed(data) { container throws in
      var list = try container.nestedUnkeyedContainer(forKey: "list")
      #expect(try list.decode(Int8.self) == 1)
      #expect(try list.decode(Double.self) == 2)
      #expect(try list.decode(Int?.self) == 3)
      #expect(throws: DecodingError.self) { try list.decode(UInt8.self) }
      #expect(throws: DecodingError.self) { try list.decode(String.self) }
      #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
      #expect(try Int(from: list.superDecoder()) == 300)
      #expect(try list.decodeIfPresent(UInt64.self) == 5)
      #expect(list.isAtEnd)
    }
  }

  @Test("elements of several types in one container come back in order")
  func mixed() throws {
    let data = try writeUnkeyed { list in
      try list.encode(1)
      try list.encode(UInt8(2))
      try list.encode(3.5)
      try list.encode(true)
      try list.encode("five")
      try list.encode([6])
      try list.encode(contentsOf: [7, 8])
      try list.encode(contentsOf: [9.5, 10])
      try list.encode(contentsOf: ["eleven"])
      #expect(list.count == 11)
    }
    try readUnkeyed(data) { list throws in
      #expect(list.count == 11)
      #expect(try list.decode(Int.self) == 1)
      #expect(try list.decode(Int.self) == 2)
      #expect(try list.decode(Double.self) == 3.5)
      #expect(try list.decode(Bool.self))
      #expect(try list.decode(String.self) == "five")
      #expect(try list.decode([Int].self) == [6])
      #expect(try list.decode(Int.self) == 7)
      #expect(try list.decode(UInt8.self) == 8)
      #expect(try list.decode(Double.self) == 9.5)
      #expect(try list.decode(Double.self) == 10)
      #expect(try list.decode(String.self) == "eleven")
    }
  }

  @Test("encode(contentsOf:) appends to the array")
  func contentsOf() throws {
    let numbers = try writeUnkeyed { list in
      try list.encode(contentsOf: [Int]())
      try list.encode(contentsOf: Array(0..<500))
      try list.encode(500)
      try list.encode(contentsOf: 501..<1000)
    }
    #expect(try ArchiveDecoder().decode([Int].self, from: numbers) == Array(0..<1000))
    let doubles = try writeUnkeyed { list in try list.encode(contentsOf: [0.5, 1.5]) }
    #expect(try ArchiveDecoder().decode([Double].self, from: doubles) == [0.5, 1.5])
  }

  @Test("small numbers in arrays of wide types take little space")
  func narrow() throws {
    let numbers = Array(0..<1000).map { $0 % 100 }
    #expect(try ArchiveEncoder().encode(numbers).count < 1000 + 500)
    #expect(try ArchiveEncoder().encode(numbers.map { UInt64($0) }).count < 1000 + 500)
    #expect(try ArchiveEncoder().encode(numbers.map { Double($0) + 0.5 }).count < 8000 + 500)
  }

  @Test("random arrays of random widths come back")
  func random() throws {
    var generator = SeededGenerator("numeric arrays")
    for _ in 0..<200 {
      let shift = Int.random(in: 0..<64, using: &generator)
      let values = (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
        Int(truncatingIfNeeded: generator.next()) >> shift
      }
      #expect(try roundTrip(values) == values)
      let unsigned = values.map { UInt64(bitPattern: Int64($0)) }
      #expect(try roundTrip(["k": unsigned, "l": unsigned.map { $0 >> shift }])["k"] == unsigned)
      if let narrow = values.first.flatMap({ Int32(exactly: $0) }) {
        #expect(try transcode([Int](repeating: Int(narrow), count: 50), to: [Int32].self).last == narrow)
      }
    }
  }
}

/// An element type for the tests, with lists of values.
protocol ArrayElement {
  static var samples: [[Self]] { get }
}

extension ArrayElement where Self: FixedWidthInteger {
  static var samples: [[Self]] {
    [
      [0], [1, 2, 3], [.min, .max, 0, 1], [Self(truncatingIfNeeded: -1), 100],
      [.max >> 1, .max >> 2, .max >> 3, .max >> 5],
    ]
  }
}

extension Int: ArrayElement {}
extension Int8: ArrayElement {}
extension Int16: ArrayElement {}
extension Int32: ArrayElement {}
extension Int64: ArrayElement {}
extension Int128: ArrayElement {}
extension UInt: ArrayElement {}
extension UInt8: ArrayElement {}
extension UInt16: ArrayElement {}
extension UInt32: ArrayElement {}
extension UInt64: ArrayElement {}
extension UInt128: ArrayElement {}

extension Double: ArrayElement {
  static var samples: [[Double]] { [[0], [1, 2], [0.1, -.infinity, .leastNonzeroMagnitude], [1e300, -1]] }
}

extension Float: ArrayElement {
  static var samples: [[Float]] { [[0], [1, 2], [0.1, -.infinity, .leastNonzeroMagnitude]] }
}

extension Bool: ArrayElement {
  static var samples: [[Bool]] { [[true], [false], [true, false, false]] }
}

extension String: ArrayElement {
  static var samples: [[String]] {
    [["a", "", "ccc"], ["a somewhat longer string", "日本", "a somewhat longer string"]]
  }
}

extension Array: ArrayElement where Element: ArrayElement {
  static var samples: [[[Element]]] { [[[]], Element.samples, [[]] + Element.samples] }
}
