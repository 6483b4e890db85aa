internal import CKeepsake
internal import Synchronization

/// The errors of the lazy values of an archive.
final class LazyFaults: Sendable {
  private struct Fault: @unchecked Sendable {
    let error: any Error
    private(set) weak var content: AnyLazyContent?
  }

  private let faults = Mutex<[Fault]>([])

  /// The first error, except those of values that could be read later. Nobody can read a value that the program has
  /// replaced.
  var first: (any Error)? { faults.withLock { $0 }.first { $0.content?.hasFailed ?? true }?.error }

  func note(_ error: any Error, of content: AnyLazyContent) {
    faults.withLock { $0.append(Fault(error: error, content: content)) }
  }

  /// Reads the values that could not be read once more if a type may be found now.
  func readAgain() {
    for fault in faults.withLock({ $0 }) { try? fault.content?.readIfNeeded() }
  }
}

/// The position of a lazy value in an archive.
enum LazySource {
  /// The offset of the value, or of a reference to its body.
  case offset(Int)
  case body(Int)
}

/// Lets one thread at a time decode. That thread may take its turn again while it has it.
final class DecodingTurn: Sendable {
  private let lock = Mutex(())
  /// The thread whose turn it is; 0 if there is none. Only that thread finds its own number here.
  private let owner = Atomic<UInt>(0)

  func take<Result>(_ body: () throws -> Result) rethrows -> Result {
    let thread = keepsake_thread()
    let hasTurn = owner.load(ordering: .relaxed) == thread
    if !hasTurn {
      lock._unsafeLock()
      owner.store(thread, ordering: .relaxed)
    }
    defer {
      if !hasTurn {
        owner.store(0, ordering: .relaxed)
        lock._unsafeUnlock()
      }
    }
    return try body()
  }
}

/// Values that are read when the program first accesses them (``Lazy``).
extension DecodingSession {
  /// Reads a lazy value. A reference to an object that is not a lazy value is itself the value.
  func decodeLazily<Value: Decodable>(_ type: Value.Type, _ source: LazySource) throws -> Value {
    guard !later.isActive else {
      let offset = if case .offset(let offset) = source { offset } else { 0 }
      // The outermost decode will throw.
      later.earlyUses.note(at: offset)
      let message =
        "A @Lazy property was read while its archive was still being decoded. Code that needs it belongs in "
        + "awakeFromArchive()"
      throw corrupted(ArchiveError.misuse(message, at: offset), [])
    }
    return try reporting([]) {
      var start = try contentOfLazyValue(source)
      detachFrames(for: start)
      return try keepingSpares { try decodeOutermost(type, at: &start, 0) }
    }
  }

  /// The lazy values that were not read yet, in the order of the archive, and after these those without a body, whose
  /// number is 0: their properties were not lazy when they were archived.
  private var unreadLazyValues: [(key: Int, content: AnyLazyContent)] {
    let numbered = Array(lazies.contents.keys).ordered(by: <).map { ($0, lazies.contents[$0]?.object) }
    return (numbered + lazies.inline.map { (0, $0.object) }).compactMap { number, content in
      content.flatMap { $0.isArchived ? (number, $0) : nil }
    }
  }

  /// Reads all lazy values, including those in other lazy values.
  ///
  /// - Parameter mayStay: whether an unreadable value may remain, by the number of its body.
  /// - Throws: the error of an unreadable value that may not remain.
  func readLazyValues(besides mayStay: (_ number: Int) -> Bool) throws {
    readLazyValuesIfPossible()
    for (number, content) in unreadLazyValues where !mayStay(number) { try content.readIfNeeded() }
  }

  /// Reads the lazy values, or those whose bodies have chosen numbers, as far as possible.
  func readLazyValuesIfPossible(where isChosen: (_ number: Int) -> Bool = { _ in true }) {
    var (count, inlineCount) = (lazies.newObjects?.list.count ?? 0, lazies.inline.count)
    /// The chosen lazy values in what was read since the last call.
    func newContents() -> [AnyLazyContent] {
      let new = lazies.newObjects.map { Array($0.list.dropFirst(count)) } ?? []
      let inline = lazies.inline.dropFirst(inlineCount).compactMap(\.object)
      (count, inlineCount) = (count + new.count, lazies.inline.count)
      return new.ordered { $0.number < $1.number }.filter { isChosen($0.number) }
        .compactMap { $0.object as? AnyLazyContent } + (isChosen(0) ? inline : [])
    }
    _ = readIfPossible {
      // Lists all only when those in the values just read are read, too: there may be a chain of lazy values.
      while case let contents = newContents(), !contents.isEmpty {
        for content in contents { content.readIfPossible() }
      }
      return unreadLazyValues.filter { isChosen($0.key) }.map(\.content)
    }
  }

