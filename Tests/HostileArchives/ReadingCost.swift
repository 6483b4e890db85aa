internal import Foundation

/// The cost of reading an archive. Memory is that of the process, so each archive needs a separate process, which has
/// not made it.
package struct ReadingCost {
  /// The nanoseconds of processor time of the best run, in all threads; waiting does not count, since machines are
  /// busy.
  package let nanoseconds: Double
  /// The peak memory of the first run in bytes, beyond the memory before it. It includes everything that a first run
  /// loads.
  package let memory: Double
  package let isRefused: Bool

  /// Measures several runs of `read`; a decoding error is a result like a value.
  package init(runs: Int, _ read: () throws -> Void) throws {
    let before = ReadingCost.peakMemory
    var (isRefused, memory) = (false, 0.0)
    var times: [Double] = []
    for run in 0..<runs {
      let start = ReadingCost.computingTime
      do { try read() } catch is DecodingError { isRefused = true }
      times.append(ReadingCost.computingTime - start)
      if run == 0 { memory = ReadingCost.peakMemory - before }
    }
    nanoseconds = times.min() ?? 0
    self.memory = memory
    self.isRefused = isRefused
  }

  /// The figures, as a process prints them for its parent.
  package var figures: [Double] { [nanoseconds, memory, isRefused ? 1 : 0] }

  /// The peak memory of this process so far, in bytes.
  package static var peakMemory: Double {
    #if os(Linux)
      // Not with getrusage, which includes the memory of the parent process.
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return (line?.split(separator: " ").dropFirst().first).flatMap { Double($0) }.map { $0 * 1_024 } ?? .nan
    #else
      var usage = rusage()
      // Safe: the structure is a local variable.
      unsafe getrusage(RUSAGE_SELF, &usage)
      return Double(usage.ru_maxrss)
    #endif
  }

  /// The nanoseconds of processor time of this process so far. POSIX defines a million clocks per second.
  package static var computingTime: Double { Double(clock()) * 1_000 }
}
