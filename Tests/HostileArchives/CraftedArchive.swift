package import Foundation
package import Keepsake

/// An archive that no writer would write, made on purpose, and the error that it must give.
///
/// All checksums are right. Each must be refused within 10 ms of computing and 16 MB, which the benchmarks print
/// (`--hostile`). The tests compare the errors, and measure each in a process of its own, beside an ordinary archive.
package struct CraftedArchive: Sendable, CustomStringConvertible {
  package let name: String
  private let make: @Sendable () -> Data
  /// The code of the error.
  package let code: ArchiveError.Code
  private let decode: @Sendable (Data) throws -> Void

  init<Value: Decodable & SendableMetatype>(
    _ name: String,
    _ code: ArchiveError.Code,
    as type: Value.Type,
    _ data: @autoclosure @escaping @Sendable () -> Data
  ) {
    self.name = name
    make = data
    self.code = code
    decode = { _ = try KeyedUnarchiver.unarchive(type, from: $0) }
  }

  package var description: String { name }

  /// The bytes. They are made each time: some are millions.
  package var data: Data { make() }

  /// Reads the archive, or `data`, which is it; throws the error.
  package func read(_ data: Data? = nil) throws { try decode(data ?? make()) }

  /// All of them.
  package static let all =
    graphs + bodies + values + numbers + nesting + tables + classes + files + saves + foundation + old

  // MARK: Bytes

  /// A top level that has `value` under the root key.
  package static func root(_ value: [UInt8]) -> [UInt8] { [0] + map(("root", value)) }

  package static func map(_ members: (String, [UInt8])...) -> [UInt8] {
    [Tag.map] + Bytes.varint(members.count) + members.flatMap { text($0.0) + $0.1 }
  }

  package static func text(_ text: String) -> [UInt8] {
    text.utf8.count < 32
      ? [Tag.shortString + UInt8(text.utf8.count)] + Array(text.utf8)
      : [Tag.string] + Bytes.varint(text.utf8.count) + Array(text.utf8)
  }

  package static func array(_ elements: [[UInt8]]) -> [UInt8] {
    [Tag.array] + Bytes.varint(elements.count) + Array(elements.joined())
  }

  /// A reference to an object, of five bytes.
  package static func reference(_ number: Int) -> [UInt8] {
    [Tag.objectReference + 3] + Bytes.number(UInt64(number), byteCount: 4)
  }

  /// An archive of one value.
  static func archive(of value: [UInt8]) -> Data { HandmadeArchive.data(topLevel: root(value)) }
}

/// A structure that reads whatever is in an array as its like.
package struct CraftedTree: Decodable {
  package init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    while !elements.isAtEnd { _ = try elements.decode(CraftedTree.self) }
  }
}

/// A structure that reads its like under one key.
struct CraftedChain: Decodable {
  private enum CodingKeys: CodingKey { case next }

  init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(CraftedChain.self, forKey: .next)
  }
}

/// An object that is an array of others.
package final class CraftedRing: Decodable {
  package let next: [CraftedRing]

  package init(from decoder: any Decoder) throws {
    next = try [CraftedRing](from: decoder)
  }
}

/// The class of an object that is also decoded as another class.
final class CraftedOther: Decodable {}

/// One object, decoded as two classes.
struct CraftedConfusion: Decodable {
  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    _ = try elements.decode(CraftedRing.self)
    _ = try elements.decode(CraftedOther.self)
  }
}

/// The base class of a hierarchy that an archive can name.
class CraftedAnimal: Codable, ArchivableClass {
  class var archivedClassName: String { "Crafted.Animal" }
}

/// In the hierarchy.
final class CraftedDog: CraftedAnimal {
  override static var archivedClassName: String { "Crafted.Dog" }
}

/// A class that exists, goes by a name, and is not in the hierarchy.
final class CraftedStranger: Codable, ArchivableClass {
  static var archivedClassName: String { "Crafted.Stranger" }
}
