/// A target for the size of Keepsake's archive. It is printed, and a run does not fail if it is missed.
struct SizeTarget {
  /// The divisor of the size.
  enum Measure {
    /// The size of another contender, by its name.
    case contender(String)
    /// The number of elements.
    case element(String, count: Int)
  }

  /// The largest quotient that meets the target.
  var limit: Double

  /// The divisor of the size.
  var measure: Measure

  /// A sentence that compares the size with the target. nil if a size is missing.
  func verdict(_ measurements: [Measurement]) -> String? {
    guard let size = measurements.first(where: { $0.contender.role == .keepsake })?.trial.encodedSize else {
      return nil
    }
    let quotient: Double
    let wanted: String
    switch measure {
    case .contender(let name):
      let other = measurements.first { $0.contender.name == name }?.trial.encodedSize
      guard let other, other > 0 else { return nil }
      quotient = Double(size) / Double(other)
      wanted = "\(Figure.number(limit)) × \(name)"
    case .element(let element, let count):
      quotient = Double(size) / Double(max(1, count))
      wanted = "\(Figure.number(limit)) bytes for each \(element)"
    }
    let isMet = quotient <= limit
    return
      "Target: a size of at most \(wanted); it is \(Figure.number(quotient)), \(isMet ? "met" : "MISSED")."
  }
}
