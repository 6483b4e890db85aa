package import Foundation
package import Keepsake

/// A handmade archive that no writer produces, and the error that it must give.
///
/// All checksums are correct. Each archive must be refused within 10 ms of processor time and 16 MB, which the
/// benchmarks print (`--hostile`). The tests compare the errors, and measure each archive in a separate process, beside
/// an ordinary archive.
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

  /// The bytes. They are made each time, since some are millions.
  package var data: Data { make() }

  /// Reads the archive, or `data`, which must equal it; throws the error.
  package func read(_ data: Data? = nil) throws { try decode(data ?? make()) }

  /// All crafted archives.
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

/// A structure that reads the elements of an array as its own type.
package struct CraftedTree: Decodable {
  package init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    while !elements.isAtEnd { _ = try elements.decode(CraftedTree.self) }
  }
}

/// A structure that reads its own type under one key.
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

/// A class in the hierarchy.
final class CraftedDog: CraftedAnimal {
  override static var archivedClassName: String { "Crafted.Dog" }
}

/// An existing class with a name that is not in the hierarchy.
final class CraftedStranger: Codable, ArchivableClass {
  static var archivedClassName: String { "Crafted.Stranger" }
}
