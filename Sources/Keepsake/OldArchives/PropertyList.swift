/// A property list as NSKeyedArchiver writes it: values that refer to each other by number.
struct PropertyList {
  enum Node {
    case bool(Bool)
    case integer(IntegerValue)
    case real(Double)
    /// In seconds since the first moment of 2001, UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// The number of an object.
    case reference(Int)
    case array([Int])
    case dictionary([Member])
  }

  /// The numbers of a key and of its value.
  struct Member {
    let key: Int
    let value: Int
  }

  var nodes: [Node] = []
  /// Where each node stands in the file.
  var offsets: [Int] = []
  /// The node that all others are in.
  var root = 0

  /// What a node takes beside what is in it.
  static let nodeByteCount = MemoryLayout<Node>.stride + MemoryLayout<Int>.stride

  subscript(number: Int) -> Node { nodes[number] }

  /// The text of a string; `nil` for another node.
  func string(_ number: Int) -> String? {
    if case .string(let text) = nodes[number] { text } else { nil }
  }

  /// The nodes in an array; `nil` for another node.
  func array(_ number: Int) -> [Int]? {
    if case .array(let elements) = nodes[number] { elements } else { nil }
  }

  /// The members of a dictionary; `nil` for another node.
  func dictionary(_ number: Int) -> [Member]? {
    if case .dictionary(let members) = nodes[number] { members } else { nil }
  }

  /// The node under `key` of a dictionary, if it is one and has the key among the first of its members: what is looked
  /// for so stands in dictionaries of a few, which others may refer to any number of times.
  func value(of key: String, in number: Int) -> Int? {
    dictionary(number)?.prefix(32).first { string($0.key).map { $0.utf8.elementsEqual(key.utf8) } ?? false }?
      .value
  }

  func damaged(_ message: String, at number: Int) -> ArchiveError {
    ArchiveError(.damaged, message, byteOffset: offsets[number])
  }
}

extension PropertyList {
  /// Reads the property list in `reader`, in one of the two forms that NSKeyedArchiver writes; `nil` when it begins as
  /// neither does.
  ///
  /// - Parameter budget: is charged for what the list takes.
  init?(_ reader: ByteReader, _ budget: inout TranslationBudget) throws(ArchiveError) {
    if reader.hasBytes(BinaryPropertyListReader.signature, at: 0) {
      var binary = try BinaryPropertyListReader(reader, budget)
      self = try binary.read()
      budget = binary.budget
    } else if let text = try XMLPropertyListReader(reader, budget) {
      var text = text
      self = try text.read()
      budget = text.budget
    } else {
      return nil
    }
  }
}
