/// The numbers of the objects of an archive: identity, never equality.
///
/// Every object is kept alive until the registry goes, since an address must not come to mean another object.
/// An object takes eight bytes for that and 5 to 11 in the hash table. A copy of the registry has the same memory, so what is
/// added to one is in the other, too, beyond the numbers that the other knows of (``prefix(_:)``).
struct ObjectRegistry {
  /// How many bodies an archive can have: with more, offsets in the offset table could leave their four bytes.
  static let mostNumbers = 1 << 30

  /// The object of each number from 1 on, at the place before; none where the number is that of a value's body.
  private let objects = KeptObjects()
  /// Numbers of objects, by a hash of the address; 0 where free. The bits that a number leaves are another hash,
  /// so that an object which only happens to be in the way is seldom looked at: it is far away in memory.
  private var slots = OwnedArray<UInt32>(zeros: 64)

  /// While the table is smaller it grows faster, so that filling it anew costs less.
  private static let fewSlots = 1 << 13

  /// How many numbers are given out.
  @inline(__always)
  var count: Int { objects.count }

  /// The object of `number`, if there is one, to be used as long as it has the number.
  @inline(__always)
  func unretained(_ number: Int) -> Unretained<AnyObject>? {
    number >= 1 && number <= objects.count ? objects[number &- 1] : nil
  }

  /// The object of `number`, if there is one.
  func object(_ number: Int) -> AnyObject? { unretained(number)?.use { $0 } }

  /// The number of `object`, and whether it got it just now; `nil` when all four bytes of numbers are used
  /// up.
  @inline(__always)
  mutating func number(for object: AnyObject) -> (number: Int, isNew: Bool)? {
    let hash = AddressHash(object, slots.count &- 1)
    let index = slot(of: object, hash)
    if slots[index] != 0 { return (hash.number(slots[index]), false) }
    guard objects.count < ObjectRegistry.mostNumbers else { return nil }
    objects.append(object)
    let number = objects.count
    // Values take numbers, too, so that this one may be too large for its slot until there are more of them.
    if number &* 4 > slots.count &* 3 { enlarge() } else { slots[index] = hash.slot(number) }
    return (number, true)
  }

  /// The slot of `object`, or the one that is free for it.
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

  /// A registry of the first `count` numbers alone: this one, unless more were given out.
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

  /// Begins to fetch the objects at the addresses in `range`, and what ``number(for:)`` will look at.
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

  /// A number for the body of a value, which nobody looks up; `nil` when there are no more.
  mutating func numberForValue() -> Int? {
    guard objects.count < ObjectRegistry.mostNumbers else { return nil }
    objects.append(nil)
    return objects.count
  }

  @inline(never)
  private mutating func enlarge() {
    var count = slots.count
    repeat { count *= count < ObjectRegistry.fewSlots ? 4 : 2 } while objects.count * 4 > count * 3
    // Let go of first, so that there are never two tables.
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

  /// Takes back the numbers above `count`, the last first, and lets their objects go.
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

/// Where an object stands in a hash table of at most 2^31 slots, and what stands there.
///
/// Objects that were made one after the other are mostly archived so. Four units of memory in a row, each of
/// sixteen bytes, are four slots in a row, which are fetched together.
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

  /// What stands in the slot of the object when it has `number`, which is no more than the mask.
  @inline(__always)
  func slot(_ number: Int) -> UInt32 { tag | UInt32(truncatingIfNeeded: number) }

  @inline(__always)
  func matches(_ slot: UInt32) -> Bool { (slot ^ tag) & ~mask == 0 }

  @inline(__always)
  func number(_ slot: UInt32) -> Int { Int(slot & mask) }
}
