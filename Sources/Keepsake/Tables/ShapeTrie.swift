/// The shapes that the session has encoded (Format §5.2), as paths from a root along the keys in the order of writing.
///
/// Each node remembers the last step that was taken from it, so writing a key nearly always takes one comparison.
struct ShapeTrie {
  private struct Node {
    let parent: Int
    let key: Int
    /// The number of the shape that ends here, once a record of that shape was written.
    var number = -1
    private(set) var lastKey = -1
    private(set) var lastChild = -1

    @inline(__always)
    mutating func note(_ key: Int, to child: Int) {
      lastKey = key
      lastChild = child
    }
  }

  static let root = 0

  private var nodes = [Node(parent: -1, key: -1)]
  /// Finds nodes by the steps to them.
  private var steps = SlotTable(for: 0)
  /// A node with a long path and the keys on that path, so that a record of many keys asks each node only once.
  private var long = (node: root, keys: Set<Int>())
  private static let longCount = 32
  /// The last node of each numbered shape.
  private var ends: [Int] = []
  /// Tables that were written before, with the shapes in them.
  private var written = HashedCache<(ends: [Int], bytes: ByteBuffer)>()
  private static let mostWrittenBytes = 1 << 9
  private var writing = Writing()

  /// What is being written in the short form.
  private struct Writing {
    /// The numbers of the keys in the archive, by their numbers in the session; -1 if it does not have them yet.
    var numbers: [Int] = []
    /// The keys of the archive in order.
    var keys: [Int] = []
    /// The keys of one shape, the last first.
    var path: [Int] = []
  }

  /// The number of paths from the root along the keys.
  var nodeCount: Int { nodes.count }

  var count: Int { ends.count }

  /// The node to which `key` leads, or `nil` if the path to `node` already has that key.
  @inline(__always)
  mutating func step(from node: Int, key: Int) -> Int? {
    if nodes[node].lastKey == key { return nodes[node].lastChild }
    return longStep(from: node, key: key)
  }

  private mutating func longStep(from node: Int, key: Int) -> Int? {
    if let known = child(of: node, key: key) {
      nodes[node].note(key, to: known)
      return known
    }
    if path(to: node, has: key) { return nil }
    return addChild(of: node, key: key)
  }

  /// The node to which `key` leads. The caller knows that the path to `node` does not have the key.
  mutating func step(from node: Int, newKey key: Int) -> Int {
    child(of: node, key: key) ?? addChild(of: node, key: key)
  }

  @inline(__always)
  private static func hash(ofStepFrom node: Int, key: Int) -> UInt32 {
    // Neither number reaches 32 bits: memory has no room for so many nodes and keys.
    KeyHash.seeded.of(node &<< 32 | key)
  }

  @inline(__always)
  private func child(of node: Int, key: Int) -> Int? {
    steps.slot(ShapeTrie.hash(ofStepFrom: node, key: key)) {
      nodes[$0].parent == node && nodes[$0].key == key
    }
  }

  private mutating func addChild(of node: Int, key: Int) -> Int {
    let child = nodes.count
    nodes.append(Node(parent: node, key: key))
    steps.enterLast(of: nodes.count) { [nodes] in
      ShapeTrie.hash(ofStepFrom: nodes[$0].parent, key: nodes[$0].key)
    }
    nodes[node].note(key, to: child)
    return child
  }

  private mutating func path(to node: Int, has key: Int) -> Bool {
    var (above, count) = (node, 0)
    while above != long.node, above != ShapeTrie.root {
      if nodes[above].key == key { return true }
      (above, count) = (nodes[above].parent, count + 1)
    }
    guard above == long.node || count > ShapeTrie.longCount else { return false }
    if count > ShapeTrie.longCount {
      if above != long.node { long.keys = [] }
      long.keys.formUnion(keys(of: node, from: above))
      long.node = node
    }
    return long.keys.contains(key)
  }

  /// The last key on the path to `node`; -1 if there is none.
  func lastKey(of node: Int) -> Int { nodes[node].key }

  /// The keys on the path to `node`, in the order of writing, behind the node `start` of that path.
  func keys(of node: Int, from start: Int = root) -> [Int] {
    var keys: [Int] = []
    ShapeTrie.appendKeys(of: node, from: start, nodes, to: &keys)
    return keys.reversed()
  }

