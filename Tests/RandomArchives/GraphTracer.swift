/// An object of a random graph.
protocol RandomObject: AnyObject {
  /// Tells the tracer all that is archived of it, in an order that is the same in a copy.
  func trace(into tracer: inout GraphTracer)

  /// Lets go of all other objects, so that cycles are released.
  func cut()
}

/// A structure or enumeration in a random graph.
protocol RandomValue {
  func trace(into tracer: inout GraphTracer)
}

/// Goes through a graph and sums it up: two graphs have one fingerprint if they have the same values and classes in the
/// same places, and if what is one object in the one is one object in the other.
///
/// Objects are numbered in the order in which they are met, and stand for their number wherever they are met again. Not
/// by recursion, so the depth of a graph does not matter.
struct GraphTracer {
  private var hasher = Hasher()
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The objects that were met, in the order of their numbers.
  private(set) var objects: [any RandomObject] = []
  private var weakReferences: [(any RandomObject)?] = []
  /// The trace as text; kept only to find where two fingerprints differ.
  private(set) var log: [Entry]?

  /// A value in words, and by its hash: a set has other words each time.
  struct Entry {
    let words: String
    let hash: Int
  }

  init(keepsLog: Bool = false) {
    log = keepsLog ? [] : nil
  }

  /// The fingerprint of all that `start` tells and leads to. It holds within this process.
  mutating func trace(_ start: (inout GraphTracer) -> Void) -> Int {
    start(&self)
    var next = 0
    while next < objects.count {
      let object = objects[next]
      value("\(next): \(type(of: object))")
      object.trace(into: &self)
      next += 1
    }
    // When all that is held strongly is known: an object that is referred to weakly only is not archived.
    for object in weakReferences { value(object.flatMap { numbers[ObjectIdentifier($0)] }) }
    return hasher.finalize()
  }

  /// A value whose equality says all about it.
  mutating func value(_ value: some Hashable) {
    hasher.combine(value)
    log?.append(Entry(words: "\(value)", hash: value.hashValue))
  }

  /// A number by its bits: NaN is itself, and -0 is not 0.
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

  /// A text by its bytes: equal ones may have others.
  mutating func text(_ text: String) { value(Array(text.utf8)) }

  /// The values in the order of their keys, since a dictionary has none of its own.
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
  /// Not by `<`, for which "e\u{301}" and "\u{E9}a" are neither less nor greater nor equal (Swift 6.3.1).
  var sortedByBytes: [(key: String, value: Value)] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
