/// A base class whose subclasses are `Codable` without any coding code: it archives all their stored `var`
/// properties.
///
/// ```swift
/// class User: ArchivedModel {
///   var name = ""
///   var friends: [User] = []
///   weak var boss: User?
///   private var secret: Data?
/// }
/// class Admin: User {
///   var level = 1
/// }
/// ```
///
/// Models may refer to each other in cycles. The rules of ``ArchivedFields`` apply, except that a property that is not
/// optional keeps its default if the archive has nil. So you can add and remove properties.
/// ``ArchivedFields/archivedKeys`` renames the key of a property or leaves the property out:
///
/// ```swift
/// override class var archivedKeys: [String: String?] { ["friends": "mates", "cache": nil] }
/// ```
///
/// If a class and its superclass have private properties with the same name, the key of the one in the superclass is
/// the name, and the key of the one in the subclass is `ClassName.name`. If you rename that class, declare its earlier
/// name (see ``ArchivableClass``).
///
/// Other encoders, such as `JSONEncoder`, write a model as one keyed container with all its properties.
open class ArchivedModel: ArchivedFields, SelfRegistering, DefaultKeeping {
  /// The keys of properties whose key is not their name; nil for a property that is not archived.
  open class var archivedKeys: [String: String?] { [:] }

  /// Creates a model with the defaults of all its properties.
  public required init() {}

  /// Decodes the properties that have a value; the others keep their defaults.
  ///
  /// In a graph that is deeper than readers accept, an optional or collection may be empty until everything else is
  /// decoded. So derive other values from it only in ``ArchiveAwakening/awakeFromArchive()``.
  public required init(from decoder: any Decoder) throws {
    // `Unretained`, since passing `self` would count a reference.
    try Unretained(self).use { try decodeProperties(ofObject: $0, from: decoder) }
  }

  /// Encodes all properties, those of the base class first, nil as an explicit nil.
  open func encode(to encoder: any Encoder) throws {
    try encodeProperties(ofObject: self, to: encoder)
  }
}
