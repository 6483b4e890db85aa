import Foundation

/// A number parsed from text, in the first type that represents it exactly.
struct PlainNumber {
  let value: PlainValue
  /// Whether no type represents the number exactly, so that the value is the nearest double.
  private(set) var isRounded = false
  /// Whether the number is so small that the nearest double is 0.
  private(set) var isLost = false

  /// - Returns: `nil` if the number is larger than the largest double.
  init?(_ text: String, isWhole: Bool) {
    if isWhole, text != "-0" {
      let integers: [(any Encodable)?] = [Int64(text), UInt64(text), Int128(text), UInt128(text)]
      if let number = integers.compactMap(\.self).first {
        value = .single(number)
        return
      }
    }
    let exact = PlainNumber.significantDigits(text)
    let double = Double(text)
    if let double, double.isFinite, PlainNumber.significantDigits(double.description) == exact {
      value = .single(double)
    } else if exact.digits.count <= 38, let exponent = exact.exponent, (-128...90).contains(exponent),
      let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
      PlainNumber.significantDigits(decimal.description) == exact
    {
      value = .single(decimal)
    } else if let double, double.isFinite {
      value = .single(double)
      // Zero has only zeros as digits, whatever its exponent.
      let isZero = exact.digits.allSatisfy { $0 == UInt8(ascii: "0") }
      isLost = double == 0 && !isZero
      isRounded = !isZero && !isLost
    } else {
      return nil
    }
  }

  private struct Digits: Equatable {
    var digits: [UInt8]
    /// The exponent of ten. `nil` for zero, and if the text has an absurd exponent.
    var exponent: Int?
  }

  /// The number without its sign and without insignificant zeros.
  private static func significantDigits(_ text: String) -> Digits {
    var digits: [UInt8] = []
    var exponent = 0
    var isFraction = false
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits.append(byte)
        if isFraction { exponent -= 1 }
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let power = Int(String(rest) ?? ""), abs(power) < 1_000_000 else {
          return Digits(digits: digits, exponent: nil)
        }
        exponent += power
        rest = rest[rest.endIndex...]
      default: break
      }
    }
    digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    return Digits(digits: digits, exponent: digits.isEmpty ? nil : exponent)
  }
}
