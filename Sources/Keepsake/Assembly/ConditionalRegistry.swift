/// The objects that are referred to conditionally, each an entry of the conditional table (Format §5.5).
///
/// Most of them have a number in the archive already, as a parent has when its child is written: so only the table of
/// objects is searched for them. Whether another one is archived is known when the archive is finished. Until then it is
/// kept alive, since an address must not come to mean another object.
struct ConditionalRegistry {
  /// What an entry refers to: the number of an object, or of one of ``others`` with the highest bit set.
  private let targets = OwnedArray<UInt32>()
  /// The entries of the objects of the archive by their numbers, each plus one; 0 where there is none. Some may have been
  /// taken back.
  private let entries = OwnedArray<UInt32>()
  /// The objects that had no number in the archive, and their entries by the numbers that they have here, minus one.
  private var others = ObjectRegistry()
  private let entriesOfOthers = OwnedArray<UInt32>()
  /// Whether a reference was declared as another class than that of the object, by the numbers of entries.
  private let areDeclaredOtherwise = OwnedArray<Bool>()
  /// The entries that were found to be declared otherwise, in that order.
  private let declaredOtherwise = OwnedArray<Int>()

  private static let otherBit: UInt32 = 1 << 31

  /// What an entry refers to.
  enum Target {
    /// The object of this number in the archive.
    case numbered(Int)
    case other(Unretained<AnyObject>)
  }

  struct Mark {
    fileprivate var entries = 0
    fileprivate var others = 0
    fileprivate var declaredOtherwise = 0
  }

  @inline(__always)
  var mark: Mark {
    Mark(entries: targets.count, others: others.count, declaredOtherwise: declaredOtherwise.count)
  }

  /// What `transform` makes of each entry, and of whether a reference to its object was declared as another class. It is
  /// given `nil` where the object is not known.
  func map<Result>(_ transform: (Target?, Bool) throws -> Result) rethrows -> [Result] {
    try (0..<targets.count).map { (entry) in
      let number = targets[entry]
      let target =
        number & ConditionalRegistry.otherBit == 0 ? .numbered(Int(number)) : other(number).map(Target.other)
      return try transform(target, areDeclaredOtherwise[entry])
    }
  }

  /// The object that ``targets`` has as one of ``others``, if it is known.
  private func other(_ target: UInt32) -> Unretained<AnyObject>? {
    others.unretained(Int(target & ~ConditionalRegistry.otherBit))
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

  @inline(__always)
  private mutating func entry(ofNumber number: Int, _ object: AnyObject) -> Int {
    entries.fill(to: number &+ 1, with: 0)
    let known = Int(entries[number]) &- 1
    if known >= 0, isEntry(known, number, object) { return known }
    // It may have got its number after its entry.
    let entry = others.knownNumber(of: object).map { Int(entriesOfOthers[$0 - 1]) } ?? add(UInt32(number))
    entries[number] = UInt32(entry + 1)
    return entry
  }

  /// Whether `entry` is that of an object: one that was taken back may have been noted.
  @inline(__always)
  private func isEntry(_ entry: Int, _ number: Int, _ object: AnyObject) -> Bool {
    guard entry < targets.count else { return false }
    let target = targets[entry]
    if target & ConditionalRegistry.otherBit == 0 { return target == UInt32(number) }
    return other(target)?.isSame(as: object) ?? false
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

  init() {}

  /// Begins with the entries of a file to which a save is added; `nil` for those of objects that are not known.
  init(of objects: [AnyObject?]) {
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
    targets.truncate(to: mark.entries)
    areDeclaredOtherwise.truncate(to: mark.entries)
    others.truncate(to: mark.others)
    entriesOfOthers.truncate(to: mark.others)
  }
}
