import Foundation

/// The measurement of one contender.
struct Measurement {
  /// The measured contender.
  var contender: Contender

  /// The trial that it prepared.
  var trial: Trial

  /// The figures of encoding once. nil if that was not timed.
  var encode: Figures?

  /// The figures of decoding once. nil if that was not timed.
  var decode: Figures?

  /// The cost of an operation.
  struct Figures {
    /// The median time, in nanoseconds.
    var nanoseconds: Double

    /// The number of allocations. nil if allocations are not counted.
    var allocations: Int?
  }

  /// The figures in one direction.
  func figures(_ direction: Direction) -> Figures? {
    direction == .encode ? encode : decode
  }
}

/// Times contenders alternately.
///
/// Every round times every contender once in both directions, and starts with another contender, so that a disturbance
/// of the machine does not affect one contender alone.
struct InterleavedRun {
  /// How often each contender is timed.
  var rounds: Int

  /// A sample consists of as many operations as fit in this time, and at least one.
  private static let sampleTime = 10_000_000.0

  /// A contender that has used this much time in one direction sits out the remaining rounds.
  private static let budget = 6_000_000_000.0

  /// One direction of one contender during the run.
  private struct Lane {
    let operation: () throws -> Any
    let repetitions: Int
    var allocations: Int?
    var samples: [Double] = []
    var spent = 0.0

    /// Runs the operation to warm it up and to estimate its time.
    init(_ operation: @escaping () throws -> Any) throws {
      self.operation = operation
      var before = Allocations.soFar
      let first = try InterleavedRun.nanoseconds(operation)
      allocations = Allocations.areCounted ? Allocations.soFar - before : nil
      if first > InterleavedRun.budget / 4 {
        // The operation is too slow to run more often than needed.
        repetitions = 1
        spent = first
        samples = [first]
        return
      }
      before = Allocations.soFar
      let warm = try InterleavedRun.nanoseconds(operation)
      // The first call also allocated what stays, such as metadata of generic types.
      if Allocations.areCounted { allocations = Allocations.soFar - before }
      repetitions = max(1, min(1_000, Int(InterleavedRun.sampleTime / max(1, warm))))
    }

    mutating func takeSample() throws {
      guard spent < InterleavedRun.budget else { return }
      var total = 0.0
      for _ in 0..<repetitions {
        total += try InterleavedRun.nanoseconds(operation)
      }
      spent += total
      samples.append(total / Double(repetitions))
    }

    var figures: Measurement.Figures {
      Measurement.Figures(nanoseconds: InterleavedRun.median(samples), allocations: allocations)
    }
  }

  /// Prepares all contenders and times those that pass their check.
  func measure(_ contenders: [Contender]) throws -> [Measurement] {
    let trials = contenders.map { $0.prepare() }
    var encoding = try trials.map { try $0.encode.map { try Lane($0) } }
    var decoding = try trials.map { try $0.decode.map { try Lane($0) } }
    for round in 0..<rounds {
      for turn in contenders.indices {
        let index = (turn + round) % contenders.count
        try encoding[index]?.takeSample()
        try decoding[index]?.takeSample()
      }
    }
    return contenders.indices.map { index in
      Measurement(
        contender: contenders[index],
        trial: trials[index],
        encode: encoding[index]?.figures,
        decode: decoding[index]?.figures
      )
    }
  }

  /// The time of one operation, without the time to free what it returns.
  private static func nanoseconds(_ operation: () throws -> Any) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try operation()
    let elapsed = start.duration(to: clock.now)
    return withExtendedLifetime(result) {
      Double(elapsed.components.seconds) * 1e9 + Double(elapsed.components.attoseconds) / 1e9
    }
  }

  static func median(_ samples: [Double]) -> Double {
    guard !samples.isEmpty else { return .nan }
    let sorted = samples.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
