/// Types that the programs archive, in a library that is linked statically.
open class Animal: Codable {
  /// Distinguishes the animals.
  public var legs = 4

  /// An animal with four legs.
  public init() {}
}

/// The protocol of values of different types.
public protocol Mark: Codable {}

/// A structure that the program extends.
public struct Park: Codable {
  /// The only park.
  public init() {}
}

/// A namespace that nothing else uses, outside the program's module.
enum Abroad {
  struct Coast { final class Gull: Animal {} }
  enum Flag: String, Mark { case red }
}

/// An animal and a mark of types that are internal to this module.
public func makeGull() -> Animal { Abroad.Coast.Gull() }
/// See `makeGull`.
public func makeFlag() -> any Mark { Abroad.Flag.red }
