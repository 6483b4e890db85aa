/// What the programs archive, in a library that is linked into them.
open class Animal: Codable {
  /// Tells the animals apart.
  public var legs = 4

  /// An animal with four legs.
  public init() {}
}

/// What values of different types stand behind.
public protocol Mark: Codable {}

/// What the program extends.
public struct Park: Codable {
  /// The only one.
  public init() {}
}

/// A namespace that nothing else uses, in another module than the program.
enum Abroad {
  struct Coast { final class Gull: Animal {} }
  enum Flag: String, Mark { case red }
}

/// An animal and a mark of types that only this module knows.
public func makeGull() -> Animal { Abroad.Coast.Gull() }
/// See `makeGull`.
public func makeFlag() -> any Mark { Abroad.Flag.red }
