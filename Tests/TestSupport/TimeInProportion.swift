import Foundation
package import Testing

/// Expects that the processor time of `work` grows with `size`, not with its square. Other processes do not affect it.
package func expectTimeInProportion(
  to size: Int,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ work: (Int) throws -> Void
) rethrows {
  let step = 16
  let few = try processorTime { try work(size / step) }
  let many = try processorTime { try work(size) }
  // In large memory, each access takes longer, but not four times as long.
  #expect(
    many < max(few, 0.001) * Double(step * 4),
    "\(size): \(many) s, \(size / step): \(few) s",
    sourceLocation: sourceLocation
  )
}

/// The seconds of processor time of this thread in `work`.
private func processorTime(_ work: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    // Unsafe: the pointer to `time` is only used during the call.
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  try work()
  return now() - start
}
