#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Memory of the C library: `realloc` makes a large block larger without a copy where it can, by moving pages or taking what
/// is free behind it, and a finished archive can be given away to be freed by `free`. Without memory a program ends, as
/// wherever Swift asks for some.
enum OwnedMemory {
  /// Memory that begins with the bytes of `old`, which is gone then.
  @unsafe
  static func resized(_ old: UnsafeMutableRawPointer?, to byteCount: Int) -> UnsafeMutableRawPointer {
    unsafe checked(realloc(old, byteCount))
  }

  /// Memory for `count` elements of `byteCount` bytes, all of which are 0. Much of it takes no time: it comes as the system
  /// has it.
  @unsafe
  static func zeros(_ count: Int, byteCount: Int) -> UnsafeMutableRawPointer {
    unsafe checked(calloc(count, byteCount))
  }

  @unsafe
  static func giveBack(_ memory: UnsafeMutableRawPointer) { unsafe free(memory) }

  @unsafe
  private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    precondition(unsafe memory != nil, "There is no memory left")
    return unsafe memory.unsafelyUnwrapped  // compared above
  }
}

/// An array that is in one place only, and so need not ask at each write whether somebody else has it, too. Its elements are
/// bits and nothing else.
///
/// `base` has room for `capacity` elements, the first `count` of which are initialized; before the first it is `nil`.
@safe
final class OwnedArray<Element: BitwiseCopyable> {
  @safe @exclusivity(unchecked) private var base: UnsafeMutablePointer<Element>?
  @safe @exclusivity(unchecked) private var capacity = 0
  @safe @exclusivity(unchecked) private(set) var count = 0

  init() {}

  deinit {
    if let base { unsafe OwnedMemory.giveBack(base) }  // its own, never shared
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe base.unsafelyUnwrapped[index]  // compared above
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe base.unsafelyUnwrapped[index] = newValue  // compared above
    }
  }

  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { grow() }
    unsafe base.unsafelyUnwrapped[count] = element  // room made above
    count &+= 1
  }

  /// Appends `element` up to `newCount` elements, for which room is made at once.
  @inline(__always)
  func fill(to newCount: Int, with element: Element) {
    if newCount > capacity { grow(to: max(newCount, capacity * 2)) }
    while count < newCount { append(element) }
  }

  @inline(never)
  private func grow() { grow(to: max(16, capacity * 2)) }

  @inline(never)
  private func grow(to newCapacity: Int) {
    capacity = newCapacity
    unsafe base = OwnedMemory.resized(base, to: capacity * MemoryLayout<Element>.stride)
      .assumingMemoryBound(to: Element.self)  // room for as many, which it is used for alone
  }

  @inline(__always)
  func removeLast() -> Element {
    let last = self[count &- 1]
    count &-= 1
    return last
  }

  /// Forgets the elements from `newCount` on.
  @inline(__always)
  func truncate(to newCount: Int) {
    precondition(newCount >= 0)
    count = min(count, newCount)
  }

  /// Begins to fetch the element at `index`, of which nothing is read.
  @inline(__always)
  func prefetch(_ index: Int) {
    Keepsake.prefetch(UInt(bitPattern: base) &+ UInt(bitPattern: index &* MemoryLayout<Element>.stride))
  }
}

extension OwnedArray where Element: FixedWidthInteger {
  /// An array of `count` zeros.
  convenience init(zeros count: Int) {
    self.init()
    unsafe base = OwnedMemory.zeros(count, byteCount: MemoryLayout<Element>.stride)
      .assumingMemoryBound(to: Element.self)  // zeros are numbers
    (capacity, self.count) = (count, count)
  }
}

/// Objects that are kept alive, by their numbers from 0 on; there may be none of a number.
final class KeptObjects {
  private let references = OwnedArray<Unretained<AnyObject>?>()

  deinit { truncate(to: 0) }

  @inline(__always)
  var count: Int { references.count }

  @inline(__always)
  subscript(number: Int) -> Unretained<AnyObject>? { references[number] }

  @inline(__always)
  func append(_ object: AnyObject?) { references.append(object.map { Unretained(keeping: $0) }) }

  /// Lets go of the objects from `count` on, the last first.
  func truncate(to count: Int) {
    while references.count > count { references.removeLast()?.letGo() }
  }

  @inline(__always)
  func prefetch(_ number: Int) { references.prefetch(number) }
}
