/// A lazy value of an archive, whose type only its owner knows.
class AnyLazyContent {
  var isArchived: Bool { false }

  /// Reads the value, if it was not read yet.
  func readIfNeeded() throws {}

  /// Reads the value if that is possible now, and otherwise leaves it where it is.
  func readIfPossible() {}

  /// Has the value read from a body of another archive, by `session`, if it is still to be read.
  func move(to session: AnyObject, body number: Int) {}
}

/// A lazy value that the session does not keep: the value keeps the session.
struct WeakLazyContent {
  private(set) weak var content: AnyLazyContent?
}

extension ClassEntry {
  /// The name in the class table of what holds a lazy value (Format §5.3).
  static let lazyName = "Keepsake.Lazy"

  /// The names that the format has for itself.
  private static let ownNames = [
    lazyName, "Keepsake.MixedArray", "Keepsake.MixedDictionary", "Keepsake.MixedNothing",
  ]

  /// Why a type of a program cannot have `name` in archives; `nil` if it can.
  static func problem(ofName name: String) -> String? {
    guard name.isEmpty || ownNames.contains(name) else { return nil }
    let reason = name.isEmpty ? "it is empty" : "the format has it for itself"
    return "A type cannot have the name \"\(name)\" in archives: \(reason)"
  }
}
