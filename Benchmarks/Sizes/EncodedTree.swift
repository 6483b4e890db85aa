/// Everything that a value encodes, as a tree: enough to compute the size of the value in another format.
final class EncodedTree {
  /// The content of a node.
  enum Content {
    /// A nil, or a value that encodes nothing.
    case absent
    case flag(Bool)
    case integer(Int64)
    /// An integer that is too large for Int64.
    case large(UInt64)
    case double(Double)
    case float(Float)
    /// A string with that number of bytes.
    case text(byteCount: Int)
    case list([EncodedTree])
    case record([Field])
  }

  /// A value with its key.
  struct Field {
    /// The number of bytes of the key.
    var keyByteCount: Int

    /// Whether the value is optional, and so may be left out.
    var isOptional: Bool

    /// The value. It is absent if it was left out.
    var value: EncodedTree
  }

  /// The content of this node.
  private(set) var content = Content.absent

  /// The tree of `value`.
  static func tree<Value: Encodable>(of value: Value) throws -> EncodedTree {
    let tree = EncodedTree()
    try tree.record(value)
    return tree
  }

  /// Records a primitive value, or everything that another value encodes.
  func record<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let text as String: content = .text(byteCount: text.utf8.count)
    case let flag as Bool: content = .flag(flag)
    case let number as Double: content = .double(number)
    case let number as Float: content = .float(number)
    case let number as any FixedWidthInteger:
      content = Int64(exactly: number).map { .integer($0) } ?? .large(UInt64(truncatingIfNeeded: number))
    default: try value.encode(to: TreeEncoder(tree: self))
    }
  }

  /// Makes this node a record, unless it is one: a class and its superclass may both ask for the container.
  func beginRecord() {
    if case .record = content { return }
    content = .record([])
  }

  /// Makes this node a list, unless it is one.
  func beginList() {
    if case .list = content { return }
    content = .list([])
  }

  /// Adds a field to a record, and returns the node of its value.
  func appendField(_ key: some CodingKey, isOptional: Bool = false) -> EncodedTree {
    guard case .record(var fields) = content else { return EncodedTree() }
    // The array must have one owner while it grows.
    content = .absent
    let value = EncodedTree()
    fields.append(Field(keyByteCount: key.stringValue.utf8.count, isOptional: isOptional, value: value))
    content = .record(fields)
    return value
  }

  /// Adds an element to a list, and returns its node.
  func appendElement() -> EncodedTree {
    guard case .list(var elements) = content else { return EncodedTree() }
    content = .absent
    let value = EncodedTree()
    elements.append(value)
    content = .list(elements)
    return value
  }

  /// The number of elements. 0 if this is not a list.
  var elementCount: Int {
    if case .list(let elements) = content { elements.count } else { 0 }
  }
}
