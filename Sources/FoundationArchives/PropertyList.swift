/// A property list as NSKeyedArchiver writes it: values that refer to each other by number.
package struct PropertyList {
  package enum Node {
    case bool(Bool)
    case integer(Int128)
    case real(Double)
    /// In seconds since the beginning of 2001, UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// The number of an object.
    case reference(Int)
    case array([Int])
    case dictionary([Member])
  }

  /// The numbers of a key and of its value.
  package struct Member {
    package let key: Int
    package let value: Int
  }

  var nodes: [Node] = []
  /// The offset of each node in the file.
  package internal(set) var offsets: [Int] = []
  /// The node that contains all others.
  package internal(set) var root = 0

  /// The memory of a node without its content.
  static let nodeByteCount = MemoryLayout<Node>.stride + MemoryLayout<Int>.stride

  package subscript(number: Int) -> Node { nodes[number] }

  // The content of a node; `nil` for a node of another kind.

  func string(_ number: Int) -> String? {
    if case .string(let text) = nodes[number] { text } else { nil }
  }

  package func array(_ number: Int) -> [Int]? {
    if case .array(let elements) = nodes[number] { elements } else { nil }
  }

  package func dictionary(_ number: Int) -> [Member]? {
    if case .dictionary(let members) = nodes[number] { members } else { nil }
  }

  /// The node under `key` in a dictionary; `nil` for another node, or if the key is not among the first members. The
  /// keys to find are in small dictionaries, but a file may refer to a large one any number of times.
  func value(of key: String, in number: Int) -> Int? {
    dictionary(number)?.prefix(32).first { string($0.key).map { $0.utf8.elementsEqual(key.utf8) } ?? false }?
      .value
  }

  package func damaged(_ message: String, at number: Int) -> ReadingError {
    .damaged(message, at: offsets[number])
  }
}

extension PropertyList {
  /// The number of bytes that show whether a file may be a property list.
  package static let startByteCount = 8

  package static func mayBegin(with start: [UInt8]) -> Bool {
    start.starts(with: BinaryPropertyListReader.signature) || XMLScanner.mayBegin(with: start)
  }

  /// Reads the property list in `bytes`, in one of the two forms that NSKeyedArchiver writes; returns `nil` if they
  /// begin like neither. Charges the budget for the list and for the bytes.
  package init?(_ bytes: [UInt8], _ budget: inout ReadingBudget) throws(ReadingError) {
    try budget.charge(bytes.count, at: 0)
    if bytes.starts(with: BinaryPropertyListReader.signature) {
      var binary = try BinaryPropertyListReader(bytes, budget)
      self = try binary.read()
      budget = binary.budget
    } else if var text = XMLPropertyListReader(bytes, budget) {
      self = try text.read()
      budget = text.budget
    } else {
      return nil
    }
  }
}
