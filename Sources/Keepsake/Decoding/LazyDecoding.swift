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
  /// Reads the value at `place`, or that of the lazy value to which the reference there leads.
  func decodeLazily<Value: Decodable>(_ type: Value.Type, at place: Int) throws -> Value {
    guard !isActive else {
      noteEarlyUse(at: place)
      let message =
        "A @Lazy property was read while its archive was still being decoded. Code that needs it belongs into "
        + "awakeFromArchive()"
      throw LazyTooEarly(reason: corrupted(ArchiveError(.misuse, message, byteOffset: place), []))
    }
    do {
      var start = place
      if try isObjectReference(at: place), let number = try referencedBody(at: place) {
        let (classNumber, body, content) = try objectBody(number, at: place)
        if image.classes[classNumber].name == ClassEntry.lazyName {
          try image.checkExtent(content, fills: body)
          start = content
        }
      }
      detachFrames(for: start)
      return try decodeOutermost(type, at: &start, 0)
    } catch {
      throw publicError(error, [])
    }
  }

  /// Whether a reference to an object stands at `place`, and no conditional one.
  func isObjectReference(at place: Int) throws(ArchiveError) -> Bool {
    try reader.byte(at: place) & 0xFC == Tag.objectReference
  }
}
