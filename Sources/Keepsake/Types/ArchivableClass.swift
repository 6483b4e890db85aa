/// A type that says itself by which name and in which version its instances stand in an archive.
///
/// An archive names the type of an instance where the type cannot be known otherwise: for a `Dog` in an
/// `[Animal]`, and for any class, structure or enumeration behind a protocol. By default the name is the one
/// that the runtime uses, and renaming the type or moving it to another module would make such archives
/// unreadable. A type that states a name is found by it, in every program that contains the type, without
/// being registered anywhere.
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
/// A private or local type has no name that means anything in another process; one that states a name can be
/// archived like any other. All three properties have to give the same value each time.
///
/// ## Subclasses
///
/// A name belongs to the class that states it. A subclass that only inherits one goes by the name that the
/// runtime has for it. For subclasses to state their own, the class that conforms declares `class` properties
/// in its body, which they override:
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
/// ## What is not found
///
/// Generic types are not found by a stated name, since it does not say what the parameters are. Classes of
/// Objective-C are not found by one either, and structures and enumerations only as far as they are part of the
/// program: an optimized build leaves out those that are not public and that nothing uses. Any type can be
/// registered instead.
public protocol ArchivableClass {
  /// The name under which instances are archived. By default the name of the type and of those around it,
  /// with the module: `"Zoo.Animal"`.
  static var archivedClassName: String { get }

  /// Further names under which the type is found, such as those it had before it was renamed. None by
  /// default.
  static var archivedClassAliases: [String] { get }

  /// The version of what instances encode, which the archive keeps. 0 by default.
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
