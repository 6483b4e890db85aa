/// Receives every decoded object, and the names of classes that are not found otherwise.
struct DecodingObserver {
  /// The object to use in place of the given one, possibly that itself; `nil` to use nil.
  let replacement: (AnyObject) -> AnyObject?
  /// The type to build for the class `name` of the archive. `names` are its own and those of its superclasses.
  let typeForUnknownName: (_ name: String, _ names: [String]) -> Any.Type?
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
  /// Only the declared class itself, and types from `setClass(_:forClassName:)` or the delegate of a
  /// ``KeyedUnarchiver``.
  case registeredOnly
}
