/// The model that a program and its plug-ins share, in a dynamic library.
open class Machine: Codable {
  /// The number of parts.
  public var parts: Int

  /// A machine with that many parts.
  public init(parts: Int) {
    self.parts = parts
  }
}

/// A namespace that nothing else uses.
enum Engines {
  final class Diesel: Machine {}
}

/// Makes a machine of a class that is internal to this library.
public func makeDiesel() -> Machine { Engines.Diesel(parts: 5) }
