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
  /// The entries that were found to be declared otherwise, in that order.
  private var declaredOtherwise: [Int] = []

  struct Mark {
    fileprivate let entries: Int
    fileprivate let declaredOtherwise: Int
  }

  var mark: Mark { Mark(entries: entries.count, declaredOtherwise: declaredOtherwise.count) }

  /// The number of the entry for `object`, made now if there was none.
  mutating func number(for object: AnyObject, isDeclaredOtherwise: Bool) -> Int {
    let number = numbers[ObjectIdentifier(object)] ?? add(object)
    if isDeclaredOtherwise, !entries[number].isDeclaredOtherwise {
      entries[number].isDeclaredOtherwise = true
      declaredOtherwise.append(number)
    }
    return number
  }

  private mutating func add(_ object: AnyObject) -> Int {
    numbers[ObjectIdentifier(object)] = entries.count
    entries.append(Entry(object: object, isDeclaredOtherwise: false))
    return entries.count - 1
  }

  /// Takes back what was added since `mark`.
  mutating func truncate(to mark: Mark) {
    while declaredOtherwise.count > mark.declaredOtherwise {
      entries[declaredOtherwise.removeLast()].isDeclaredOtherwise = false
    }
    while entries.count > mark.entries {
      numbers[ObjectIdentifier(entries.removeLast().object)] = nil
    }
  }
}
