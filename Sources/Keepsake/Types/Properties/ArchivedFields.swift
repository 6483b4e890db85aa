/// A `Codable` type whose stored properties are archived directly, about twice as fast as by synthesized coding.
///
/// ```swift
/// struct Address: ArchivedFields {
///   var street = ""
///   var city = ""
///   var postalCode = 0
/// }
/// ```
///
/// The archive is the same as without the conformance: a record with the names of the properties. So you can adopt or
/// drop the protocol, and still read all archives. Other coders, such as `JSONEncoder`, use one keyed container.
///
/// - A property without a value in the archive keeps the value from `init()`; a value without a property is ignored.
/// The archive leaves out an optional that is nil, unless `init()` gives it a value. Nil for a property that is not
/// optional is an error.
/// - The type of each property is `Codable`; otherwise coding throws an error that names the property.
/// - A wrapped property is archived by its wrapper. Observers do not run. Computed and `lazy` properties are not
/// archived.
/// - A `let` keeps the value from `init()` when it is read. So it is an error to archive one that has another value.
/// - ``archivedKeys`` gives a property another key, or leaves it out.
///
/// Keepsake reads and writes the memory of structures, and calls neither `encode(to:)` nor `init(from:)`. So a
/// structure that implements these should not conform.
///
/// Classes may conform, too, with a `required init()`; a superclass that is `Codable` must conform as well. An object
/// exists before its properties are read, so they may refer back to it. The object of a `weak` property is archived only
/// if something else archives it, as with ``WeakReference``.
public protocol ArchivedFields: Codable {
  /// Makes a value with the defaults of all properties.
  init()

  /// The keys of properties whose key is not their name; nil for a property that is not archived.
  ///
  /// ```swift
  /// struct Reply: ArchivedFields {
  ///   var text = ""
  ///   var cache: [String: Int] = [:]
  ///
  ///   static var archivedKeys: [String: String?] { ["text": "body", "cache": nil] }
  /// }
  /// ```
  ///
  /// Return the same dictionary each time: the library asks once for each type. The keys of a class also apply to its
  /// subclasses, which may override them.
  static var archivedKeys: [String: String?] { get }
}

extension ArchivedFields {
  /// The key of each property is its name.
  public static var archivedKeys: [String: String?] { [:] }
}

/// A type whose properties, unless they are optional, keep their defaults if an archive has nil for them.
protocol DefaultKeeping: AnyObject {}
