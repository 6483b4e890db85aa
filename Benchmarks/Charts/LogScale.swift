import Foundation

/// Positions on a logarithmic axis.
struct LogScale {
  private let lowest: Double
  private let highest: Double
  private let left: Double
  private let right: Double

  /// A mark on the axis.
  struct Tick {
    var x: Double
    var label: String
  }

  /// An axis that contains all values, and 1 with some space on both sides.
  init(values: [Double], from left: Double, to right: Double) {
    lowest = log10(min(0.8, values.min() ?? 1))
    highest = log10(max(1.25, values.max() ?? 1))
    self.left = left
    self.right = right
  }

  /// The position of a value.
  func x(_ value: Double) -> Double {
    left + (log10(value) - lowest) / (highest - lowest) * (right - left)
  }

  /// The marks: powers of ten, with their multiples by 2 and 5, or by 3, if there is room.
  var ticks: [Tick] {
    let decades = highest - lowest
    let steps: [Double] = decades < 1.6 ? [1, 2, 5] : decades < 2.6 ? [1, 3] : [1]
    let powers = Int(lowest.rounded(.down))...Int(highest.rounded(.up))
    // Types are explicit, since the compiler would take seconds to infer them.
    let values = powers.flatMap { (power: Int) -> [Double] in
      let unit = pow(10, Double(power))
      return steps.map { (step: Double) -> Double in step * unit }
    }
    let range = (lowest - 1e-9)...(highest + 1e-9)
    return values.filter { range.contains(log10($0)) }.map { Tick(x: x($0), label: "× \(Self.plain($0))") }
  }

  private static func plain(_ value: Double) -> String {
    value >= 1 ? Figure.count(Int(value.rounded())) : String(format: "%g", value)
  }
}
