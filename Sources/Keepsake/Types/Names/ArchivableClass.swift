/// A type that declares its name and its version in archives.
///
/// An archive has the name of a type if the declaration does not determine the type: for a `Dog` in an `[Animal]`, and
/// for any class, structure or enumeration behind a protocol. By default this is the runtime's name, so renaming the
/// type or moving it to another module would make such archives unreadable. Readers find a type by its declared name,
/// without registration.
///
/// ```swift
/// final class Dog: Animal {}
///
/// extension Dog: ArchivableClass {
///   static var archivedClassName: String { "Dog" }
///   static var archivedClassAliases: [String] { ["Zoo.Hound"] }  // what older archives call it
///   static var archiveVersion: Int { 2 }
/// }
/// ```
///
/// With a declared name you can archive a private or local type like any other. Return the same values each time.
///
/// ## Subclasses
///
/// A name belongs to the class that declares it. A subclass that only inherits the declaration keeps the runtime's
/// name. To let subclasses declare their own, use `class` properties in the body of the class:
///
/// ```swift
/// class Animal: Codable, ArchivableClass {
///   class var archivedClassName: String { "Animal" }
/// }
///
/// class Cat: Animal {
///   override class var archivedClassName: String { "Cat" }
/// }
/// ```
///
/// ## Types that need registration
///
/// A declared name does not find generic types or classes declared in Objective-C. It finds structures and enumerations
/// that are part of the program, but an optimized build leaves out internal ones that nothing uses. Register such types
/// with ``KeyedUnarchiver/setClass(_:forClassName:)-swift.type.method``.
public protocol ArchivableClass {
  /// The name of the type in archives. By default the module, any enclosing types, and the name of the type:
  /// `"Zoo.Animal"`.
  static var archivedClassName: String { get }

  /// Other names by which a reader finds the type, such as earlier ones. None by default.
  static var archivedClassAliases: [String] { get }

  /// The version of what instances encode, which the archive records. 0 by default.
  static var archiveVersion: Int { get }
}

extension ArchivableClass {
  /// The name that the runtime has for the type, such as `"Zoo.Animal"`.
  public static var archivedClassName: String { RuntimeTypes.name(of: Self.self) }

  /// No other names.
  public static var archivedClassAliases: [String] { [] }

  /// Version 0.
  public static var archiveVersion: Int { 0 }
}
