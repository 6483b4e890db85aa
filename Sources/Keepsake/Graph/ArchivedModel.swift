/// A base class whose subclasses are `Codable` without any coding code: all their stored `var` properties are archived.
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
/// Models may refer to each other in cycles. Every property has a default, which it keeps when the archive has no value
/// for it, or nil and the property is not optional; so properties can be added later. Values of properties that were
/// removed are ignored. Observers (`didSet`) do not run while the object is decoded.
///
/// All else is as ``ArchivedFields`` says: which properties there are, what a type that is not `Codable` leads to, and how
/// ``ArchivedFields/archivedKeys`` gives a property another key or leaves it out:
///
/// ```swift
/// override class var archivedKeys: [String: String?] { ["friends": "mates", "cache": nil] }
/// ```
///
/// Where two classes of a chain each have a property of one name, as they can where these are private, the one nearer to
/// the base keeps the name, and the key of the other is `ClassName.name`.
///
/// With other encoders, such as `JSONEncoder`, a model is one keyed container with the values of all its properties.
open class ArchivedModel: ArchivedFields, SelfRegistering, DefaultKeeping {
  /// The keys of those properties that have another one than their name; nil for a property that is not archived.
  open class var archivedKeys: [String: String?] { [:] }

  /// Makes a model with the defaults of all its properties.
  public required init() {}

  /// Decodes the properties for which there is a value; the others have their defaults.
  ///
  /// - Throws: `DecodingError` when a value is not of the type of its property, or a property cannot be archived; and what
  ///   an `init(from:)` throws.
  public required init(from decoder: any Decoder) throws {
    try decodeProperties(ofObject: self, from: decoder)
  }

  /// Encodes all properties, those of the base class first, nil as an explicit nil.
  ///
  /// - Throws: `EncodingError` when a property cannot be archived, or two have one key; and what an `encode(to:)` throws.
  open func encode(to encoder: any Encoder) throws {
    try encodeProperties(ofObject: self, to: encoder)
  }
}
