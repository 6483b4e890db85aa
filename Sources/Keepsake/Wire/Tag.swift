/// The first byte of every value, which says what follows (Format §4).
///
/// A tag with a payload in its low bits is given as the first tag of its range.
package enum Tag {
  package static let none: UInt8 = 0x01
  package static let `false`: UInt8 = 0x02
  package static let `true`: UInt8 = 0x03
  /// A value that encoded nothing: neither a key nor an element.
  package static let empty: UInt8 = 0x04
  /// An optional whose content would read as nil on its own.
  package static let some: UInt8 = 0x05
  package static let float32: UInt8 = 0x06
  package static let float64: UInt8 = 0x07
  /// `integer + n - 1`: a signed integer of n bytes, n from 1 to 8.
  package static let integer: UInt8 = 0x08
  package static let uint64: UInt8 = 0x10
  package static let int128: UInt8 = 0x11
  package static let uint128: UInt8 = 0x12
  package static let date: UInt8 = 0x13
  package static let uuid: UInt8 = 0x14
  package static let decimal: UInt8 = 0x15
  package static let negativeDecimal: UInt8 = 0x16
  package static let url: UInt8 = 0x17
  package static let string: UInt8 = 0x18
  package static let bytes: UInt8 = 0x19
  package static let array: UInt8 = 0x1A
  package static let packedArray: UInt8 = 0x1B
  package static let map: UInt8 = 0x1C
  package static let record: UInt8 = 0x1D
  /// A value with the name of its type, for values behind a protocol.
  package static let typed: UInt8 = 0x1E
  /// `shortString + n`: a string of n bytes, n from 0 to 31.
  package static let shortString: UInt8 = 0x20
  /// `reference + n - 1`: the number of an object in n bytes, n from 1 to 4. The three tags below are built alike.
  package static let objectReference: UInt8 = 0x40
  package static let stringReference: UInt8 = 0x44
  package static let valueReference: UInt8 = 0x48
  package static let conditionalReference: UInt8 = 0x4C
  /// `shortArray + n`: an array of n elements, n from 0 to 15.
  package static let shortArray: UInt8 = 0x50
  /// `shortRecord + n`: a record of shape n, n from 0 to 15.
  package static let shortRecord: UInt8 = 0x60
  /// `smallInteger + 16 + v`: an integer v from -16 to 111.
  package static let smallInteger: UInt8 = 0x80

  /// Readers accept strings of at most this many bytes, whatever the limits.
  package static let longestShortString = 31
  static let longestShortArray = 15
  static let lastShortShape = 15
}

/// The number of bytes of a value with this tag, the tag included; 0 if the tag does not determine it.
@inline(__always)
func fixedLength(of tag: UInt8) -> Int { Int(fixedLengths[Int(tag)]) }

/// Indexed by tag, sixteen in a row. Skipping nearly any value takes one lookup here.
private let fixedLengths: [UInt8] = [
  0, 1, 1, 1, 1, 0, 5, 9, 2, 3, 4, 5, 6, 7, 8, 9,
  9, 17, 17, 9, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
  17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
  2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5,
  1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
]

/// The element types of a packed array (Format §4.7).
package enum PackedElement: UInt8, Sendable {
  case bool = 1
  case signed = 2
  case unsigned = 3
  case float32 = 4
  case float64 = 5
}

/// What a tag stands for, with each payload range folded into one case: the only place that takes tags apart.
package enum TagKind: UInt8, Sendable {
  case reserved, none, bool, empty, some, float32, float64
  case integer, smallInteger, uint64, int128, uint128
  case date, uuid, decimal, url
  case string, shortString, stringReference, bytes
  case array, shortArray, packedArray, map, record, shortRecord
  case objectReference, valueReference, conditionalReference, typed

  package init(_ tag: UInt8) {
    self =
      switch tag {
      case Tag.none: .none
      case Tag.false, Tag.true: .bool
      case Tag.empty: .empty
      case Tag.some: .some
      case Tag.float32: .float32
      case Tag.float64: .float64
      case Tag.integer..<Tag.uint64: .integer
      case Tag.uint64: .uint64
      case Tag.int128: .int128
      case Tag.uint128: .uint128
      case Tag.date: .date
      case Tag.uuid: .uuid
      case Tag.decimal, Tag.negativeDecimal: .decimal
      case Tag.url: .url
      case Tag.string: .string
      case Tag.bytes: .bytes
      case Tag.array: .array
      case Tag.packedArray: .packedArray
      case Tag.map: .map
      case Tag.record: .record
      case Tag.typed: .typed
      case Tag.shortString..<Tag.objectReference: .shortString
      case Tag.objectReference..<Tag.stringReference: .objectReference
      case Tag.stringReference..<Tag.valueReference: .stringReference
      case Tag.valueReference..<Tag.conditionalReference: .valueReference
      case Tag.conditionalReference..<Tag.shortArray: .conditionalReference
      case Tag.shortArray..<Tag.shortRecord: .shortArray
      case Tag.shortRecord...(Tag.shortRecord + 15): .shortRecord
      case Tag.smallInteger...: .smallInteger
      default: .reserved
      }
  }
}
