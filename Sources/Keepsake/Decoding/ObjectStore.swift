/// The objects of an archive that have been decoded or are being decoded, by number, in pages so that a few
/// objects of a large archive cost little.
struct ObjectStore {
  private static let pageSize = 512

  private struct Entry {
    var object: AnyObject?
    /// Where the reference is by which the object was first reached; -1 as long as it was not.
    var origin = -1
  }

  /// An object that the table does not keep.
  private struct WeakObject {
    weak var object: AnyObject?
  }

  private var count: Int
  private var pages: [[Entry]]
  /// The objects that are only known as long as somebody else keeps them, by number.
  private var asleep: [Int: WeakObject] = [:]

  init(count: Int) {
    self.count = count
    pages = Array(repeating: [], count: count / ObjectStore.pageSize + 1)
  }

  @inline(__always)
  func object(_ number: Int) -> AnyObject? {
    let page = number / ObjectStore.pageSize
    let object = pages[page].isEmpty ? nil : pages[page][number % ObjectStore.pageSize].object
    return object == nil && !asleep.isEmpty ? asleep[number]?.object : object
  }

  /// Where the object or value of `number` was first referred to, or -1.
  func origin(_ number: Int) -> Int {
    let page = number / ObjectStore.pageSize
    return pages[page].isEmpty ? -1 : pages[page][number % ObjectStore.pageSize].origin
  }

  mutating func set(_ number: Int, _ object: AnyObject?, origin: Int) {
    let page = number / ObjectStore.pageSize
    if pages[page].isEmpty {
      let entryCount = min(ObjectStore.pageSize, count + 1 - page * ObjectStore.pageSize)
      pages[page].append(contentsOf: repeatElement(Entry(), count: entryCount))
    }
    pages[page][number % ObjectStore.pageSize] = Entry(object: object, origin: origin)
  }

  /// Keeps the objects of `numbers` no more. They are known as long as somebody else keeps them.
  mutating func letGo(_ numbers: [UInt32]) {
    for number in numbers.lazy.map(Int.init) {
      guard let object = object(number) else { continue }
      set(number, nil, origin: origin(number))
      asleep[number] = WeakObject(object: object)
    }
  }

  /// Makes an object known, as long as somebody keeps it, that was not read but written.
  mutating func note(_ object: AnyObject, _ number: Int) { asleep[number] = WeakObject(object: object) }

  /// Forgets everything, to be used for another archive.
  mutating func removeAll() {
    count = 0
    if !asleep.isEmpty { asleep = [:] }
    if pages.count > 1 { pages.removeSubrange(1...) }
    if !pages[0].isEmpty { pages[0].removeAll(keepingCapacity: true) }
  }

  /// Makes room for numbers up to `newCount`.
  mutating func grow(to newCount: Int) {
    guard newCount > count else { return }
    // A page that is there has no room for more than it was made for.
    let last = count / ObjectStore.pageSize
    count = newCount
    if !pages[last].isEmpty {
      let entryCount = min(ObjectStore.pageSize, count + 1 - last * ObjectStore.pageSize)
      while pages[last].count < entryCount { pages[last].append(Entry()) }
    }
    while pages.count <= count / ObjectStore.pageSize { pages.append([]) }
  }
}
