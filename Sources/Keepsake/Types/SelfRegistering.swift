/// A class whose objects register while their initializer still runs, so that the objects they hold can refer back to
/// them.
///
/// Once all stored properties have values, `init(from:)` calls `register(_:)` of the decoder, and then decodes the
/// remaining ones:
///
/// ```swift
/// final class Folder: Codable, SelfRegistering {
///   var name: String
///   var files: [File] = []  // each of which has a property `folder`
///
///   init(from decoder: any Decoder) throws {
///     let container = try decoder.container(keyedBy: CodingKeys.self)
///     name = try container.decode(String.self, forKey: .name)
///     decoder.register(self)
///     files = try container.decode([File].self, forKey: .files)
///   }
/// }
/// ```
///
/// The archiver relies on this when it looks for cycles that no reader can close. If an initializer does not call
/// `register(_:)`, reading such a cycle throws.
public protocol SelfRegistering: AnyObject {}

/// Whether objects of a class exist before their content is read.
func isKnownEarly(_ type: Any.Type) -> Bool {
  RuntimeMetadata.mayConform(type, to: (any SelfRegistering).self) && type is any SelfRegistering.Type
    || type is AnyClass && RuntimeMetadata.fieldsType(type) != nil
}
