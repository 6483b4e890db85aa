#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type with an empty value, which a ``Lazy`` property has when its own value cannot be read.
public protocol LazyValue {
  /// The empty value.
  static var emptyLazyValue: Self { get }
}

extension Optional: LazyValue {
  /// Nil.
  public static var emptyLazyValue: Wrapped? { nil }
}

extension Array: LazyValue {
  /// An array without elements.
  public static var emptyLazyValue: [Element] { [] }
}

extension Set: LazyValue {
  /// A set without elements.
  public static var emptyLazyValue: Set<Element> { [] }
}

extension Dictionary: LazyValue {
  /// A dictionary without keys.
  public static var emptyLazyValue: [Key: Value] { [:] }
}

extension String: LazyValue {
  /// A string without characters.
  public static var emptyLazyValue: String { "" }
}

extension Data: LazyValue {
  /// No bytes.
  public static var emptyLazyValue: Data { Data() }
}

// MARK: Properties that can wait

/// A type that can refer to objects, whose empty value is in a property until the actual value is read.
protocol ValueThatCanBeEmpty {
  static var empty: Self { get }
  var isEmptyForNow: Bool { get }
}

extension ValueThatCanBeEmpty where Self: LazyValue {
  static var empty: Self { emptyLazyValue }
}

extension ValueThatCanBeEmpty where Self: Collection {
  var isEmptyForNow: Bool { isEmpty }
}

extension Optional: ValueThatCanBeEmpty {
  var isEmptyForNow: Bool {
    guard let self else { return true }
    return (self as? any ValueThatCanBeEmpty)?.isEmptyForNow ?? false
  }
}

extension Array: ValueThatCanBeEmpty {}
extension ContiguousArray: ValueThatCanBeEmpty { static var empty: ContiguousArray { [] } }
extension Set: ValueThatCanBeEmpty {}
extension Dictionary: ValueThatCanBeEmpty {}
