/// Receives every decoded object, and the names of classes that are not found otherwise.
protocol DecodingObserver: AnyObject {
  /// The object to use in place of `object`, possibly `object` itself; `nil` to use nil.
  func replacement(forDecoded object: AnyObject) -> AnyObject?
  /// The type to build for the class `name` of the archive, whose superclasses have the names `superclasses`.
  func type(forUnknownName name: String, superclasses: [String]) -> Any.Type?
}

/// An object with a method that the unarchiver calls when the object's whole graph is decoded.
///
/// ```swift
/// extension Library: ArchiveAwakening {
///   func awakeFromArchive() { index = Dictionary(grouping: books, by: \.author) }
/// }
/// ```
public protocol ArchiveAwakening: AnyObject {
  /// The unarchiver calls this once for each decoded object, when the whole graph is complete, including deferred and
  /// weak references. It calls objects in the order in which their initializers returned.
  func awakeFromArchive()
}

/// The types that an archive may name for subclasses and for values behind protocols.
///
/// ```swift
/// unarchiver.classPolicy = .registeredOnly
/// unarchiver.setClass(Dog.self, forClassName: "Dog")
/// let pets = try unarchiver.decode([Animal].self, forKey: "pets")
/// ```
public enum ArchiveClassPolicy: Sendable, Hashable {
  /// Any type of the program that fits the declaration: a subclass of the declared class, or a type that conforms to
  /// the declared protocol.
  case byName
  /// Only the declared class itself, and types that were registered with `setClass(_:forClassName:)` of
  /// ``KeyedUnarchiver``.
  case registeredOnly
}
