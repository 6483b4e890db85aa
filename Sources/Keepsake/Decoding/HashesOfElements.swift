/// A set or dictionary, which is no use if its elements have other hashes than when it was made.
protocol HashedValue {
  /// The hashes of its elements or keys, in the order in which it has them.
  var elementHashes: [Int] { get }
  /// The same elements by the hashes that they have now; `nil` where some are equal now.
  var mended: (any HashedValue)? { get }
}

extension Set: HashedValue {
  var elementHashes: [Int] { map(\.hashValue) }
  var mended: (any HashedValue)? {
    let mended = Set(Array(self))
    return mended.count == count ? mended : nil
  }
}

extension Dictionary: HashedValue {
  var elementHashes: [Int] { keys.map(\.hashValue) }
  var mended: (any HashedValue)? {
    let mended = Dictionary(map { ($0, $1) }) { first, _ in first }
    return mended.count == count ? mended : nil
  }
}

/// By which hashes a set or dictionary was made.
struct HashesOfElements {
  private let value: any HashedValue
  private let hashes: [Int]
  /// Where it is in the archive.
  let offset: Int
  /// The property that it is in, if that can wait but did not.
  var property: PropertiesReadLast.PropertyOfKey?
  /// Makes it anew where it is.
  private var mend: (() -> Bool)?

  var type: Any.Type { Swift.type(of: value) }

  init(_ value: any HashedValue, _ offset: Int) {
    self.value = value
    self.offset = offset
    hashes = value.elementHashes
  }

  /// Notes how it is made anew where it was put.
  mutating func put(_ mend: @escaping () -> Bool) { self.mend = mend }

  /// Whether each element is found, if need be after it was made anew.
  var isRight: Bool { value.elementHashes == hashes || mend?() == true }
}
