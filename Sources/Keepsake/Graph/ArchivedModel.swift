/// A base class whose subclasses are `Codable` without any coding code: their ``Archived`` properties are archived.
///
/// ```swift
/// class User: ArchivedModel {
///   @Archived var name = ""
///   @Archived var friends: [User] = []
/// }
/// class Admin: User {
///   @Archived var level = 1
/// }
/// ```
///
/// Models may refer to each other in rings. Every property has a default, which it keeps when the archive has no value
/// for it, or nil and the property is not optional; so properties can be added later. Values of properties that were
/// removed are ignored. Properties without ``Archived`` are not archived. Observers (`didSet`) do not run while the
/// object is decoded.
///
/// The key of a property is its name, or the one that is given to ``Archived``. Where two classes of a chain each have
/// a property of one name, as they can where these are private, the one nearer to the base keeps the name, and the key
/// of the other is `ClassName.name`. A key that was given must differ from all others.
///
/// Models are found by reflection: a subclass must not be `CustomReflectable`, and must not be built without reflection
/// metadata. Coding throws where that is so.
///
/// With other encoders, such as `JSONEncoder`, a model is one keyed container with the values of all its properties.
open class ArchivedModel: Codable, SelfRegistering, BoxKeeping {
  /// Makes a model with the defaults of all its properties.
  public required init() {}

  /// Decodes the properties for which there is a value; the others have their defaults.
  ///
  /// - Throws: `DecodingError` when a value is not of the type of its property, or the properties cannot be found; and
  ///   what an `init(from:)` throws.
  public required init(from decoder: any Decoder) throws {
    decoder.register(self)
    let container = try decoder.container(keyedBy: ModelKey.self)
    let layout: ModelLayout
    do {
      layout = try ModelLayout.layout(of: self)
    } catch let error as ArchiveError {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error)
      )
    }
    try layout.forEachProperty(of: self) { slot, box in try box.decode(slot, from: container) }
  }

  /// Encodes all properties, those of the base class first, nil as an explicit nil.
  ///
  /// - Throws: `EncodingError` when the properties cannot be found, or two have one key; and what an `encode(to:)`
  ///   throws.
  open func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ModelKey.self)
    let layout: ModelLayout
    do {
      layout = try ModelLayout.layout(of: self)
    } catch let error as ArchiveError {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: error.message, underlyingError: error)
      )
    }
    try layout.forEachProperty(of: self) { slot, box in try box.encode(slot.key, into: &container) }
  }
}
