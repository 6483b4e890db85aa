import Foundation
import Keepsake
import TestSupport
import Testing

/// Sorted sets whose elements a delegate replaces.
@Suite struct SortedReplacements {
  class Token: Codable, EqualByIdentity {}

  /// Its content is not archived.
  final class Handle: Token {
    let number: Int

    init(_ number: Int) {
      self.number = number
      super.init()
    }

    required init(from decoder: any Decoder) throws { throw Refusal() }
    override func encode(to encoder: any Encoder) throws {}
  }

  final class Stored: Token {
    let number: Int

    init(_ number: Int) {
      self.number = number
      super.init()
    }

    private enum CodingKeys: CodingKey { case number }

    required init(from decoder: any Decoder) throws {
      number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
      super.init()
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
    }
  }

  private struct Owner: Codable, Hashable {
    var token: Token
  }

  private final class Storing: KeyedArchiverDelegate {
    func archiver(_ archiver: KeyedArchiver, willEncode object: Any) -> Any? {
      (object as? Handle).map { Stored($0.number) } ?? object
    }
  }

  @Test("elements that a delegate replaces have the order of their replacements")
  func replacedElements() throws {
    let delegate = Storing()
    func archive(_ make: ([Token]) -> some Encodable) throws -> Data {
      let archiver = KeyedArchiver()
      archiver.outputFormatting = .sortedKeys
      archiver.delegate = delegate
      let tokens = (1..<9).map { Handle($0) as Token }
      // Its replacement is known when the set is sorted.
      try archiver.encode(tokens[3], forKey: "first")
      try archiver.encode(make(tokens), forKey: "set")
      try archiver.encode(tokens, forKey: "list")
      return try archiver.encodedData
    }
    func check(_ make: ([Token]) -> some Encodable) throws {
      let first = try archive(make)
      for _ in 0..<8 { #expect(try archive(make) == first) }
    }
    try check { Set($0) }
    try check { Set($0.map { Owner(token: $0) }) }
    try check { Set([Set($0.prefix(4)), Set($0.suffix(4))]) }
    try check { Set($0.map { [$0: [$0]] }) }
    try check { Set($0.map { $0 as Token? } + [nil]) }
  }
}
