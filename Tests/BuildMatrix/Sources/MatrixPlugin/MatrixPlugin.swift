import MatrixModel
import MatrixZoo

enum Extras {
  final class Turbo: Machine {}
}

extension Machine {
  final class Spoiler: Machine {}
}

/// Makes an animal of this plug-in's copy of the library. See `makeMatrixMachine`.
@_cdecl("makeMatrixAnimal")
public func makeMatrixAnimal() -> UnsafeMutableRawPointer {
  Unmanaged.passRetained(makeGull()).toOpaque()
}

/// Makes a machine of a class of this plug-in. Called by the name that the linker sees, with a pointer that keeps it.
@_cdecl("makeMatrixMachine")
public func makeMatrixMachine(_ number: Int) -> UnsafeMutableRawPointer {
  let machine: Machine = number == 0 ? Extras.Turbo(parts: 7) : Machine.Spoiler(parts: 8)
  return Unmanaged.passRetained(machine).toOpaque()
}
