/// A type that stands for types that the program does not have, such as those of a missing plug-in or of a later
/// release. It keeps what it read, and writes it back unchanged.
///
/// ```swift
/// struct UnknownShape: Shape, ArchivePlaceholder {
///   let content: UnknownValue
///   var area: Double { 0 }
///
///   init(_ content: UnknownValue) { self.content = content }
/// }
///
/// let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
/// unarchiver.placeholders = [UnknownShape.self]
/// let drawing = try unarchiver.decode(Drawing.self, forKey: "drawing")
/// ```
///
/// Use a structure for values and a class for objects. It must fit the declaration: conform to the protocol, or be a
/// subclass of the class. It needs no coding code, unless it is a subclass of a `Codable` class: then its `init(from:)`
/// sets `content` to `UnknownValue(from: decoder)`, and its `encode(to:)` calls that of `content`, not of `super`.
public protocol ArchivePlaceholder: Codable {
  /// Makes a placeholder with the content of an archive.
  init(_ content: UnknownValue)
  /// The content of the archive, which is written back.
  var content: UnknownValue { get }
}

/// A value or an object of an archive whose type the program does not have (``ArchivePlaceholder``).
///
/// After everything else, the reader decodes the objects to which it refers, if their classes exist. The rest of the
/// graph shares them.
public struct UnknownValue {
  /// The name of the type in the archive.
  public var typeName: String { entries.first?.name ?? "" }
  /// The names of its superclasses, the nearest first.
  public var superclassNames: [String] { entries.dropFirst().map(\.name) }
  /// The version that the type declared, as ``ArchivableClass/archiveVersion``.
  public var version: Int { entries.first?.version ?? 0 }

  /// The entries of the type and its superclasses in the class table.
  let entries: [ClassEntry]
  /// The content, in a form that can be coded.
  let stored: any Codable
}

/// An object of an unknown class, to which another value of an unknown type refers.
final class UnknownObject: ArchivePlaceholder {
  let content: UnknownValue
  init(_ content: UnknownValue) { self.content = content }
}
