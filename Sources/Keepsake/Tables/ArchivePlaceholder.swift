/// A type that stands in for types that the program does not have, such as those of a plug-in that is gone or of a
/// later release. It keeps what it read, and writes it back unchanged.
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
/// subclass. It needs no coding code.
public protocol ArchivePlaceholder: Codable {
  /// Makes a placeholder with the content of an archive.
  init(_ content: UnknownValue)
  /// The content of the archive, which is written back.
  var content: UnknownValue { get }
}

/// A value or an object of an archive whose type the program does not have (``ArchivePlaceholder``).
///
/// The reader builds the objects that it refers to, if their classes exist, after everything else. They are shared
/// with the rest of the graph.
public struct UnknownValue {
  /// The name of the type in the archive.
  public var typeName: String { entries.first?.name ?? "" }
  /// The names of its superclasses, the nearest first.
  public var superclassNames: [String] { entries.dropFirst().map(\.name) }
  /// The version that the type stated for its own part of the format.
  public var version: Int { entries.first?.version ?? 0 }

  /// The entry of the type in the class table, and those of its superclasses.
  let entries: [ClassEntry]
  /// What stands there, in a form that can be coded.
  let stored: any Codable
}

/// An object of a class that is not known, to which one refers whose type is not known either.
final class UnknownObject: ArchivePlaceholder {
  let content: UnknownValue
  init(_ content: UnknownValue) { self.content = content }
}
