public import Keepsake

/// Looks up types of this program, which has neither used nor registered them.
///
///     class-declaring NAME    the types that declare NAME, one per line, sorted
///     class-named NAME        the type with the runtime name NAME
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

// Nothing below is named anywhere else in this program. Structures and enumerations are public, because
// optimized builds omit unused ones.

/// An enumeration used only as a namespace.
public enum Kennel {
  class Hound: ArchivableClass {
    class var archivedClassName: String { "probe.hound" }
    class var archivedClassAliases: [String] { ["Old.Hound"] }
  }

  final class Pup: Hound {
    override class var archivedClassName: String { "probe.pup" }
    override class var archivedClassAliases: [String] { [] }
  }

  /// Found by its runtime name.
  public struct Den: ArchivableClass {
    /// Declared.
    public static var archivedClassName: String { "probe.den" }
  }

  final class Bone {}
}

/// Found by its runtime name, which is also an alias of the next type.
public enum Cat: ArchivableClass {
  case tabby
  /// Declared.
  public static var archivedClassName: String { "probe.cat" }
}

/// Found by its alias.
public struct OtherCat: ArchivableClass {
  /// Declared.
  public static var archivedClassAliases: [String] { ["probe.cat"] }
}

private final class Hidden: ArchivableClass {
  static var archivedClassName: String { "probe.hidden" }
}
