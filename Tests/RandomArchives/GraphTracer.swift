/// An object of a random graph.
protocol RandomObject: AnyObject {
  /// Passes everything that is archived to the tracer, in the same order as a copy does.
  func trace(into tracer: inout GraphTracer)

  /// Releases all other objects, to break cycles.
  func cut()
}

/// A structure or enumeration in a random graph.
protocol RandomValue {
  func trace(into tracer: inout GraphTracer)
}

/// Traces a graph and computes its fingerprint: two graphs have the same one if they have the same values and classes
/// in the same positions, and share the same objects.
///
/// Objects are numbered in the order in which they are met; repeated references stand for their numbers. There is no
/// recursion, so the depth of a graph does not matter.
struct GraphTracer {
  private var hasher = Hasher()
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The objects in the order of their numbers.
  private(set) var objects: [any RandomObject] = []
  private var weakReferences: [(any RandomObject)?] = []
  /// The trace as text, kept only to find where two fingerprints differ.
  private(set) var log: [Entry]?

  /// A value as text, and by its hash, since the text of a set differs each time.
  struct Entry {
    let words: String
    let hash: Int
  }

  init(keepsLog: Bool = false) {
    log = keepsLog ? [] : nil
  }

  /// The fingerprint of everything that `start` traces, within this process.
  mutating func trace(_ start: (inout GraphTracer) -> Void) -> Int {
    start(&self)
    var next = 0
    while next < objects.count {
      let object = objects[next]
      value("\(next): \(type(of: object))")
      object.trace(into: &self)
      next += 1
    }
    // After all strong references: an object with only weak references is not archived.
    for object in weakReferences { value(object.flatMap { numbers[ObjectIdentifier($0)] }) }
    return hasher.finalize()
  }

  /// Traces a value that is determined by its equality.
  mutating func value(_ value: some Hashable) {
    hasher.combine(value)
    log?.append(Entry(words: "\(value)", hash: value.hashValue))
  }

  /// Traces a number by its bits, so that NaN equals itself, and -0 differs from 0.
  mutating func bits(_ number: Double) { value(number.bitPattern) }
  mutating func bits(_ number: Float) { value(number.bitPattern) }

  mutating func object(_ object: (any RandomObject)?) {
    guard let object else { return value(-1) }
    if let number = numbers[ObjectIdentifier(object)] { return value(number) }
    numbers[ObjectIdentifier(object)] = objects.count
    value(objects.count)
    objects.append(object)
  }

  mutating func weakly(_ object: (any RandomObject)?) {
    weakReferences.append(object)
  }

  mutating func objects(_ list: [(any RandomObject)?]) {
    value(list.count)
    for element in list { object(element) }
  }

  mutating func values(_ list: [any RandomValue]) {
    value(list.count)
    for element in list { element.trace(into: &self) }
  }

  /// Traces a text by its bytes, since equal texts may have different ones.
  mutating func text(_ text: String) { value(Array(text.utf8)) }

  /// Traces the values in the order of their keys, since a dictionary has no order.
  mutating func table(_ table: [String: some RandomObject]) {
    value(table.count)
    for (key, element) in table.sortedByBytes {
      text(key)
      object(element)
    }
  }

  mutating func table(_ table: [Int: some RandomObject]) {
    value(table.count)
    for (key, element) in table.sorted(by: { $0.key < $1.key }) {
      value(key)
      object(element)
    }
  }
}

extension Dictionary where Key == String {
  /// Not with `<`, for which "e\u{301}" and "\u{E9}a" are neither less nor greater nor equal (Swift 6.3.1).
  var sortedByBytes: [(key: String, value: Value)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
