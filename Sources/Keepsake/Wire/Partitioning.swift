extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which `isBehind` is true, as it is for all elements after it; or the end.
  func partitioningIndex<Failure>(where isBehind: (Element) throws(Failure) -> Bool) throws(Failure) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if try isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
