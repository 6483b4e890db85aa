/// The objects of conditional references, each an entry of the conditional table (Format §5.5).
///
/// Most of them already have a number in the archive, as a parent has when its child is written, so only the table of
/// objects is searched for them. Whether any other object is archived is known only when the archive is finished. Until
/// then the registry retains it, so that no other object gets its address.
///
/// A save begins with the entries of the file, most of which name bodies. Their objects are not looked at, so that a save
/// of few changes takes little time however many entries there are.
struct ConditionalRegistry {
  /// The target of each entry: the number of an object or, with the highest bit set, that of one of ``others``. For an
  /// entry of the file, the number of a body there, or 0.
  private let targets = OwnedArray<UInt32>()
  /// How many entries the file has, and for each body of the file its entry plus one, or 0 if it has none.
  private var countInFile = 0
  private let entriesInFile = OwnedArray<UInt32>()
  /// For the number of each object in the archive, its entry plus one, or 0 if it has none. Some entries may have been
  /// taken back.
  private let entries = OwnedArray<UInt32>()
  /// The objects that had no number in the archive. ``entriesOfOthers`` has the entry of each, at its number minus one.
  private var others = ObjectRegistry()
  private let entriesOfOthers = OwnedArray<UInt32>()
  /// For each entry, whether a reference to its object is declared as another class than that of the object.
  private let areDeclaredOtherwise = OwnedArray<Bool>()
  /// The entries that are declared otherwise, in the order in which that was found.
  private let declaredOtherwise = OwnedArray<Int>()

  private static let otherBit: UInt32 = 1 << 31

  /// The target of an entry.
  enum Target {
    /// The object of this number in the archive.
    case numbered(Int)
    /// The body of this number in the file.
    case inFile(Int)
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

  /// Maps each target, and whether a reference to it is declared as another class than that of the object. The target
  /// is `nil` if the file has no object for the entry.
  func map<Result>(_ transform: (Target?, Bool) throws -> Result) rethrows -> [Result] {
    try (0..<targets.count).map { (entry) in try transform(target(of: entry), areDeclaredOtherwise[entry]) }
  }

  private func target(of entry: Int) -> Target? {
    let number = targets[entry]
    if number & ConditionalRegistry.otherBit != 0 { return other(number).map(Target.other) }
    if entry >= countInFile { return .numbered(Int(number)) }
    return number == 0 ? nil : .inFile(Int(number))
  }

  /// Whether `entry` names a body of the file.
  func isInFile(_ entry: Int) -> Bool {
    entry < countInFile && targets[entry] & ConditionalRegistry.otherBit == 0
  }

  /// The entries that name bodies of the file, except bodies that `isKept`, by the numbers of the bodies.
  func entries(ofBodiesExcept isKept: (Int) -> Bool) -> [Int: Int] {
    var entries: [Int: Int] = [:]
    for body in 0..<entriesInFile.count where entriesInFile[body] > 0 && !isKept(body) {
      entries[body] = Int(entriesInFile[body]) - 1
    }
    return entries
  }

  /// The object of `target`, which is one of ``others``.
  private func other(_ target: UInt32) -> Unretained<AnyObject>? {
    others.unretained(Int(target & ~ConditionalRegistry.otherBit))
  }

  /// The entry for `object`, added if there is none; `nil` if no numbers are left.
  ///
  /// - Parameters:
  ///   - number: the number of the object in the archive, if it has one that is final.
  ///   - body: the number of its body in the file to which a save is added, if it has one.
  mutating func entry(for object: AnyObject, _ number: Int?, body: Int?, isDeclaredOtherwise: Bool) -> Int? {
    let known = body.flatMap(entry(ofBody:)) ?? number.map { entry(ofNumber: $0, object) }
    guard let entry = known ?? entry(ofOther: object) else { return nil }
    if isDeclaredOtherwise, !areDeclaredOtherwise[entry] {
      areDeclaredOtherwise[entry] = true
      declaredOtherwise.append(entry)
    }
    return entry
  }

  private func entry(ofBody number: Int) -> Int? {
    guard number < entriesInFile.count, entriesInFile[number] > 0 else { return nil }
    return Int(entriesInFile[number]) - 1
  }

  @inline(__always)
  private mutating func entry(ofNumber number: Int, _ object: AnyObject) -> Int {
    entries.fill(to: number &+ 1, with: 0)
    let known = Int(entries[number]) &- 1
    if known >= 0, isEntry(known, number, object) { return known }
    // The object may have got its number after its entry.
    let entry = others.knownNumber(of: object).map { Int(entriesOfOthers[$0 - 1]) } ?? add(UInt32(number))
    entries[number] = UInt32(entry + 1)
    return entry
  }

  /// Whether `entry` is that of `object`: ``entries`` may still have one that was taken back.
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

  /// Begins with the entries of the file to which a save is added.
  ///
  /// - Parameters:
  ///   - bodies: for each entry the number of the body, or 0.
  ///   - bodyCount: how many bodies the file has.
  ///   - object: the object of an entry, if it is known and not archived.
  init(ofFile bodies: [UInt32], bodyCount: Int, _ object: (_ entry: Int) -> AnyObject?) {
    entriesInFile.fill(to: bodyCount + 1, with: 0)
    for (entry, body) in bodies.enumerated() {
      if entriesInFile[Int(body)] == 0, body > 0 { entriesInFile[Int(body)] = UInt32(entry + 1) }
      // The file had a number for each object, so there are enough.
      if let object = object(entry), let (number, isNew) = others.number(for: object), isNew {
        _ = addOther(number)
      } else {
        _ = add(body)
      }
    }
    countInFile = bodies.count
  }

  /// Takes back what was added since `mark`. ``entries`` keeps stale entries, which every use detects.
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
