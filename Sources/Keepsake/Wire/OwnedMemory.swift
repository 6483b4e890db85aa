#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Memory of the C library. `realloc` enlarges a large block without a copy if it can, by moving pages or taking free
/// memory after it. The receiver of a finished archive can release it by `free`. Without memory, the program ends, as
/// with any allocation in Swift.
enum OwnedMemory {
  /// Memory that begins with the bytes of `old`, and replaces it.
  @unsafe
  static func resized(_ old: UnsafeMutableRawPointer?, to byteCount: Int) -> UnsafeMutableRawPointer {
    unsafe checked(realloc(old, byteCount))
  }

  /// Memory for `count` elements of `byteCount` bytes, all 0. Even much of it takes no time: the system provides it
  /// zeroed.
  @unsafe
  static func zeros(_ count: Int, byteCount: Int) -> UnsafeMutableRawPointer {
    unsafe checked(calloc(count, byteCount))
  }

  @unsafe
  static func giveBack(_ memory: UnsafeMutableRawPointer) { unsafe free(memory) }

  @unsafe
  private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    precondition(unsafe memory != nil, "There is no memory left")
    return unsafe memory.unsafelyUnwrapped  // checked above
  }
}

/// An array with a single owner, so a write does not check whether others share it. Its elements are bits and nothing
/// else.
///
/// `base` has room for `capacity` elements, the first `count` of which are initialized. Without capacity, it is `nil`.
@safe
final class OwnedArray<Element: BitwiseCopyable> {
  @safe @exclusivity(unchecked) private var base: UnsafeMutablePointer<Element>?
  @safe @exclusivity(unchecked) private var capacity = 0
  @safe @exclusivity(unchecked) private(set) var count = 0

  deinit {
    if let base { unsafe OwnedMemory.giveBack(base) }  // its own, never shared
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe base.unsafelyUnwrapped[index]  // checked above
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe base.unsafelyUnwrapped[index] = newValue  // checked above
    }
  }

  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { grow() }
    unsafe base.unsafelyUnwrapped[count] = element  // reserved above
    count &+= 1
  }

  /// Appends `element` up to `newCount` elements, and reserves space for all at once.
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
      .assumingMemoryBound(to: Element.self)  // room for `capacity` elements, and used for nothing else
  }

  @inline(__always)
  func removeLast() -> Element {
    let last = self[count &- 1]
    count &-= 1
    return last
  }

  /// Removes the elements from `newCount` on.
  @inline(__always)
  func truncate(to newCount: Int) {
    precondition(newCount >= 0)
    count = min(count, newCount)
  }

  /// Begins to fetch the element at `index`, without reading it.
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
      .assumingMemoryBound(to: Element.self)  // zero bits are a valid integer
    (capacity, self.count) = (count, count)
  }
}

/// Retained objects by number, from 0 on. A number may have no object.
final class KeptObjects {
  private let references = OwnedArray<Unretained<AnyObject>?>()

  deinit { truncate(to: 0) }

  @inline(__always)
  var count: Int { references.count }

  @inline(__always)
  subscript(number: Int) -> Unretained<AnyObject>? { references[number] }

  @inline(__always)
  func append(_ object: AnyObject?) { references.append(object.map { Unretained(keeping: $0) }) }

  /// Releases the objects from `count` on, the last first.
  func truncate(to count: Int) {
    while references.count > count { references.removeLast()?.letGo() }
  }

  @inline(__always)
  func prefetch(_ number: Int) { references.prefetch(number) }
}
