extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which `isBehind` is true, as it is for all elements after it; or the end.
  package func partitioningIndex<Failure>(
    where isBehind: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if try isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array {
  /// The elements in the order of `precedes`. Elements of which none precedes the other keep their order.
  ///
  /// The compiler copies the standard library's sorting, 3 KB, for each type and closure. This sorts only indices.
  func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    indices.ordered { precedes(self[$0], self[$1]) }.map { self[$0] }
  }
}

extension Range<Int> {
  /// The numbers in the order of `precedes`, like ``Swift/Array/ordered(by:)``.
  func ordered(by precedes: (Int, Int) -> Bool) -> [Int] {
    withoutActuallyEscaping(precedes) { IndexOrder(precedes: $0).sort(self) }
  }
}

/// An order that the compiler does not know, so it makes no copy of the sorting for it.
private final class IndexOrder {
  private let precedes: (Int, Int) -> Bool

  init(precedes: @escaping (Int, Int) -> Bool) {
    self.precedes = precedes
  }

  @inline(never)
  func sort(_ range: Range<Int>) -> [Int] { range.sorted { precedes($0, $1) } }
}
