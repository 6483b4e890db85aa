/// The objects that are referred to conditionally, each an entry of the conditional table (Format §5.5).
///
/// Most of them have a number in the archive already, as a parent has when its child is written: so only the table of
/// objects is searched for them. Whether another one is archived is known when the archive is finished. Until then it is
/// kept alive, since an address must not come to mean another object.
struct ConditionalRegistry {
  /// What an entry refers to: the number of an object, or of one of ``others`` with the highest bit set.
  private var targets: [UInt32] = []
  /// The entries of the objects of the archive by their numbers, each plus one; 0 where there is none. Some may have been
  /// taken back.
  private var entries: [UInt32] = []
  /// The objects that had no number in the archive, and their entries by the numbers that they have here, minus one.
  private var others = ObjectRegistry()
  private var entriesOfOthers: [UInt32] = []
  /// Whether a reference was declared as another class than that of the object, by the numbers of entries.
  private var areDeclaredOtherwise: [Bool] = []
  /// The entries that were found to be declared otherwise, in that order.
  private var declaredOtherwise: [Int] = []

  private static let otherBit: UInt32 = 1 << 31

  /// Whether it has any entry.
  var isInUse: Bool { !targets.isEmpty }

  /// What an entry refers to.
  enum Target {
    /// The object of this number in the archive.
    case numbered(Int)
    case other(Unretained<AnyObject>)
  }

  struct Mark {
    fileprivate let entries: Int
    fileprivate let others: Int
    fileprivate let declaredOtherwise: Int
  }

  @inline(__always)
  var mark: Mark {
    Mark(entries: targets.count, others: others.count, declaredOtherwise: declaredOtherwise.count)
  }

  /// What `transform` makes of each entry, and of whether a reference to its object was declared as another class. It is
  /// given `nil` where the object is not known.
  func map<Result>(_ transform: (Target?, Bool) throws -> Result) rethrows -> [Result] {
    try zip(targets, areDeclaredOtherwise).map { (target, isDeclaredOtherwise) in
      if target & ConditionalRegistry.otherBit == 0 {
        return try transform(.numbered(Int(target)), isDeclaredOtherwise)
      }
      let object = others.unretained(Int(target & ~ConditionalRegistry.otherBit))
      return try transform(object.map { .other($0) }, isDeclaredOtherwise)
    }
  }

  /// The number of the entry for `object`, made now if there was none; `nil` when there are no more numbers.
  ///
  /// - Parameter number: the number of the object in the archive, if it has one that stays its own.
  mutating func entry(for object: AnyObject, _ number: Int?, isDeclaredOtherwise: Bool) -> Int? {
    let known = number.map { entry(ofNumber: $0, object) }
    guard let entry = known ?? entry(ofOther: object) else { return nil }
    if isDeclaredOtherwise, !areDeclaredOtherwise[entry] {
      areDeclaredOtherwise[entry] = true
      declaredOtherwise.append(entry)
    }
    return entry
  }

  private mutating func entry(ofNumber number: Int, _ object: AnyObject) -> Int {
    if number < entries.count, isEntry(Int(entries[number]) - 1, number, object) {
      return Int(entries[number]) - 1
    }
    // It may have got its number after its entry.
    let other = others.count == 0 ? nil : others.knownNumber(of: object)
    let entry = other.map { Int(entriesOfOthers[$0 - 1]) } ?? add(UInt32(number))
    if number >= entries.count {
      entries.append(contentsOf: repeatElement(0, count: number + 1 - entries.count))
    }
    entries[number] = UInt32(entry + 1)
    return entry
  }

  /// Whether `entry` is that of an object: one that was taken back may have been noted.
  private func isEntry(_ entry: Int, _ number: Int, _ object: AnyObject) -> Bool {
    guard let target = targets[safe: entry] else { return false }
    if target & ConditionalRegistry.otherBit == 0 { return target == UInt32(number) }
    let other = others.unretained(Int(target & ~ConditionalRegistry.otherBit))
    return other?.use { $0 === object } ?? false
  }

  private mutating func entry(ofOther object: AnyObject) -> Int? {
    guard let (number, isNew) = others.number(for: object) else { return nil }
    return isNew ? addOther(number) : Int(entriesOfOthers[number - 1])
  }

  private mutating func addOther(_ number: Int) -> Int {
    let entry = add(UInt32(number) | ConditionalRegistry.otherBit)
    entriesOfOthers.append(UInt32(entry))
    return entry
  }

  private mutating func add(_ target: UInt32) -> Int {
    targets.append(target)
    areDeclaredOtherwise.append(false)
    return targets.count - 1
  }

  /// Begins with the entries of a file to which a save is added; `nil` for those of objects that are not known.
  mutating func takeOver(_ objects: [AnyObject?]) {
    for object in objects {
      let isKnown = object.map { others.knownNumber(of: $0) != nil } ?? true
      let number = isKnown ? others.numberForValue() : object.flatMap { others.number(for: $0)?.number }
      // The file had a number for each, so there are enough.
      if let number { _ = addOther(number) }
    }
  }

  /// Takes back what was added since `mark`. What ``entries`` has of it stays, and is compared where it is used.
  mutating func truncate(to mark: Mark) {
    while declaredOtherwise.count > mark.declaredOtherwise {
      areDeclaredOtherwise[declaredOtherwise.removeLast()] = false
    }
    targets.removeLast(targets.count - mark.entries)
    areDeclaredOtherwise.removeLast(areDeclaredOtherwise.count - mark.entries)
    others.truncate(to: mark.others)
    entriesOfOthers.removeLast(entriesOfOthers.count - mark.others)
  }
}
