import Keepsake
import MatrixModel
import MatrixZoo

enum Extras {
  final class Turbo: Machine {}
}

extension Machine {
  final class Spoiler: Machine {}
}

/// A class for the plug-in's copy of Keepsake, which the host's copy cannot archive.
final class Sprocket: ArchivedModel {
  weak var next: Sprocket?
}

struct Wheels: Codable {
  var all: [Wheel] = [Wheel()]
  @WeakReference var first: Wheel?
}

final class Wheel: Codable {}

struct Label: Codable {
  @Polymorphic var content: Any = 1
}

/// Makes a value that only the plug-in's copy of Keepsake can archive. See `makeMatrixMachine`.
@_cdecl("makeMatrixValue")
public func makeMatrixValue(_ number: Int) -> UnsafeMutableRawPointer {
  let wheels = Wheels()
  let values: [any Encodable] = [Sprocket(), Wheels(all: wheels.all, first: wheels.all[0]), Label()]
  return Unmanaged.passRetained([values[number]] as AnyObject).toOpaque()
}

/// Makes an animal of this plug-in's copy of the library. See `makeMatrixMachine`.
@_cdecl("makeMatrixAnimal")
public func makeMatrixAnimal() -> UnsafeMutableRawPointer {
  Unmanaged.passRetained(makeGull()).toOpaque()
}

/// Makes a machine of a class of this plug-in. It is called by its symbol, and returns a retained pointer.
@_cdecl("makeMatrixMachine")
public func makeMatrixMachine(_ number: Int) -> UnsafeMutableRawPointer {
  let machine: Machine = number == 0 ? Extras.Turbo(parts: 7) : Machine.Spoiler(parts: 8)
  return Unmanaged.passRetained(machine).toOpaque()
}
