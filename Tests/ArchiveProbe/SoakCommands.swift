import Foundation
import RandomArchives

/// Archives and reads random graphs for a time, and measures the memory. Returns false for other
/// commands.
///
///     soak SECONDS [SEED [THREADS]]    two threads by default
///     soak-one SEED                    only the graph of this seed
///
/// Ends with 1 if a graph comes back changed, if objects are left, or if the memory grows.
func runSoakCommand(_ arguments: [String]) throws -> Bool {
  let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
  switch (arguments.first, arguments.count) {
  case ("soak", 2...4):
    guard let seconds = Double(arguments[1]),
      let seed = arguments.count > 2 ? UInt64(arguments[2]) : UInt64.random(in: .min ... .max),
      let threads = arguments.count > 3 ? Int(arguments[3]) : 2, threads > 0
    else { throw FileCommandError.wrongArguments(arguments) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let fault = soak(seconds: seconds, seed: seed, threads: threads, folder: folder)
    try FileManager.default.removeItem(at: folder)
    if let fault { fail("soak with seed \(seed): \(fault)") }
  case ("soak-one", 2):
    guard let seed = UInt64(arguments[1]) else { throw FileCommandError.wrongArguments(arguments) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var graph = SoakGraph(seed: seed, folder: folder)
    try graph.run()
    print("\(graph): \(graph.objects) objects, \(graph.bytes) bytes; \(LiveObjects.count) objects are left")
    if LiveObjects.count != 0 { fail("\(graph): objects are left") }
  case ("soak", _), ("soak-one", _): throw FileCommandError.wrongArguments(arguments)
  default: return false
  }
  return true
}

private func soak(seconds: Double, seed: UInt64, threads: Int, folder: URL) -> String? {
  print("soak: seed \(seed), \(threads) threads, \(seconds) seconds")
  let start = ContinuousClock.now
  let run = SoakRun(seed: seed, folder: folder)
  var memory = MemoryWatch()
  let rounds = 16
  for round in 1...rounds where run.state.fault == nil {
    run.run(threads: threads, until: start + .seconds(seconds * Double(round) / Double(rounds)))
    memory.sample()
  }
  let totals = run.state
  print(
    """
    soak: \(totals.graphs) graphs, \(totals.objects) objects archived, \(totals.bytes / 1_000_000) MB of archives; \
    \(LiveObjects.everMade) objects made, \(LiveObjects.count) left; memory between the rounds, in KB: \(memory.samples)
    """
  )
  if let fault = totals.fault { return fault }
  if LiveObjects.count != 0 { return "\(LiveObjects.count) objects are left" }
  return memory.fault
}

/// The memory of this process while no graphs exist: between the rounds of a run, when all threads have ended.
///
/// During a round, rare large graphs determine the memory, so it shows nothing. Between rounds there is only the
/// program, what it has learned about its types, which soon is complete, and memory that the allocator cannot return,
/// since each page contains something small. The latter varies by 25 MB between rounds, in both directions, but a leak
/// raises all later values: so the least value of the second half counts, and may be 16 MB above that of the first
/// half. Left objects are found in any run, since they are counted; this finds what is not counted, such as a buffer: 1
/// KB per graph is 20 MB in half an hour.
private struct MemoryWatch {
  private(set) var samples: [Int] = []

  mutating func sample() {
    Self.giveBack()
    if let now = Self.residentKilobytes { samples.append(now) }
  }

  var fault: String? {
    let half = samples.count / 2
    // In the first round, the program has not yet met all of its types.
    guard half > 1, let early = samples[1..<half].min(), let late = samples[half...].min() else { return nil }
    return late > early + 16 * 1024 ? "the memory grew from \(early) to \(late) KB" : nil
  }

  /// The resident memory of this process; `nil` without /proc.
  private static var residentKilobytes: Int? {
    guard let file = FileHandle(forReadingAtPath: "/proc/self/statm"),
      let bytes = try? file.read(upToCount: 200)
    else { return nil }
    let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap {
      Int($0)
    }
    return pages.map { $0 * (sysconf(CInt(_SC_PAGESIZE)) / 1024) }
  }

  /// Makes the allocator return its free memory to the system.
  private static func giveBack() {
    #if canImport(Glibc)
      // Not in the module of the C library. Unsafe: the symbol is a function of this type, `int malloc_trim(size_t)`.
      guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
      _ = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)(0)
    #endif
  }
}
