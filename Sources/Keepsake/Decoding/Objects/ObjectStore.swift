/// The objects of an archive that are decoded or being decoded, by number. They are in pages, so that a few objects of
/// a large archive cost little.
struct ObjectStore {
  private static let pageSize = 512

  /// Why there is no object, if there is none.
  enum State: Int {
    /// The object was not requested yet, or is released.
    case usual
    /// The initializer is running, and has not registered the object.
    case isBeingDecoded
    /// The observer replaced the object by nil.
    case isReplacedByNil
  }

  private struct Entry {
    var object: AnyObject?
    /// The origin, shifted by two bits, and the state in the lower two: an archive may have very many objects.
    private var bits: Int

    init(_ object: AnyObject? = nil, _ state: State = .usual, origin: Int = -1) {
      self.object = object
      bits = origin &<< 2 | state.rawValue
    }

    /// The offset of the reference that first led to the object; -1 if none has.
    var origin: Int { bits &>> 2 }
    var state: State { State(rawValue: bits & 3) ?? .usual }

    @inline(__always)
    mutating func enter(_ object: AnyObject) {
      self.object = object
      bits &= ~3
    }
  }

  private var count = 0
  private var pages: [[Entry]] = [[]]
  /// The objects that are known only as long as something else retains them, by number.
  private var asleep: [Int: Weak<AnyObject>] = [:]

  @inline(__always)
  func object(_ number: Int) -> AnyObject? {
    let (page, index) = ObjectStore.place(number)
    let object = pages[page].isEmpty ? nil : pages[page][index].object
    return object == nil && !asleep.isEmpty ? asleep[number]?.object : object
  }

  /// The object `number` if the table retains it. Valid as long as the table does.
  @inline(__always)
  func unretained(_ number: Int) -> Unretained<AnyObject>? {
    let (page, index) = ObjectStore.place(number)
    guard !pages[page].isEmpty, let object = pages[page][index].object else { return nil }
    return Unretained(object)
  }

  /// Begins to fetch the entry of `number`.
  @inline(__always)
  func prefetchEntry(_ number: Int) {
    let (page, index) = ObjectStore.place(number)
    pages.prefetch(index, ofArray: page)
  }

  /// Begins to fetch the object `number`, if the table retains it.
  @inline(__always)
  func prefetchObject(_ number: Int) {
    let (page, index) = ObjectStore.place(number)
    if !pages[page].isEmpty { pages.prefetchReferred(byElement: index, ofArray: page) }
  }

  /// The offset of the first reference to the object or value `number`; -1 if there was none.
  func origin(_ number: Int) -> Int {
    let (page, index) = ObjectStore.place(number)
    return pages[page].isEmpty ? -1 : pages[page][index].origin
  }

  /// Why ``object(_:)`` has no object for `number`.
  @inline(__always)
  func state(_ number: Int) -> State {
    let (page, index) = ObjectStore.place(number)
    return pages[page].isEmpty ? .usual : pages[page][index].state
  }

  /// Enters the object whose initializer is running and has registered it.
  @inline(__always)
  mutating func register(_ object: AnyObject, _ number: Int) {
    let (page, index) = ObjectStore.place(number)
    pages[page][index].enter(object)
  }

  /// Enters the object that an initializer returned, whose state was ``State/isBeingDecoded``.
  ///
  /// - Returns: `false` if the initializer registered another object.
  @inline(__always)
  mutating func complete(_ number: Int, _ object: AnyObject) -> Bool {
    if let registered = unretained(number) { return registered.use { $0 === object } }
    register(object, number)
    return true
  }

  /// Enters `object` for `number`, or why there is none. The reference at `origin` leads to it.
  mutating func set(_ number: Int, _ object: AnyObject?, _ state: State = .usual, origin: Int) {
    let (page, index) = ObjectStore.place(number)
    if pages[page].isEmpty { makePage(page) }
    pages[page][index] = Entry(object, state, origin: origin)
  }

  @inline(never)
  private mutating func makePage(_ page: Int) {
    let entryCount = min(ObjectStore.pageSize, count + 1 - page * ObjectStore.pageSize)
    pages[page].append(contentsOf: repeatElement(Entry(), count: entryCount))
  }

  /// The position of the entry of `number`, which is not negative: its page, and the index in the page.
  @inline(__always)
  private static func place(_ number: Int) -> (page: Int, index: Int) {
    let (page, index) = UInt(bitPattern: number).quotientAndRemainder(dividingBy: UInt(pageSize))
    return (Int(bitPattern: page), Int(bitPattern: index))
  }

  /// Releases the objects of `numbers`. They remain known as long as something else retains them.
  mutating func letGo(_ numbers: [UInt32]) {
    for number in numbers.lazy.map(Int.init) {
      guard let object = object(number) else { continue }
      set(number, nil, origin: origin(number))
      asleep[number] = Weak(object: object)
    }
  }

  /// Makes an object known that was written, not read, as long as something else retains it.
  mutating func note(_ object: AnyObject, _ number: Int) { asleep[number] = Weak(object: object) }

  /// Forgets everything, for use with another archive.
  mutating func removeAll() {
    count = 0
    if !asleep.isEmpty { asleep = [:] }
    if pages.count > 1 { pages.removeSubrange(1...) }
    if !pages[0].isEmpty { pages[0].removeAll(keepingCapacity: true) }
  }

  /// Reserves space for numbers up to `newCount`.
  mutating func grow(to newCount: Int) {
    guard newCount > count else { return }
    // An existing page has entries only up to the old count.
    let last = count / ObjectStore.pageSize
    count = newCount
    if !pages[last].isEmpty {
      let entryCount = min(ObjectStore.pageSize, count + 1 - last * ObjectStore.pageSize)
      while pages[last].count < entryCount { pages[last].append(Entry()) }
    }
    while pages.count <= count / ObjectStore.pageSize { pages.append([]) }
  }
}
