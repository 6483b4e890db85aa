/// The numbers of the objects of an archive: identity, never equality.
///
/// Every object is kept alive until the registry goes, since an address must not come to mean another object.
struct ObjectRegistry {
  /// How many bodies an archive can have: with more, places in the offset table could leave their four bytes.
  static let mostNumbers = 1 << 30

  /// The object of each number from 1 on; `nil` where the number is that of a value's body.
  private var objects: [AnyObject?] = []
  /// Numbers of objects, by a hash of the address; 0 where free.
  private var slots = [UInt32](repeating: 0, count: 64)

  /// How many numbers are given out.
  var count: Int { objects.count }

  /// The object of `number`, if there is one.
  func object(_ number: Int) -> AnyObject? {
    objects.indices.contains(number - 1) ? objects[number - 1] : nil
  }

  /// The number of `object`, and whether it got it just now; `nil` when all four bytes of numbers are used
  /// up.
  @inline(__always)
  mutating func number(for object: AnyObject) -> (number: Int, isNew: Bool)? {
    var place = slot(for: object)
    while slots[place] != 0 {
      let number = Int(slots[place])
      if objects[number - 1] === object { return (number, false) }
      place = (place + 1) & (slots.count - 1)
    }
    guard objects.count < ObjectRegistry.mostNumbers else { return nil }
    objects.append(object)
    let number = objects.count
    slots[place] = UInt32(truncatingIfNeeded: number)
    if number * 4 > slots.count * 3 { enlarge() }
    return (number, true)
  }

  /// The number of `object`, if it has one.
  func knownNumber(of object: AnyObject) -> Int? {
    var place = slot(for: object)
    while slots[place] != 0 {
      let number = Int(slots[place])
      if objects[number - 1] === object { return number }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// A number for the body of a value, which nobody looks up; `nil` when there are no more.
  mutating func numberForValue() -> Int? {
    guard objects.count < ObjectRegistry.mostNumbers else { return nil }
    objects.append(nil)
    return objects.count
  }

  @inline(__always)
  private func slot(for object: AnyObject) -> Int {
    let address = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    let hash = (address >> 4) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
  }

  private mutating func enlarge() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for (index, object) in objects.enumerated() {
      guard let object else { continue }
      var place = slot(for: object)
      while slots[place] != 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = UInt32(truncatingIfNeeded: index + 1)
    }
  }

  /// Takes back the numbers above `count`, the last first, and lets their objects go.
  mutating func truncate(to count: Int) {
    while objects.count > count {
      if let object = objects[objects.count - 1] {
        var place = slot(for: object)
        while slots[place] != UInt32(truncatingIfNeeded: objects.count) {
          place = (place + 1) & (slots.count - 1)
        }
        slots[place] = 0
      }
      objects.removeLast()
    }
  }
}
