/// A lazy value of an archive, whose type only its owner knows.
class AnyLazyContent {
  var isArchived: Bool { false }
  var hasFailed: Bool { false }

  /// Reads the value unless it was read already.
  func readIfNeeded() throws {}

  /// Reads the value if that is possible now; otherwise leaves it unread.
  func readIfPossible() {}

  /// Moves the value, if it is unread, to a body of another archive, from which `session` will read it.
  func move(to session: AnyObject, body number: Int) {}
}

extension ClassEntry {
  /// The name of lazy values in the class table (Format §5.3).
  static let lazyName = "Keepsake.Lazy"

  /// The names that the format reserves.
  static let ownNames = [
    lazyName, "Keepsake.MixedArray", "Keepsake.MixedDictionary", "Keepsake.MixedNothing",
  ]

  /// Why a type of a program cannot have `name` in archives; `nil` if it can.
  static func problem(ofName name: String) -> String? {
    guard name.isEmpty || ownNames.contains(name) else { return nil }
    let reason = name.isEmpty ? "it is empty" : "the format has it for itself"
    return "A type cannot have the name \"\(name)\" in archives: \(reason)"
  }
}
