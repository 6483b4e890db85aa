import CKeepsake

// Fetches memory that will soon be needed. A cache miss takes as long as some hundred instructions, but ten
// misses at once take no longer than one.

/// Begins to fetch what is at `address`, which may be any number.
@inline(__always)
func prefetch(_ address: UInt) { keepsake_prefetch(address) }

/// Arrays in an array. Calling a method of an inner array would retain it.
extension Array {
  @inline(__always)
  func prefetch<Inner>(_ index: Int, ofArray number: Int) where Element == [Inner] {
    keepsake_prefetch(address(index, ofArray: number))
  }

  /// Begins to fetch the object to which the first word of the element at `index` of the array at `number` refers.
  @inline(__always)
  func prefetchReferred<Inner>(byElement index: Int, ofArray number: Int) where Element == [Inner] {
    let start = address(index, ofArray: number)
    guard let element = unsafe UnsafePointer<UInt>(bitPattern: start) else { return }
    unsafe keepsake_prefetch(element.pointee)
  }

  /// The address of an element that the caller knows to exist. The elements of an array follow four words.
  @inline(__always)
  private func address<Inner>(_ index: Int, ofArray number: Int) -> UInt where Element == [Inner] {
    let array = unsafe withUnsafeBytes { (bytes) in
      unsafe bytes.load(fromByteOffset: number &* MemoryLayout<UInt>.stride, as: UInt.self)
    }
    let start = array &+ UInt(4 * MemoryLayout<UInt>.stride)
    return start &+ UInt(bitPattern: index &* MemoryLayout<Inner>.stride)
  }
}

extension Array where Element: AnyObject {
  /// Calls `body` with the addresses of the objects, none of which is touched.
  @inline(__always)
  func withAddresses(_ body: (Span<UInt>) -> Void) {
    unsafe withUnsafeBytes { (bytes) in unsafe body(bytes.bindMemory(to: UInt.self).span) }
  }
}
