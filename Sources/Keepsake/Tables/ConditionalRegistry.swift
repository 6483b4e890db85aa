/// The objects that are referred to conditionally, each an entry of the conditional table (Format §5.5).
///
/// Whether one of them is archived is known when the archive is finished. Until then all are kept alive, since
/// an address must not come to mean another object.
struct ConditionalRegistry {
  struct Entry {
    let object: AnyObject
    /// Whether a reference was declared as another class than that of the object.
    var isDeclaredOtherwise: Bool
  }

  private(set) var entries: [Entry] = []
  private var numbers: [ObjectIdentifier: Int] = [:]

  var count: Int { entries.count }

  /// The number of the entry for `object`, made now if there was none.
  mutating func number(for object: AnyObject, isDeclaredOtherwise: Bool) -> Int {
    let identifier = ObjectIdentifier(object)
    if let number = numbers[identifier] {
      if isDeclaredOtherwise { entries[number].isDeclaredOtherwise = true }
      return number
    }
    numbers[identifier] = entries.count
    entries.append(Entry(object: object, isDeclaredOtherwise: isDeclaredOtherwise))
    return entries.count - 1
  }

  /// Takes back the entries from `count` on.
  mutating func truncate(to count: Int) {
    while entries.count > count {
      numbers[ObjectIdentifier(entries.removeLast().object)] = nil
    }
  }
}