  /// Appends the keys on the path to `node` behind the node `start`, the last first.
  @inline(__always)
  private static func appendKeys(of node: Int, from start: Int, _ nodes: [Node], to keys: inout [Int]) {
    var node = node
    while node != start {
      keys.append(nodes[node].key)
      node = nodes[node].parent
    }
  }

  /// The keys of the shape `number`, in the order of writing.
  func keys(ofShape number: Int) -> [Int] { keys(of: ends[number]) }

  /// The number of the shape that ends at `node`, which gets the next number if it has none.
  @inline(__always)
  mutating func number(of node: Int) -> Int {
    let known = nodes[node].number
    if known >= 0 { return known }
    nodes[node].number = ends.count
    ends.append(node)
    return ends.count - 1
  }

  /// The node at which the shape `number` ends.
  func end(of number: Int) -> Int { ends[number] }

  /// Gives the next number to the shape of `keys`, as the file does. A repeated shape keeps its first number.
  mutating func takeOver(_ keys: [Int]) {
    let node = keys.reduce(ShapeTrie.root) { step(from: $0, newKey: $1) }
    if nodes[node].number < 0 { nodes[node].number = ends.count }
    ends.append(node)
  }

  /// Takes back the numbers from `count` on.
  mutating func truncate(to count: Int) {
    while ends.count > count {
      nodes[ends.removeLast()].number = -1
    }
  }
}

extension ShapeTrie {
  /// Writes the shapes and keys of the short form (Format §7). The shapes come first, and determine the number of keys.
  /// Small archives of one kind have the same tables, which are assembled only once.
  mutating func writeShort(to buffer: ByteBuffer, names: [String]) {
    guard !ends.isEmpty else { return }
    let hash = ends.reduce(0) { KeyHash.unseeded.of(Int($0) << 32 | $1) }
    if let known = written[hash], known.ends == ends { return buffer.append(known.bytes) }
    let start = buffer.count
    writeNewShort(to: buffer, names)
    guard buffer.count - start <= ShapeTrie.mostWrittenBytes else { return }
    let bytes = ByteBuffer(minimumCapacity: buffer.count - start)
    bytes.append(buffer, start..<buffer.count)
    written[hash] = (ends, bytes)
  }

  private mutating func writeNewShort(to buffer: ByteBuffer, _ names: [String]) {
    while writing.numbers.count < names.count { writing.numbers.append(-1) }
    for end in ends {
      writing.path.removeAll(keepingCapacity: true)
      ShapeTrie.appendKeys(of: end, from: ShapeTrie.root, nodes, to: &writing.path)
      let areNew = !writing.path.isEmpty && writing.path.allSatisfy { writing.numbers[$0] < 0 }
      buffer.append(varint: writing.path.count << 1 | (areNew ? 1 : 0))
      for key in writing.path.reversed() {
        if writing.numbers[key] < 0 {
          writing.numbers[key] = writing.keys.count
          writing.keys.append(key)
        }
        if !areNew { buffer.append(varint: writing.numbers[key]) }
      }
    }
    for key in writing.keys {
      buffer.append(text: names[key])
      writing.numbers[key] = -1
    }
    writing.keys.removeAll(keepingCapacity: true)
  }

  /// Writes the key table and the shape table (Format §5.1, §5.2); returns the key count and the second offset.
  func write(to buffer: ByteBuffer, names: [String]) -> (keyCount: Int, shapesOffset: Int) {
    // The numbers of keys in the archive, by their numbers here.
    var numbers = [Int](repeating: -1, count: ends.isEmpty ? 0 : names.count)
    var keyCount = 0
    for end in ends {
      for key in keys(of: end) where numbers[key] < 0 {
        numbers[key] = keyCount
        keyCount += 1
        buffer.append(text: names[key])
      }
    }
    let shapesOffset = buffer.count
    for end in ends {
      let keys = keys(of: end)
      buffer.append(varint: keys.count)
      for key in keys { buffer.append(varint: numbers[key]) }
    }
    return (keyCount, shapesOffset)
  }
}
