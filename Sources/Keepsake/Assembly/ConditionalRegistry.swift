/// The objects that are referred to conditionally, each an entry of the conditional table (Format §5.5).
///
/// Whether one of them is archived is known when the archive is finished. Until then all are kept alive, since
/// an address must not come to mean another object.
struct ConditionalRegistry {
  /// The number of an object here is the one after that of its entry.
  private var objects = ObjectRegistry()
  /// Whether a reference was declared as another class than that of the object, by the numbers of entries.
  private var areDeclaredOtherwise: [Bool] = []
  /// The entries that were found to be declared otherwise, in that order.
  private var declaredOtherwise: [Int] = []

  /// Whether it has any entry.
  var isInUse: Bool { !areDeclaredOtherwise.isEmpty }

  struct Mark {
    fileprivate let entries: Int
    fileprivate let declaredOtherwise: Int
  }

  @inline(__always)
  var mark: Mark { Mark(entries: objects.count, declaredOtherwise: declaredOtherwise.count) }

  /// The entries whose objects are known, and these.
  var entries: [(number: Int, object: AnyObject)] {
    areDeclaredOtherwise.indices.compactMap { number in objects.object(number + 1).map { (number, $0) } }
  }

  /// What `transform` makes of each object, and whether a reference to it was declared as another class; 0 where the object is
  /// not known. To count references to it would take longer, as weak ones make that slow.
  func map(_ transform: (AnyObject, Bool) throws -> Int) rethrows -> [Int] {
    try areDeclaredOtherwise.enumerated().map { (number, isDeclaredOtherwise) in
      guard let object = objects.unretained(number + 1) else { return 0 }
      return try object.use { try transform($0, isDeclaredOtherwise) }
    }
  }

  /// The number of the entry for `object`, made now if there was none; `nil` when there are no more numbers.
  mutating func number(for object: AnyObject, isDeclaredOtherwise: Bool) -> Int? {
    guard let (next, isNew) = objects.number(for: object) else { return nil }
    let number = next - 1
    if isNew { areDeclaredOtherwise.append(false) }
    if isDeclaredOtherwise, !areDeclaredOtherwise[number] {
      areDeclaredOtherwise[number] = true
      declaredOtherwise.append(number)
    }
    return number
  }

  /// Begins with the entries of a file to which a save is added; `nil` for those of objects that are not known.
  mutating func takeOver(_ objects: [AnyObject?]) {
    for object in objects {
      if let object, self.objects.knownNumber(of: object) == nil {
        _ = self.objects.number(for: object)
      } else {
        _ = self.objects.numberForValue()
      }
      areDeclaredOtherwise.append(false)
    }
  }

  /// Takes back what was added since `mark`.
  mutating func truncate(to mark: Mark) {
    while declaredOtherwise.count > mark.declaredOtherwise {
      areDeclaredOtherwise[declaredOtherwise.removeLast()] = false
    }
    objects.truncate(to: mark.entries)
    areDeclaredOtherwise.removeLast(areDeclaredOtherwise.count - mark.entries)
  }
}
