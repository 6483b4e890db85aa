/// The model that a program and its plug-ins share, in a dynamic library.
open class Machine: Codable {
  /// How many.
  public var parts: Int

  /// A machine of so many parts.
  public init(parts: Int) {
    self.parts = parts
  }
}

/// A namespace that nothing else uses.
enum Engines {
  final class Diesel: Machine {}
}

/// Makes a machine of a class that only this library knows.
public func makeDiesel() -> Machine { Engines.Diesel(parts: 5) }
