internal import KeepsakeStack
internal import Synchronization

/// Why lazy values of an archive could not be read.
final class LazyFaults: Sendable {
  private struct Fault: @unchecked Sendable {
    let error: any Error
  }

  private let fault = Mutex<Fault?>(nil)

  /// Of several the first.
  var first: (any Error)? { fault.withLock { $0?.error } }

  func note(_ error: any Error) { fault.withLock { if $0 == nil { $0 = Fault(error: error) } } }
}

/// A lazy value was needed while its archive was being decoded. It can be read when that is done.
struct LazyTooEarly: Error {
  let reason: any Error
}

/// Where a lazy value is in an archive.
enum LazySource {
  /// Where it stands, or a reference to its body.
  case offset(Int)
  case body(Int)
}

/// Who decodes: one thread at a time, which may ask for more meanwhile.
final class DecodingTurn: Sendable {
  private let lock = Mutex(())
  /// The thread that has the turn; 0 while none has. Only that thread finds its own number here.
  private let owner = Atomic<UInt>(0)

  func take<Result>(_ body: () throws -> Result) rethrows -> Result {
    let thread = keepsake_thread()
    if owner.load(ordering: .relaxed) == thread { return try body() }
    lock._unsafeLock()
    owner.store(thread, ordering: .relaxed)
    defer {
      owner.store(0, ordering: .relaxed)
      lock._unsafeUnlock()
    }
    return try body()
  }
}

/// Values that are read when a program first touches them (``Lazy``).
extension DecodingSession {
  /// Reads a lazy value. Where there is a reference to an object that is none, it is the value.
  func decodeLazily<Value: Decodable>(_ type: Value.Type, _ source: LazySource) throws -> Value {
    guard !later.isActive else {
      let offset = if case .offset(let offset) = source { offset } else { 0 }
      // The outermost decode will throw.
      later.earlyUses.note(at: offset)
      let message =
        "A @Lazy property was read while its archive was still being decoded. Code that needs it belongs in "
        + "awakeFromArchive()"
      throw LazyTooEarly(reason: corrupted(ArchiveError.misuse(message, at: offset), []))
    }
    do {
      var start = try contentOfLazyValue(source)
      detachFrames(for: start)
      return try keepingSpares { try decodeOutermost(type, at: &start, 0) }
    } catch {
      throw publicError(error, [])
    }
  }

  /// The lazy values that were not read yet, in the order of the archive.
  private var unreadLazyValues: [(key: Int, content: AnyLazyContent)] {
    lazies.contents.sorted { $0.key < $1.key }.compactMap { number, content in
      content.content.flatMap { $0.isArchived ? (number, $0) : nil }
    }
  }

  /// Reads all lazy values, those in other ones as well.
  ///
  /// - Parameter mayStay: whether one that cannot be read may stay unread, by the number of its body.
  /// - Throws: why another one cannot be read.
  func readLazyValues(besides mayStay: (_ number: Int) -> Bool) throws {
    var unread = unreadLazyValues
    var before: [Int]
    repeat {
      before = unread.map(\.key)
      // One that could not be read may have needed others.
      for (_, content) in unread { content.readIfPossible() }
      unread = unreadLazyValues
    } while unread.map(\.key) != before
    for (number, content) in unread where !mayStay(number) { try content.readIfNeeded() }
  }

  /// Reads what it can of the other lazy values after one threw `error`, and that one again.
  ///
  /// Where objects that are known early form cycles with others, it matters with which a reader begins. The archiver found
  /// out that they can be read in the order in which they are in the archive; a program may touch them in any.
  func readOtherLazyValues(after error: any Error) {
    guard case DecodingError.dataCorrupted(let context) = error,
      (context.underlyingError as? ArchiveError)?.code == .cycle
    else { return }
    let unread = unreadLazyValues.map(\.content) + lazies.inline.compactMap(\.content).filter(\.isArchived)
    // Without others than the last time, there is no other end.
    guard unread.count != lazies.unreadableCount else { return }
    // Those that come first may need later ones.
    var remaining = unread
    var count: Int
    repeat {
      count = remaining.count
      for content in remaining { content.readIfPossible() }
      remaining.removeAll { !$0.isArchived }
    } while remaining.count < count
    lazies.unreadableCount = count
  }

