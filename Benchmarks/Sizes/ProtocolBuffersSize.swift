/// The size of a value in Protocol Buffers (proto3). Each keyed type is a message with its properties as fields 1, 2,
/// 3…, in the order of their declaration, in which synthesized code encodes them.
///
/// Integers are int64 or int32, doubles are double, arrays are repeated, those of numbers packed, and optionals are
/// `optional`. An array at the top is the only field of a message. Protocol Buffers have no form for maps and arrays of
/// arrays, which do not occur in the workloads that use this.
enum ProtocolBuffersSize {
  /// Thrown for a value that Protocol Buffers cannot express without another message around it.
  struct Inexpressible: Error {}

  /// The size of a value at the top.
  static func size(of tree: EncodedTree) throws -> Int {
    switch tree.content {
    case .record(let fields): try messageSize(fields)
    case .list: try fieldSize(number: 1, isOptional: false, tree)
    default: throw Inexpressible()
    }
  }

  /// The size of a message without its length.
  private static func messageSize(_ fields: [EncodedTree.Field]) throws -> Int {
    var size = 0
    for (index, field) in fields.enumerated() {
      size += try fieldSize(number: index + 1, isOptional: field.isOptional, field.value)
    }
    return size
  }

  /// The size of a field with its tag. 0 if the field has its default value and is not optional.
  private static func fieldSize(number: Int, isOptional: Bool, _ tree: EncodedTree) throws -> Int {
    let tag = varintSize(UInt64(number) << 3)
    switch tree.content {
    case .absent:
      return 0
    case .list(let elements):
      return try listSize(elements, tag: tag)
    case .record(let fields):
      return tag + delimitedSize(try messageSize(fields))
    case .text(let byteCount):
      return byteCount == 0 && !isOptional ? 0 : tag + delimitedSize(byteCount)
    default:
      guard let number = numberSize(tree) else { throw Inexpressible() }
      return number.isDefault && !isOptional ? 0 : tag + number.size
    }
  }

  /// The size of a repeated field. Numbers share one tag. Each element of another kind has its own.
  private static func listSize(_ elements: [EncodedTree], tag: Int) throws -> Int {
    guard let first = elements.first else { return 0 }
    if numberSize(first) != nil {
      let packed = try elements.reduce(0) { sum, element in
        guard let number = numberSize(element) else { throw Inexpressible() }
        return sum + number.size
      }
      return tag + delimitedSize(packed)
    }
    return try elements.reduce(0) { sum, element in
      switch element.content {
      case .text(let byteCount): sum + tag + delimitedSize(byteCount)
      case .record(let fields): sum + tag + delimitedSize(try messageSize(fields))
      default: throw Inexpressible()
      }
    }
  }

  /// The size of a number without its tag, and whether it is the default. nil if it is not a number.
  private static func numberSize(_ tree: EncodedTree) -> (size: Int, isDefault: Bool)? {
    switch tree.content {
    case .flag(let flag): (1, !flag)
    // A negative number takes ten bytes, as the sign is extended to 64 bits.
    case .integer(let value): (varintSize(UInt64(bitPattern: value)), value == 0)
    case .large(let value): (varintSize(value), false)
    // Only the zero without a sign is the default.
    case .double(let value): (8, value.bitPattern == 0)
    case .float(let value): (4, value.bitPattern == 0)
    default: nil
    }
  }

  private static func delimitedSize(_ byteCount: Int) -> Int {
    varintSize(UInt64(byteCount)) + byteCount
  }

  /// The size of a varint: a byte for every seven bits, and one byte for zero.
  private static func varintSize(_ value: UInt64) -> Int {
    max(1, (64 - value.leadingZeroBitCount + 6) / 7)
  }
}
