import Foundation
import Keepsake
import TestSupport
import Testing

/// Each primitive type, by each method that the containers have for it: the same value comes back under a key, as an
/// element, or alone.
@Suite struct EveryPrimitive {
  /// The methods that write and read one primitive type. The containers have methods for each type besides the generic
  /// ones, which a generic test would call.
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let count: Int
    let putKeyed: @Sendable (inout KeyedEncodingContainer<AnyKey>, Int, AnyKey) throws -> Void
    let isKeyed: @Sendable (KeyedDecodingContainer<AnyKey>, Int, AnyKey) throws -> Bool
    let isPresent: @Sendable (KeyedDecodingContainer<AnyKey>, Int?, AnyKey) throws -> Bool
    let putElement: @Sendable (inout any UnkeyedEncodingContainer, Int) throws -> Void
    let isElement: @Sendable (inout any UnkeyedDecodingContainer, Int) throws -> Bool
    let putSingle: @Sendable (inout any SingleValueEncodingContainer, Int) throws -> Void
    let isSingle: @Sendable (any SingleValueDecodingContainer, Int) throws -> Bool
    let archive: @Sendable () throws -> Data

    init<T: Codable & Equatable & Sendable>(
      _ values: [T],
      _ putKeyed: @escaping @Sendable (inout KeyedEncodingContainer<AnyKey>, T, AnyKey) throws -> Void,
      _ getKeyed: @escaping @Sendable (KeyedDecodingContainer<AnyKey>, AnyKey) throws -> T,
      _ getIfPresent: @escaping @Sendable (KeyedDecodingContainer<AnyKey>, AnyKey) throws -> T?,
      _ putElement: @escaping @Sendable (inout any UnkeyedEncodingContainer, T) throws -> Void,
      _ getElement: @escaping @Sendable (inout any UnkeyedDecodingContainer) throws -> T,
      _ putSingle: @escaping @Sendable (inout any SingleValueEncodingContainer, T) throws -> Void,
      _ getSingle: @escaping @Sendable (any SingleValueDecodingContainer) throws -> T
    ) {
      testDescription = "\(T.self)"
      count = values.count
      self.putKeyed = { try putKeyed(&$0, values[$1], $2) }
      isKeyed = { try getKeyed($0, $2) == values[$1] }
      isPresent = { try getIfPresent($0, $2) == $1.map { values[$0] } }
      self.putElement = { try putElement(&$0, values[$1]) }
      isElement = { try getElement(&$0) == values[$1] }
      self.putSingle = { try putSingle(&$0, values[$1]) }
      isSingle = { try getSingle($0) == values[$1] }
      archive = { try ArchiveEncoder().encode(values) }
    }
  }

  @Test("a primitive comes back under a key, by decode and decodeIfPresent", arguments: samples)
  func keyed(sample: Sample) throws {
    for index in 0..<sample.count {
      let data = try writeKeyed { container throws in
        try sample.putKeyed(&container, index, "value")
        try container.encodeNil(forKey: "nothing")
      }
      try readKeyed(data) { container throws in
        #expect(try sample.isKeyed(container, index, "value"))
        #expect(try sample.isPresent(container, index, "value"))
        #expect(try sample.isPresent(container, nil, "nothing"))
        #expect(try sample.isPresent(container, nil, "absent"))
        #expect(try failure { try sample.isKeyed(container, index, "absent") }.missingKey == "absent")
        #expect(try failure { try sample.isKeyed(container, index, "nothing") }.kind == .valueNotFound)
      }
    }
  }

  @Test("primitives come back as elements, encoded singly and as an array", arguments: samples)
  func elements(sample: Sample) throws {
    let single = try writeUnkeyed { list throws in
      for index in 0..<sample.count { try sample.putElement(&list, index) }
    }
    for data in [single, try sample.archive()] {
      try readUnkeyed(data) { list throws in
        #expect(list.count == sample.count)
        for index in 0..<sample.count {
          #expect(list.currentIndex == index && !list.isAtEnd)
          #expect(try sample.isElement(&list, index))
        }
        #expect(list.isAtEnd)
        #expect(throws: DecodingError.self) { try sample.isElement(&list, 0) }
      }
    }
  }

  @Test("a primitive comes back in a single-value container", arguments: samples)
  func single(sample: Sample) throws {
    for index in 0..<sample.count {
      let data = try write { encoder in
        var container = encoder.singleValueContainer()
        try sample.putSingle(&container, index)
      }
      #expect(try read(data) { try sample.isSingle($0.singleValueContainer(), index) })
    }
  }

  static let samples: [Sample] = [
    Sample(
      [true, false] as [Bool],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Bool.self, forKey: $1) },
      { try $0.decodeIfPresent(Bool.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Bool.self) },
      { try $0.encode($1) },
      { try $0.decode(Bool.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [Int],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Int.self, forKey: $1) },
      { try $0.decodeIfPresent(Int.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Int.self) },
      { try $0.encode($1) },
      { try $0.decode(Int.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [Int8],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Int8.self, forKey: $1) },
      { try $0.decodeIfPresent(Int8.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Int8.self) },
      { try $0.encode($1) },
      { try $0.decode(Int8.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [Int16],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Int16.self, forKey: $1) },
      { try $0.decodeIfPresent(Int16.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Int16.self) },
      { try $0.encode($1) },
      { try $0.decode(Int16.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [Int32],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Int32.self, forKey: $1) },
      { try $0.decodeIfPresent(Int32.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Int32.self) },
      { try $0.encode($1) },
      { try $0.decode(Int32.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [Int64],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Int64.self, forKey: $1) },
      { try $0.decodeIfPresent(Int64.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Int64.self) },
      { try $0.encode($1) },
      { try $0.decode(Int64.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [Int128],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Int128.self, forKey: $1) },
      { try $0.decodeIfPresent(Int128.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Int128.self) },
      { try $0.encode($1) },
      { try $0.decode(Int128.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [UInt],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(UInt.self, forKey: $1) },
      { try $0.decodeIfPresent(UInt.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(UInt.self) },
      { try $0.encode($1) },
      { try $0.decode(UInt.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [UInt8],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(UInt8.self, forKey: $1) },
      { try $0.decodeIfPresent(UInt8.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(UInt8.self) },
      { try $0.encode($1) },
      { try $0.decode(UInt8.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [UInt16],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(UInt16.self, forKey: $1) },
      { try $0.decodeIfPresent(UInt16.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(UInt16.self) },
      { try $0.encode($1) },
      { try $0.decode(UInt16.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [UInt32],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(UInt32.self, forKey: $1) },
      { try $0.decodeIfPresent(UInt32.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(UInt32.self) },
      { try $0.encode($1) },
      { try $0.decode(UInt32.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [UInt64],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(UInt64.self, forKey: $1) },
      { try $0.decodeIfPresent(UInt64.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(UInt64.self) },
      { try $0.encode($1) },
      { try $0.decode(UInt64.self) }
    ),
    Sample(
      [.min, 0, 1, 100, .max] as [UInt128],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(UInt128.self, forKey: $1) },
      { try $0.decodeIfPresent(UInt128.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(UInt128.self) },
      { try $0.encode($1) },
      { try $0.decode(UInt128.self) }
    ),
    Sample(
      [0, -1.5, .pi, .greatestFiniteMagnitude, .infinity] as [Float],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Float.self, forKey: $1) },
      { try $0.decodeIfPresent(Float.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Float.self) },
      { try $0.encode($1) },
      { try $0.decode(Float.self) }
    ),
    Sample(
      [0, -1.5, .pi, .greatestFiniteMagnitude, .infinity] as [Double],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(Double.self, forKey: $1) },
      { try $0.decodeIfPresent(Double.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(Double.self) },
      { try $0.encode($1) },
      { try $0.decode(Double.self) }
    ),
    Sample(
      ["", "a", "ä", String(repeating: "long ", count: 20)] as [String],
      { try $0.encode($1, forKey: $2) },
      { try $0.decode(String.self, forKey: $1) },
      { try $0.decodeIfPresent(String.self, forKey: $1) },
      { try $0.encode($1) },
      { try $0.decode(String.self) },
      { try $0.encode($1) },
      { try $0.decode(String.self) }
    ),
  ]
}
