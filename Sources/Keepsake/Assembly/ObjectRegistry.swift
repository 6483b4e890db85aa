/// The numbers of the objects of an archive: identity, never equality.
///
/// The registry retains every object, so that no other object gets its address. An object takes eight bytes for that
/// and 5 to 11 in the hash table. Copies of a registry share memory: what is added to one is in the other, too, beyond
/// the numbers that the other knows (``prefix(_:)``).
struct ObjectRegistry {
  /// The largest number of bodies in an archive: with more, offsets in the offset table could exceed four bytes.
  static let mostNumbers = 1 << 30

  /// The object of each number from 1 on, at the number minus one; `nil` for the number of a value's body.
  private let objects = KeptObjects()
  /// Numbers of objects, by a hash of the address; 0 if free. The bits above the number are another hash, so that a
  /// colliding object, which is far away in memory, is seldom looked at.
  private var slots = OwnedArray<UInt32>(zeros: 64)

  /// A smaller table grows faster, so that refilling it costs less.
  private static let fewSlots = 1 << 13

  /// How many numbers have been assigned.
  @inline(__always)
  var count: Int { objects.count }

  /// The object of `number`, if there is one, to be used only as long as it has the number.
  @inline(__always)
  func unretained(_ number: Int) -> Unretained<AnyObject>? {
    number >= 1 && number <= objects.count ? objects[number &- 1] : nil
  }

  /// The object of `number`, if there is one.
  func object(_ number: Int) -> AnyObject? { unretained(number)?.use { $0 } }

  /// The number of `object`, and whether it was assigned just now; `nil` if no numbers are left.
  @inline(__always)
  mutating func number(for object: AnyObject) -> (number: Int, isNew: Bool)? {
    let hash = AddressHash(object, slots.count &- 1)
    let index = slot(of: object, hash)
    if slots[index] != 0 { return (hash.number(slots[index]), false) }
    guard objects.count < ObjectRegistry.mostNumbers else { return nil }
    objects.append(object)
    let number = objects.count
    // Values take numbers, too, so this one may not fit into a slot until the table is larger.
    if number &* 4 > slots.count &* 3 { enlarge() } else { slots[index] = hash.slot(number) }
    return (number, true)
  }

  /// The slot of `object`, or the free slot for it.
  @inline(__always)
  private func slot(of object: AnyObject, _ hash: AddressHash) -> Int {
    var index = hash.index
    while true {
      let slot = slots[index]
      if slot == 0 { return index }
      if hash.matches(slot), let known = objects[hash.number(slot) &- 1], known.isSame(as: object) {
        return index
      }
      index = (index &+ 1) & (slots.count &- 1)
    }
  }

  /// A registry of the first `count` numbers alone: this one if it has no more.
  func prefix(_ count: Int) -> ObjectRegistry {
    if count >= objects.count { return self }
    var prefix = ObjectRegistry()
    for index in 0..<count {
      _ = objects[index].map { $0.use { prefix.number(for: $0)?.number } } ?? prefix.numberForValue()
    }
    return prefix
  }

  // MARK: Fetching ahead

  /// Whether the table is larger than the nearer caches.
  @inline(__always)
  var isLarge: Bool { slots.count > 1 << 15 }

  /// Begins to fetch the objects at the addresses in `range`, and the memory that ``number(for:)`` reads for them.
  func prefetch(_ addresses: Span<UInt>, _ range: Range<Int>) {
    let mask = slots.count &- 1
    for index in range {
      Keepsake.prefetch(addresses[index])
      slots.prefetch(AddressHash(addresses[index], mask).index)
    }
    for index in range {
      let hash = AddressHash(addresses[index], mask)
      let slot = slots[hash.index]
      if slot != 0, hash.matches(slot) { objects.prefetch(hash.number(slot) &- 1) }
    }
  }

  /// The number of `object`, if it has one.
  @inline(__always)
  func knownNumber(of object: AnyObject) -> Int? {
    let hash = AddressHash(object, slots.count &- 1)
    let slot = slots[slot(of: object, hash)]
    return slot == 0 ? nil : hash.number(slot)
  }

  /// Assigns a number to the body of a value, which is never looked up; `nil` if no numbers are left.
  mutating func numberForValue() -> Int? {
    guard objects.count < ObjectRegistry.mostNumbers else { return nil }
    objects.append(nil)
    return objects.count
  }

  @inline(never)
  private mutating func enlarge() {
    var count = slots.count
    repeat { count *= count < ObjectRegistry.fewSlots ? 4 : 2 } while objects.count * 4 > count * 3
    // Frees the old table first, so that there are never two.
    slots = OwnedArray(zeros: 1)
    slots = OwnedArray(zeros: count)
    for index in 0..<objects.count {
      guard let object = objects[index] else { continue }
      let hash = AddressHash(object.address, count &- 1)
      var slot = hash.index
      while slots[slot] != 0 { slot = (slot &+ 1) & (count &- 1) }
      slots[slot] = hash.slot(index &+ 1)
    }
  }

  /// Takes back the numbers above `count`, the last first, and releases their objects.
  mutating func truncate(to count: Int) {
    let mask = slots.count &- 1
    for number in stride(from: objects.count, to: count, by: -1) {
      guard let object = objects[number &- 1] else { continue }
      let hash = AddressHash(object.address, mask)
      var index = hash.index
      while hash.number(slots[index]) != number { index = (index &+ 1) & mask }
      slots[index] = 0
    }
    objects.truncate(to: count)
  }
}

/// The slot of an object in a hash table of at most 2^31 slots, and the contents of that slot.
///
/// Objects that were created one after another are mostly archived in that order. So four consecutive units of memory,
/// of 16 bytes each, have four consecutive slots, which are fetched together.
private struct AddressHash {
  private let mask: UInt32
  private let tag: UInt32
  let index: Int

  @inline(__always)
  init(_ object: AnyObject, _ mask: Int) {
    self.init(UInt(bitPattern: ObjectIdentifier(object)), mask)
  }

  @inline(__always)
  init(_ address: UInt, _ mask: Int) {
    let unit = UInt64(address) &>> 4
    let hash = (unit &>> 2) &* 0x9E37_79B9_7F4A_7C15
    self.mask = UInt32(truncatingIfNeeded: mask)
    index = Int(truncatingIfNeeded: (hash &>> 32) &<< 2 | unit & 3) & mask
    tag = UInt32(truncatingIfNeeded: unit) &* 0x9E37_79B1 & ~self.mask
  }

  /// The contents of the object's slot if its number is `number`, which is at most the mask.
  @inline(__always)
  func slot(_ number: Int) -> UInt32 { tag | UInt32(truncatingIfNeeded: number) }

  @inline(__always)
  func matches(_ slot: UInt32) -> Bool { (slot ^ tag) & ~mask == 0 }

  @inline(__always)
  func number(_ slot: UInt32) -> Int { Int(slot & mask) }
}
