/// A key of a coding path, made by this library.
struct ArchiveCodingKey: CodingKey {
  // At most three words, which a coding path holds without an allocation. The text of an index is made when requested.
  private enum Name {
    case text(String)
    case number(Int)
    case index(Int)
    indirect case numbered(String, Int)
  }

  private let name: Name

  var stringValue: String {
    switch name {
    case .text(let text), .numbered(let text, _): text
    case .number(let number): String(number)
    case .index(let index): "Index \(index)"
    }
  }

  var intValue: Int? {
    switch name {
    case .text: nil
    case .numbered(_, let number), .number(let number), .index(let number): number
    }
  }

  init(stringValue: String) { name = .text(stringValue) }
  init(intValue: Int) { name = .number(intValue) }
  init(index: Int) { name = .index(index) }

  init(stringValue: String, intValue: Int?) {
    name = intValue.map { .numbered(stringValue, $0) } ?? .text(stringValue)
  }

  init(_ element: PathElement) {
    switch element {
    case .key(let name): self.init(stringValue: name)
    case .intKey(let number): self.init(intValue: number)
    case .index(let index): self.init(index: index)
    }
  }

  /// The key of the value in an archive that has only one.
  static let root = ArchiveCodingKey(stringValue: "root")

  /// Stands for omitted steps of a path.
  static let ellipsis = ArchiveCodingKey(stringValue: "…")

  /// The key that `superEncoder()` and `superDecoder()` use.
  static let `super` = ArchiveCodingKey(stringValue: "super")
}

extension PathElement {
  var name: ExactString { ExactString(string: keyText) }
}

/// An optional, or a property wrapper that may hold one. The library writes nothing for it if it is nil.
protocol NilHolding {
  /// Whether a nil that is written is written as any other value is.
  static var writesItsOwnNil: Bool { get }
  var holdsNil: Bool { get }
}

extension NilHolding {
  static var writesItsOwnNil: Bool { false }
}

extension Optional: NilHolding {
  var holdsNil: Bool { if case .none = self { true } else { false } }
}