  /// Has the lazy value `number`, to which `start` refers, read when everything else is: nobody touches it after a rehearsal,
  /// which would not find out whether it can be read.
  func rehearse<Value: Decodable>(_ type: Value.Type, _ number: Int, at start: Int) {
    guard lazies.contents[number]?.content == nil else { return }
    later.deferred.append(.init(value: DeferredBox<Value>(at: start, later.earlyUses), offset: start))
  }

  private func contentOfLazyValue(_ source: LazySource) throws(ArchiveError) -> Int {
    switch source {
    case .body(let number): return try content(ofLazyBody: number, at: 0)
    case .offset(let offset):
      guard let number = try lazyBody(at: offset) else { return offset }
      return try content(ofLazyBody: number, at: offset)
    }
  }

  private func content(ofLazyBody number: Int, at reference: Int) throws(ArchiveError) -> Int {
    let (_, body, content) = try image.objectBody(number, at: reference)
    try image.checkExtent(content, fills: body)
    return content
  }

  /// The body of the lazy value to which a reference at `offset` leads; `nil` where a value stands there, or a reference to an
  /// object, as the property was not lazy when it was archived.
  func lazyBody(at offset: Int) throws(ArchiveError) -> Int? {
    lazies.areArchived ? try findLazyBody(at: offset) : nil
  }

  private func isLazyBody(_ number: Int) -> Bool {
    guard var cursor = try? image.extent(ofBody: number, at: 0).lowerBound,
      let classNumber = try? image.classNumber(at: &cursor)
    else { return false }
    return image.classes[classNumber].name == ClassEntry.lazyName
  }

  /// Where the value of the lazy value is to which a reference at `offset` leads; `nil` if none does. Who is not lazy reads
  /// that at once (Format §5.3).
  @inline(__always)
  func contentOfLazyReference(at offset: Int) throws(ArchiveError) -> Int? {
    lazies.areArchived ? try findLazyContent(at: offset) : nil
  }

  @inline(never)
  private func findLazyContent(at offset: Int) throws(ArchiveError) -> Int? {
    guard try findLazyBody(at: offset) != nil else { return nil }
    let content = try contentOfBody(at: offset)
    guard try findLazyBody(at: content) == nil else {
      throw .damaged("A reference to a lazy value leads to another one", at: content)
    }
    return content
  }

  /// Whether nil is the value of the lazy value to which a reference at `offset` leads.
  @inline(__always)
  func isLazyNil(at offset: Int) -> Bool { lazies.areArchived && findLazyNil(at: offset) }

  @inline(never)
  private func findLazyNil(at offset: Int) -> Bool {
    do {
      guard let number = try findLazyBody(at: offset) else { return false }
      let (_, body, content) = try image.objectBody(number, at: offset)
      return try content < body.upperBound && isNil(at: content)
    } catch {
      // Whoever reads the value meets the damage, too, and knows its path.
      return false
    }
  }

  /// Whether a reference to a lazy value stands at `offset`.
  @inline(__always)
  func leadsToLazyValue(_ offset: Int) throws(ArchiveError) -> Bool {
    try lazyBody(at: offset) != nil
  }

  @inline(never)
  private func findLazyBody(at offset: Int) throws(ArchiveError) -> Int? {
    guard try isObjectReference(at: offset), let number = try referencedBody(at: offset), isLazyBody(number)
    else { return nil }
    return number
  }

  /// An object or lazy value that was read, for who saves it again under its number.
  func known(_ number: Int) -> AnyObject? {
    graph.objects.object(number) ?? lazies.contents[number]?.content
  }

  /// Whether a reference to an object stands at `offset`, and no conditional one.
  func isObjectReference(at offset: Int) throws(ArchiveError) -> Bool {
    try reader.byte(at: offset) & 0xFC == Tag.objectReference
  }
}
