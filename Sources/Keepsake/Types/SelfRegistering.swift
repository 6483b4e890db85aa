/// A class whose instances make themselves known while their initializer still runs, so that what they hold
/// may refer back to them by plain properties.
///
/// Once all stored properties have values, `init(from:)` calls `register(_:)` of the decoder and reads the
/// rest:
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
/// The archiver relies on the promise when it looks for cycles of references that could not be read. Where a
/// class does not keep it, reading such a cycle throws.
public protocol SelfRegistering: AnyObject {}

/// Whether objects of a class are there before what they hold is read.
func isKnownEarly(_ type: Any.Type) -> Bool {
  type is any SelfRegistering.Type || type is AnyClass && type is any ArchivedFields.Type
}
