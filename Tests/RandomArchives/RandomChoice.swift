import Foundation

// Random values: small and large ones, and those at the boundaries of encodings.

extension SplitMix {
  /// A number with any number of bits, each as likely; sometimes the least or the greatest.
  mutating func integer<T: FixedWidthInteger & Sendable>(_ type: T.Type = T.self) -> T {
    switch Int.random(in: 0..<20, using: &self) {
    case 0: .min
    case 1: .max
    case 2: 0
    default:
      T.random(in: .min ... .max, using: &self) >> T(Int.random(in: 0..<T.bitWidth - 1, using: &self))
    }
  }

  mutating func double() -> Double {
    switch Int.random(in: 0..<16, using: &self) {
    case 0: .nan
    case 1: -0.0
    case 2: .infinity
    case 3: -.infinity
    case 4: .greatestFiniteMagnitude
    case 5: .leastNonzeroMagnitude
    case 6: Double(sign: .minus, exponent: 0, significand: .nan)
    case 7: Double(bitPattern: next())
    case 8..<11: Double(Int.random(in: -1000...1000, using: &self))
    default: Double.random(in: -1e9...1e9, using: &self)
    }
  }

  mutating func float() -> Float {
    chance(0.2) ? Float(bitPattern: UInt32.random(in: .min ... .max, using: &self)) : Float(double())
  }

  /// Of all planes of Unicode; some strings occur many times in a graph.
  mutating func string() -> String {
    if chance(0.3) {
      return ["", "a", "name", "a text that comes again and again", "日本", "e\u{301}"].randomElement(
        using: &self
      ) ?? ""
    }
    let letters = ["a", "Z", "0", " ", "ä", "ß", "é", "日", "🙂", "👨‍👩‍👧", "\u{0}", "\"", "\\", "\n", "\u{10FFFF}"]
    let count = chance(0.02) ? Int.random(in: 0...3000, using: &self) : Int.random(in: 0...24, using: &self)
    return (0..<count).map { _ in letters.randomElement(using: &self) ?? "" }.joined()
  }

  mutating func data() -> Data {
    let count =
      chance(0.01) ? Int.random(in: 0...200_000, using: &self) : Int.random(in: 0...60, using: &self)
    var data = Data()
    data.reserveCapacity(count + 8)
    while data.count < count {
      // Unsafe: the bytes of the number are only used during the call.
      unsafe withUnsafeBytes(of: next()) { unsafe data.append(contentsOf: $0) }
    }
    return data.prefix(count)
  }

  mutating func list<Element>(_ bound: Int, of make: (inout SplitMix) -> Element) -> [Element] {
    (0..<Int.random(in: 0...bound, using: &self)).map { _ in make(&self) }
  }

  mutating func maybe<Value>(_ make: (inout SplitMix) -> Value) -> Value? {
    chance(0.6) ? make(&self) : nil
  }

  mutating func element<Element>(of list: [Element]) -> Element? {
    list.randomElement(using: &self)
  }
}
