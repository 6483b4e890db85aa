/// A key of a coding path that this library made.
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

  /// The key of the only value of an archive that has but one.
  static let root = ArchiveCodingKey(stringValue: "root")

  /// Stands for the steps of a path that are left out.
  static let ellipsis = ArchiveCodingKey(stringValue: "…")

  /// The key under which `superEncoder()` and `superDecoder()` go.
  static let `super` = ArchiveCodingKey(stringValue: "super")
}

/// Marks a key type whose keys are those of a type, few and known to the program, though they are no enumeration:
/// keyed containers with such keys are records, not maps.
protocol RecordKey: CodingKey {}

extension PathElement {
  var name: ExactString { ExactString(string: keyText) }
}

/// An optional, or the wrapper of a property that may be one: nothing is written for it where it is nil.
protocol NilHolding {
  var holdsNil: Bool { get }
}

extension Optional: NilHolding {
  var holdsNil: Bool { if case .none = self { true } else { false } }
}

/// What tells an optional type from others without knowing what it wraps.
protocol OptionalValue {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
}
