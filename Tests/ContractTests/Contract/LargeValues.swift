import Foundation
import Keepsake
import TestSupport
import Testing

/// Deeply nested values of 32 KB each. Unoptimized code has many copies of a value on the stack.
@Suite struct LargeValues {
  /// Eight values, stored inline.
  private struct Eight<Part: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var a, b, c, d, e, f, g, h: Part

    init(_ part: Part) {
      (a, b, c, d, e, f, g, h) = (part, part, part, part, part, part, part, part)
    }
  }

  private typealias Large = Eight<Eight<Eight<Eight<Double>>>>

  private static let large = Large(.init(.init(.init(1))))

  private protocol Nested: Codable, Sendable {
    init()
    var inner: Self? { get set }
  }

  private struct InArray: Nested {
    var content = LargeValues.large
    private var list: [Self] = []

    var inner: Self? {
      get { list.first }
      set { list = newValue.map { [$0] } ?? [] }
    }
  }

  private struct InDictionary: Nested {
    var content = LargeValues.large
    private var values: [String: Self] = [:]

    var inner: Self? {
      get { values["inner"] }
      set { values["inner"] = newValue }
    }
  }

  private struct InFields: ArchivedFields, Nested {
    var content = LargeValues.large
    private var list: [Self] = []

    var inner: Self? {
      get { list.first }
      set { list = newValue.map { [$0] } ?? [] }
    }
  }

  private struct InObject: Nested {
    private final class Box: Codable, Sendable {
      let value: InObject

      init(_ value: InObject) { self.value = value }
    }

    var content = LargeValues.large
    private var box: Box?

    var inner: Self? {
      get { box?.value }
      set { box = newValue.map(Box.init) }
    }
  }

  private func levels<Value: Nested>(of type: Value.Type, _ count: Int) throws -> Int {
    var value = Value()
    for _ in 1..<count {
      var outer = Value()
      outer.inner = value
      value = outer
    }
    let whole = value
    var back: Value? = try onThread(stackSize: 512 << 10) {
      let data = try KeyedArchiver.archivedData(withRootObject: whole)
      return try KeyedUnarchiver.unarchive(Value.self, from: data)
    }
    var count = 0
    while let next = back {
      count += 1
      back = next.inner
    }
    return count
  }

  @Test("large values nest deep in arrays, dictionaries, fields and objects on a thread of 512 KB")
  func nestedDeep() throws {
    #expect(MemoryLayout<Large>.size == 32_768)
    #expect(try levels(of: InArray.self, 40) == 40)
    #expect(try levels(of: InDictionary.self, 40) == 40)
    #expect(try levels(of: InFields.self, 40) == 40)
    #expect(try levels(of: InObject.self, 40) == 40)
  }
}
