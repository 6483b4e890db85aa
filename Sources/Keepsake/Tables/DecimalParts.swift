#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A decimal number in the parts that are stored: sign, mantissa and a power of ten (Format §4.4).
package struct DecimalParts {
  package var isNegative: Bool
  package var exponent: Int
  /// `nil` for a decimal that is not a number.
  package var mantissa: UInt128?

  /// The decimal, or `nil` if it cannot represent the parts.
  package var decimal: Decimal? {
    guard let mantissa else { return Decimal.nan }
    guard (-128...127).contains(exponent) else { return nil }
    return Decimal(string: "\(isNegative ? "-" : "")\(mantissa)E\(exponent)")
  }
}

extension DecimalParts {
  init(_ decimal: Decimal) {
    // Only the digits of the significand are accessible on all platforms.
    let mantissa = decimal.isNaN ? nil : UInt128(decimal.significand.magnitude.description)
    self.init(
      isNegative: decimal.sign == .minus && !decimal.isNaN,
      exponent: mantissa == nil ? 0 : decimal.exponent,
      mantissa: mantissa
    )
  }

  /// The decimal as an integer; `nil` if it is not one or does not fit.
  func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    guard var digits = mantissa else { return nil }
    // At most 128 steps: no exponent that was read is larger.
    var exponent = digits == 0 ? 0 : exponent
    while exponent < 0 {
      guard digits.isMultiple(of: 10) else { return nil }
      digits /= 10
      exponent += 1
    }
    while exponent > 0 {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      digits = product
      exponent -= 1
    }
    return isNegative ? Int128(exactly: digits).flatMap { Number(exactly: 0 - $0) } : Number(exactly: digits)
  }

  /// The floating-point number nearest to the decimal; `nil` if the decimal is too large.
  func rounded<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Number.Type) -> Number? {
    guard let mantissa else { return Number.nan }
    let number = Number("\(isNegative ? "-" : "")\(mantissa)E\(exponent)")
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Reads the parts of the decimal at `cursor`, which moves past it (Format §4.4); `nil` if something else is there.
  package init?(_ reader: ByteReader, at cursor: inout Int) throws(ArchiveError) {
    let start = cursor
    let tag = try reader.byte(at: start)
    guard tag == Tag.decimal || tag == Tag.negativeDecimal else { return nil }
    isNegative = tag == Tag.negativeDecimal
    cursor += 1
    let exponent = try IntegerValue(reader, at: &cursor)
    guard let exponent = exponent.flatMap({ Int(exactly: $0) }), (-128...127).contains(exponent) else {
      throw .damaged("A decimal number has no valid exponent", at: start)
    }
    self.exponent = exponent
    if try reader.byte(at: cursor) == Tag.none {
      cursor += 1
      mantissa = nil
      return
    }
    guard let mantissa = try IntegerValue(reader, at: &cursor).flatMap({ UInt128(exactly: $0) }) else {
      throw .damaged("A decimal number has no valid mantissa", at: start)
    }
    self.mantissa = mantissa
  }
}

extension ByteBuffer {
  /// Appends a decimal (Format §4.4).
  func append(_ decimal: DecimalParts) {
    append(decimal.isNegative ? Tag.negativeDecimal : Tag.decimal)
    append(integer: decimal.exponent)
    if let mantissa = decimal.mantissa {
      append(integer: mantissa)
    } else {
      append(Tag.none)
    }
  }
}
