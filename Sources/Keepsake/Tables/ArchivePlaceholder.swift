/// A type of the program that stands for types which it does not have, behind a protocol: those of a plugin that is gone,
/// or of a later release. What it holds can be written back as it was.
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
/// It is a structure for values, or a class for objects, and has to be what is declared where it is to stand: conform to
/// the protocol, or be a subclass. It needs no coding code.
public protocol ArchivePlaceholder: Codable {
  /// Makes a placeholder for what stands in an archive.
  init(_ content: UnknownValue)
  /// What stands in the archive, to be written back.
  var content: UnknownValue { get }
}

/// What an archive has of a value or an object whose type the program does not have (``ArchivePlaceholder``).
///
/// Objects that it refers to are built where their classes are there, and shared with the rest of the graph. They are read
/// when all else has been.
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
