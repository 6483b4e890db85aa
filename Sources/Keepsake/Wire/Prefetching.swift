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

  /// Begins to fetch the element at `index` of the array at `number`. That one would be retained to be asked.
  @inline(__always)
  func prefetch<Inner>(_ index: Int, ofArray number: Int) where Element == [Inner] {
    let array = unsafe withUnsafeBytes { (bytes) in
      unsafe bytes.load(fromByteOffset: number &* MemoryLayout<UInt>.stride, as: UInt.self)
    }
    keepsake_prefetch(array &+ 32 &+ UInt(bitPattern: index &* MemoryLayout<Inner>.stride))
  }
}

extension Array where Element: AnyObject {
  /// Gives `body` the addresses of the objects, none of which is touched.
  @inline(__always)
  func withAddresses(_ body: (Span<UInt>) -> Void) {
    unsafe withUnsafeBytes { (bytes) in unsafe body(bytes.bindMemory(to: UInt.self).span) }
  }
}