  /// Reads the lazy values that `unread` returns until that no longer changes: one that is unreadable may need others.
  ///
  /// - Returns: those that remain.
  private func readIfPossible(_ unread: () -> [AnyLazyContent]) -> [AnyLazyContent] {
    var contents = unread()
    var before: [AnyLazyContent]
    repeat {
      before = contents
      for content in contents { content.readIfPossible() }
      contents = unread()
    } while !contents.elementsEqual(before, by: ===)
    return contents
  }

  /// Reads the other lazy values as far as possible after one threw `error`, and that one again.
  ///
  /// If objects that are known early form cycles with others, it matters where a reader begins. The archiver has
  /// verified that the order of the archive works; a program may access lazy values in any order.
  func readOtherLazyValues(after error: any Error) {
    guard loss(error)?.code == .cycle else { return }
    let unread = unreadLazyValues.map(\.content)
    // If the same values as last time are unread, the result would be the same.
    guard unread.count != lazies.unreadableCount else { return }
    lazies.unreadableCount = readIfPossible { unread.filter(\.isArchived) }.count
  }

  /// Makes the session read the lazy value `number`, to which `start` refers, after everything else. Nothing accesses it
  /// in a rehearsal, which otherwise would not find out if it is readable.
  func rehearse<Value: Decodable>(_ type: Value.Type, _ number: Int, at start: Int) {
    guard lazies.contents[number]?.object == nil else { return }
    later.deferred.append(.init(value: DeferredBox<Value>(at: start, later.earlyUses), offset: start))
  }

  private func contentOfLazyValue(_ source: LazySource) throws(ArchiveError) -> Int {
    let (number, reference): (Int, Int)
    switch source {
    case .body(let body): (number, reference) = (body, 0)
    case .offset(let offset):
      guard let body = try lazyBody(at: offset) else { return offset }
      (number, reference) = (body, offset)
      // For the coding paths of errors.
      graph.objects.set(number, nil, origin: offset)
    }
    let (_, body, content) = try image.objectBody(number, at: reference)
    try image.checkExtent(content, fills: body)
    return content
  }

  /// The body of the lazy value to which a reference at `offset` leads; `nil` if a value is there, or a reference to an
  /// object, because the property was not lazy when it was archived.
  @inline(__always)
  func lazyBody(at offset: Int) throws(ArchiveError) -> Int? {
    lazies.areArchived ? try findLazyBody(at: offset) : nil
  }

  /// The offset of the content of the lazy value to which a reference at `offset` leads; `nil` if none does. A property
  /// that is not lazy reads the content at once (Format §5.3).
  func contentOfLazyReference(at offset: Int) throws(ArchiveError) -> Int? {
    guard try lazyBody(at: offset) != nil else { return nil }
    let content = try contentOfBody(at: offset)
    guard try findLazyBody(at: content) == nil else {
      throw .damaged("A reference to a lazy value leads to another one", at: content)
    }
    return content
  }

  /// Whether a reference at `offset` leads to a lazy value whose content is nil.
  @inline(__always)
  func isLazyNil(at offset: Int) -> Bool { lazies.areArchived && findLazyNil(at: offset) }

  @inline(never)
  private func findLazyNil(at offset: Int) -> Bool {
    do {
      guard let number = try findLazyBody(at: offset) else { return false }
      let (_, body, content) = try image.objectBody(number, at: offset)
      return try content < body.upperBound && isNil(at: content)
    } catch {
      // Whoever reads the value finds the damage, too, and knows its path.
      return false
    }
  }

  @inline(never)
  private func findLazyBody(at offset: Int) throws(ArchiveError) -> Int? {
    guard try reader.byte(at: offset) & 0xFC == Tag.objectReference,
      let number = try referencedBody(at: offset),
      var cursor = try? image.extent(ofBody: number, at: 0).lowerBound,
      let classNumber = try? image.classNumber(at: &cursor),
      image.classes[classNumber].name == ClassEntry.lazyName
    else { return nil }
    return number
  }

  /// An object or lazy value that was read, for a save, which writes it again under its number.
  func known(_ number: Int) -> AnyObject? {
    graph.objects.object(number) ?? lazies.contents[number]?.object
  }
}
