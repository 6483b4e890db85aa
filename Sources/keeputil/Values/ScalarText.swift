import Foundation
import Keepsake

extension ArchiveValue {
  /// The printed form of a value without members; safe for a terminal.
  ///
  /// - Parameter longest: the most scalars of a text to print. A longer text is cut, and its length is printed.
  func scalarText(longest: Int = .max) throws(ArchiveError) -> String {
    switch kind {
    case .none: return "nil"
    case .empty: return "(nothing)"
    case .bool: return bool == true ? "true" : "false"
    case .integer: return try integer?.text ?? ""
    case .float32: return try float32?.description ?? ""
    case .float64: return try float64?.description ?? ""
    case .decimal: return try decimal?.text ?? ""
    case .string: return quoted(try string ?? "", longest)
    case .uuid: return "UUID \(try uuidText)"
    case .url:
      let parts = try urlParts?.map { quoted($0, longest) }
      return "URL " + (parts?.joined(separator: " relative to ") ?? "(of unknown form)")
    case .date:
      let seconds = try date ?? 0
      guard let time = CalendarTime(secondsSince2001: seconds) else { return "\(seconds) s from 2001-01-01" }
      return "\(time.date) \(time.time)\(time.fraction) +0000"
    case .bytes:
      let bytes = try bytes ?? []
      return bytesText(bytes.prefix(24), of: bytes.count)
    default: return kind.rawValue
    }
  }

  var uuidText: String {
    get throws(ArchiveError) { try uuidValue?.uuidString ?? "" }
  }

  var ink: Palette.Ink? {
    switch kind {
    case .none, .empty: .faint
    case .string, .url: .string
    case .bool, .integer, .float32, .float64, .decimal, .date, .uuid, .bytes: .number
    default: nil
    }
  }
}

extension ArchiveNumbers {
  var areSingle: Bool { if case .floats = self { true } else { false } }

  /// Some of these numbers, which must exist.
  subscript(range: Range<Int>) -> ArchiveNumbers {
    switch self {
    case .bools(let numbers): .bools(Array(numbers[range]))
    case .signed(let numbers): .signed(Array(numbers[range]))
    case .unsigned(let numbers): .unsigned(Array(numbers[range]))
    case .floats(let numbers): .floats(Array(numbers[range]))
    case .doubles(let numbers): .doubles(Array(numbers[range]))
    }
  }
}

extension IntegerValue {
  var text: String { Int128(exactly: self)?.description ?? UInt128(exactly: self)?.description ?? "" }
}

extension DecimalParts {
  /// The digits, with a power of ten if there is one. This is a valid number in JSON, except for "nan".
  var text: String {
    guard let mantissa else { return "nan" }
    let digits = String(mantissa)
    let sign = isNegative ? "-" : ""
    if exponent == 0 { return sign + digits }
    guard exponent < 0, -exponent < digits.count + 6 else { return "\(sign)\(digits)e\(exponent)" }
    let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
    return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }
}

/// The printed form of `count` bytes, of which `shown` are the first.
func bytesText(_ shown: some Collection<UInt8>, of count: Int) -> String {
  let digits = shown.map { padded($0, 2, radix: 16) }.joined()
  return "\(counted(count, "byte"))\(count == 0 ? "" : ": 0x\(digits)")\(count > shown.count ? "…" : "")"
}
