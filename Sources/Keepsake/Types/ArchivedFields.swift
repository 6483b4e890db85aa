/// A `Codable` type whose stored properties are archived as they are, about twice as fast as by the coding that the
/// compiler writes.
///
/// ```swift
/// struct Address: ArchivedFields {
///   var street = ""
///   var city = ""
///   var postalCode = 0
/// }
/// ```
///
/// That is all. In an archive a value is what it would be without the conformance: a record with the names of the
/// properties. So archives that were written before are read, and those that are written now are read by types of the same
/// properties that only are `Codable`. With other coders, such as `JSONEncoder`, the type is one keyed container.
///
/// - A property for which there is no value keeps what `init()` gave it; values that no property has the name of are
///   ignored. An optional that is nil is left out, unless `init()` gives it a value: then the nil is written. Nil for a
///   property that is not optional is an error.
/// - The type of a property is `Codable`. Where it is not, coding throws an error that names the property.
/// - A property with a wrapper is archived by its wrapper. Observers do not run. Computed and `lazy` properties are left
///   alone.
/// - A `let` is archived and not read, as by the coding that the compiler writes: it has what `init()` gave it. So it is an
///   error to archive one that holds something else.
/// - ``archivedKeys`` gives a property another key, or leaves it out.
///
/// Keepsake reads and writes the memory of structures and calls neither `encode(to:)` nor `init(from:)`; so a structure that
/// has its own should not conform.
///
/// Classes may conform, too, with a `required init()`. Their objects are there before their properties are read, so that
/// these may lead back to them; a `weak` property is archived only if something else archives its object, as with
/// ``WeakReference``.
public protocol ArchivedFields: Codable {
  /// Makes a value with the defaults of all properties.
  init()

  /// The keys of those properties that have another one than their name; nil for a property that is not archived.
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
  /// It is asked for once for each type, and is to be the same always. In a class it also holds for subclasses; what a
  /// subclass says goes first.
  static var archivedKeys: [String: String?] { get }
}

extension ArchivedFields {
  /// No property has another key than its name.
  public static var archivedKeys: [String: String?] { [:] }
}

/// A type whose properties keep their defaults where an archive has nil for them, unless they are optional.
protocol DefaultKeeping: AnyObject {}
