/// The size of a value in MessagePack: maps with strings as keys, each value in its shortest form.
enum MessagePackSize {
  /// The size of a value.
  static func size(of tree: EncodedTree) -> Int {
    switch tree.content {
    case .absent, .flag: return 1
    case .integer(let value): return size(of: value)
    case .large: return 9
    case .double: return 9
    case .float: return 5
    case .text(let byteCount): return textSize(byteCount)
    case .list(let elements):
      return headSize(count: elements.count) + elements.reduce(0) { $0 + size(of: $1) }
    case .record(let fields):
      // Absent optionals are left out.
      let present = fields.filter { !($0.isOptional && $0.value.isAbsent) }
      return headSize(count: present.count)
        + present.reduce(0) { $0 + textSize($1.keyByteCount) + size(of: $1.value) }
    }
  }

  /// The size of an integer: one byte from -32 to 127, otherwise a byte and 1, 2, 4 or 8 more.
  private static func size(of value: Int64) -> Int {
    switch value {
    case -32...127: 1
    case -0x80..<(-32), 128...0xFF: 2
    case -0x8000 ..< -0x80, 0x100...0xFFFF: 3
    case -0x8000_0000 ..< -0x8000, 0x1_0000...0xFFFF_FFFF: 5
    default: 9
    }
  }

  /// The size of a string, with its length in one byte up to 31, otherwise in a byte and 1, 2 or 4 more.
  private static func textSize(_ byteCount: Int) -> Int {
    switch byteCount {
    case ..<32: 1 + byteCount
    case ..<0x100: 2 + byteCount
    case ..<0x1_0000: 3 + byteCount
    default: 5 + byteCount
    }
  }

  /// The size of the bytes before the elements of an array or a map.
  private static func headSize(count: Int) -> Int {
    count < 16 ? 1 : count < 0x1_0000 ? 3 : 5
  }
}

extension EncodedTree {
  /// Whether the node is absent.
  var isAbsent: Bool {
    if case .absent = content { true } else { false }
  }
}
