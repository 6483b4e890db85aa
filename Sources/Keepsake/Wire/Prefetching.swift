import KeepsakeStack

// Memory that will soon be needed is asked for ahead. What is in no cache takes as long as some hundred instructions, but
// ten pieces of it are there as soon as one.

/// Begins to fetch what is at `address`, which may be any number.
@inline(__always)
func prefetch(_ address: UInt) { keepsake_prefetch(address) }

extension Array {
  /// Begins to fetch the element at `index`, of which nothing is read.
  @inline(__always)
  func prefetch(_ index: Int) {
    unsafe withUnsafeBytes { (bytes) in
      let start = UInt(bitPattern: bytes.baseAddress)
      keepsake_prefetch(start &+ UInt(bitPattern: index &* MemoryLayout<Element>.stride))
    }
  }
}

/// Arrays in an array. To be asked themselves, they would be retained.
extension Array {
  @inline(__always)
  func prefetch<Inner>(_ index: Int, ofArray number: Int) where Element == [Inner] {
    keepsake_prefetch(address(index, ofArray: number))
  }

  /// Begins to fetch the object that the element at `index` of the array at `number` begins with.
  @inline(__always)
  func prefetchReferred<Inner>(byElement index: Int, ofArray number: Int) where Element == [Inner] {
    let start = address(index, ofArray: number)
    guard let element = unsafe UnsafePointer<UInt>(bitPattern: start) else { return }
    unsafe keepsake_prefetch(element.pointee)
  }

  /// Where the element is, which the caller knows to be there. The elements of an array stand behind four words.
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
  /// Gives `body` the addresses of the objects, none of which is touched.
  @inline(__always)
  func withAddresses(_ body: (Span<UInt>) -> Void) {
    unsafe withUnsafeBytes { (bytes) in unsafe body(bytes.bindMemory(to: UInt.self).span) }
  }
}
