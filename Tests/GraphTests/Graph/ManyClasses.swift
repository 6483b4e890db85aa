import Foundation
import Keepsake
import TestSupport
import Testing

/// One value with so many classes that the numbers of their plans take two bytes.
@Suite struct ManyClasses {
  private final class Leaf<Tag>: Codable {
    let number: Int
    var twin: Leaf<Tag>?

    init(_ number: Int, twin: Leaf<Tag>? = nil) { (self.number, self.twin) = (number, twin) }
  }

  private enum Zero<Tag> {}
  private enum One<Tag> {}

  private protocol Visitor {
    mutating func visit<Tag>(_ tag: Tag.Type) throws
  }

  /// Visits a type for each sequence of `length` zeros and ones.
  private static func visit<Tag>(_ tag: Tag.Type, _ length: Int, _ visitor: inout some Visitor) throws {
    guard length > 0 else { return try visitor.visit(tag) }
    try visit(Zero<Tag>.self, length - 1, &visitor)
    try visit(One<Tag>.self, length - 1, &visitor)
  }

  private struct Writer: Visitor {
    var list: any UnkeyedEncodingContainer
    var number: Int

    /// Encodes an object that stays, and one that is undone.
    mutating func visit<Tag>(_ tag: Tag.Type) throws {
      number += 1
      try list.encode(Leaf<Tag>(number, twin: Leaf(-number)))
      try? list.encode(
        Writing {
          var inner = $0.unkeyedContainer()
          try inner.encode([Leaf<[Tag]>(0), Leaf<[Tag]>(1)])
          throw Refusal()
        }
      )
    }
  }

  private struct Reader: Visitor {
    var list: any UnkeyedDecodingContainer
    var numbers: [Int] = []

    mutating func visit<Tag>(_ tag: Tag.Type) throws {
      let leaf = try list.decode(Leaf<Tag>.self)
      numbers += [leaf.number, leaf.twin?.number ?? 0]
    }
  }

  /// Two objects of each class.
  private struct Leaves: Codable {
    static let length = 8
    private(set) var numbers: [Int] = []

    init() {}

    func encode(to encoder: any Encoder) throws {
      var writer = Writer(list: encoder.unkeyedContainer(), number: 0)
      for _ in 0..<2 { try ManyClasses.visit(Never.self, Leaves.length, &writer) }
    }

    init(from decoder: any Decoder) throws {
      var reader = Reader(list: try decoder.unkeyedContainer())
      for _ in 0..<2 { try ManyClasses.visit(Never.self, Leaves.length, &reader) }
      guard reader.list.isAtEnd else { throw Refusal(reason: "\(reader.list.currentIndex)") }
      numbers = reader.numbers
    }
  }

  @Test("each object is written by the plan of its class")
  func plans() throws {
    let expected = (1...2 << Leaves.length).flatMap { [$0, -$0] }
    #expect(try roundTrip(Leaves()).numbers == expected)
    #expect(try roundTrip([Leaves(), Leaves()]).map(\.numbers) == [expected, expected])
  }
}
