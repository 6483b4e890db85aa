/// A key of a coding path, made by this library.
struct ArchiveCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?
}

extension ArchiveCodingKey {
  init(stringValue: String) { self.init(stringValue: stringValue, intValue: nil) }
  init(intValue: Int) { self.init(stringValue: String(intValue), intValue: intValue) }
  init(index: Int) { self.init(stringValue: "Index \(index)", intValue: index) }

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

/// Marks a key type whose keys are those of a type, few and known to the program, although it is not an enumeration.
/// Keyed containers with such keys are records, not maps.
protocol RecordKey: CodingKey {}

extension PathElement {
  var name: ExactString { ExactString(string: keyText) }
}

/// An optional, or a property wrapper that may hold one. The library writes nothing for it if it is nil.
protocol NilHolding {
  var holdsNil: Bool { get }
}

extension Optional: NilHolding {
  var holdsNil: Bool { if case .none = self { true } else { false } }
}

/// Distinguishes optional types from others, whatever they wrap.
protocol OptionalValue {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
}
