public import Keepsake

/// Looks for types of this program, which has not used them and does not register them.
///
///     class-declaring NAME    the types that state NAME, a line each, sorted
///     class-named NAME        the type that the runtime calls NAME
///
/// Returns false if the command is neither.
func runClassCommand(_ arguments: [String]) -> Bool {
  guard arguments.count == 2 else { return false }
  switch arguments[0] {
  case "class-declaring":
    for name in RuntimeTypes.declaring(name: arguments[1]).map({ RuntimeTypes.name(of: $0) }).sorted() {
      print(name)
    }
  case "class-named":
    if let type = RuntimeTypes.types(named: arguments[1]).first { print(RuntimeTypes.name(of: type)) }
  default:
    return false
  }
  return true
}

// Nothing below is named anywhere else in this program. Structures and enumerations are public, because an
// optimized build leaves out those that it can see nobody uses.

/// A namespace.
public enum Kennel {
  class Hound: ArchivableClass {
    class var archivedClassName: String { "probe.hound" }
    class var archivedClassAliases: [String] { ["Old.Hound"] }
  }

  final class Pup: Hound {
    override class var archivedClassName: String { "probe.pup" }
    override class var archivedClassAliases: [String] { [] }
  }

  /// Found by its name.
  public struct Den: ArchivableClass {
    /// Stated.
    public static var archivedClassName: String { "probe.den" }
  }

  final class Bone {}
}

/// Found by its name, which is also an alias of the next type.
public enum Cat: ArchivableClass {
  case tabby
  /// Stated.
  public static var archivedClassName: String { "probe.cat" }
}

/// Found by its alias.
public struct OtherCat: ArchivableClass {
  /// Stated.
  public static var archivedClassAliases: [String] { ["probe.cat"] }
}

private final class Hidden: ArchivableClass {
  static var archivedClassName: String { "probe.hidden" }
}
