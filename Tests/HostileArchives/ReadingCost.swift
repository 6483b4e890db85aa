internal import Foundation

/// What reading an archive costs. Memory is that of the process, so that each archive needs one of its own, which has not
/// made it.
package struct ReadingCost {
  /// The nanoseconds of computing of the best run, in all threads: not of waiting, as machines are busy.
  package let nanoseconds: Double
  /// The bytes of memory that the first run had at its peak beyond what there was before. It also loads what any first
  /// run loads.
  package let memory: Double
  package let isRefused: Bool

  /// Measures `read` in some runs; an error of decoding is an answer like a value.
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

  /// As a process prints it for the one that has started it.
  package var figures: [Double] { [nanoseconds, memory, isRefused ? 1 : 0] }

  /// The most memory that this process has had so far, in bytes.
  package static var peakMemory: Double {
    #if os(Linux)
      // Not by getrusage, which counts what the parent had before it became this program.
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return (line?.split(separator: " ").dropFirst().first).flatMap { Double($0) }.map { $0 * 1_024 } ?? .nan
    #else
      var usage = rusage()
      // The structure is this function's own.
      unsafe getrusage(RUSAGE_SELF, &usage)
      return Double(usage.ru_maxrss)
    #endif
  }

  /// The nanoseconds that this process has computed so far. POSIX has a million clocks in a second.
  package static var computingTime: Double { Double(clock()) * 1_000 }
}
