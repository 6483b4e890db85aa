#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How large the stack is that ``onLargerStack(_:)`` makes. It is address space: memory is used as far as the
/// recursion goes, and given back at the end.
private let largerStackSize = Int.bitWidth > 32 ? 64 << 20 : 16 << 20

/// Runs `body` on a thread with a large stack of its own while this thread waits, and gives back its result.
///
/// To be called where ``StackGuard`` finds no room; calls may be nested to any depth. The body is on another thread:
/// it does not see the task, the task-local values and the thread-local values of the caller. It holds none of the locks of
/// the caller either, so it waits forever for a recursive lock that the caller holds.
///
/// - Throws: what `body` throws, or ``ArchiveError`` when the system gives no thread; `body` was not run then.
@inline(never)
func onLargerStack<Value>(_ body: () throws -> Value) throws -> Value {
  var outcome: Result<Value, any Error>?
  try runOnLargerStack { outcome = Result { try body() } }
  // Creating a thread and joining it order memory: what it wrote is seen here.
  guard let outcome else { throw ArchiveError(.limitExceeded, "The thread for deep recursion did not run") }
  return try outcome.get()
}

/// What the thread is given. It belongs to the caller, who keeps it until the thread was joined.
private final class LargerStackJob {
  let work: () -> Void

  init(_ work: @escaping () -> Void) {
    self.work = work
  }
}

private func runOnLargerStack(_ work: () -> Void) throws(ArchiveError) {
  // The closure does not escape: the only thread that gets it has ended when this returns. That is also checked, by
  // withoutActuallyEscaping.
  let failure = withoutActuallyEscaping(work) { work -> Int32 in
    let job = LargerStackJob(work)
    // The pointer is not counted; the job lives until the thread was joined, or was never made.
    return withExtendedLifetime(job) { unsafe startAndJoin(Unmanaged.passUnretained(job).toOpaque()) }
  }
  guard failure == 0 else {
    throw ArchiveError(
      .limitExceeded,
      "The stack of this thread is about to end, and the system gives no thread with a larger one "
        + "(error \(failure))"
    )
  }
}

/// Makes the thread and waits for its end; returns the error number of what failed, and then nothing was run.
private func startAndJoin(_ job: UnsafeMutableRawPointer) -> Int32 {
  // The attributes are initialized before, and destroyed after, all uses; they are this function's own.
  var attributes = pthread_attr_t()
  let initialization = unsafe pthread_attr_init(&attributes)
  guard initialization == 0 else { return initialization }
  defer { _ = unsafe pthread_attr_destroy(&attributes) }
  let sizing = unsafe pthread_attr_setstacksize(&attributes, largerStackSize)
  guard sizing == 0 else { return sizing }
  #if canImport(Darwin)
    // The work is as urgent as it was. Where the class is unspecified this fails, and the default is right.
    _ = unsafe pthread_attr_set_qos_class_np(&attributes, qos_class_self(), 0)
  #endif

  // The thread is joined before anything that it was given goes away. Joining can neither be interrupted nor fail: the
  // thread is joinable, is not this one, and nobody else knows it.
  #if canImport(Glibc)
    var thread = pthread_t()
    let creation = unsafe pthread_create(&thread, &attributes, largerStackMain, job)
    guard creation == 0 else { return creation }
    _ = pthread_join(thread, nil)
  #else
    var thread: pthread_t?
    let creation = unsafe pthread_create(&thread, &attributes, largerStackMain, job)
    guard creation == 0 else { return creation }
    if let thread = unsafe thread { _ = unsafe pthread_join(thread, nil) }
  #endif
  return 0
}

// The start routine takes an optional pointer, except on Darwin; its signature is part of what is called, so each
// platform gets its own.
#if canImport(Darwin)
  private func largerStackMain(_ job: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    // The pointer is that of `runOnLargerStack`, of a job that outlives the thread.
    unsafe Unmanaged<LargerStackJob>.fromOpaque(job).takeUnretainedValue().work()
    return nil
  }
#else
  private func largerStackMain(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The pointer is that of `runOnLargerStack`, of a job that outlives the thread.
    if let job = unsafe job { unsafe Unmanaged<LargerStackJob>.fromOpaque(job).takeUnretainedValue().work() }
    return nil
  }
#endif
