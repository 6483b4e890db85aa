#if canImport(FoundationEssentials)
  package import FoundationEssentials
  /// The bit in the first word of a decimal at which the length begins.
  private let lengthBit = 12
#else
  package import Foundation
  private let lengthBit = 8
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
    // With larger exponents, and for other zeros, Foundation's arithmetic differs from its parser.
    guard (-88...88).contains(exponent), mantissa > 0 || exponent == 0 && !isNegative else {
      return Decimal(string: "\(isNegative ? "-" : "")\(mantissa)E\(exponent)")
    }
    let (high, low) = (UInt64(mantissa >> 64), Decimal(UInt64(truncatingIfNeeded: mantissa)))
    let significand = high == 0 ? low : Decimal(high) * DecimalParts.twoTo64 + low
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  private static let twoTo64 = Decimal(UInt64.max) + 1
}

extension DecimalParts {
  init(_ decimal: Decimal) {
    guard !decimal.isNaN else {
      self.init(isNegative: false, exponent: 0, mantissa: nil)
      return
    }
    self.init(
      isNegative: decimal.sign == .minus,
      exponent: decimal.exponent,
      mantissa: DecimalParts.layoutIsKnown ? decimal.mantissaInMemory : decimal.mantissaOfDigits
    )
  }

  /// Whether decimals are in memory as described below, which only Apple's platforms promise.
  private static let layoutIsKnown: Bool = {
    let samples: [Decimal] = [0, 19.99, Decimal(-7) / 3, .greatestFiniteMagnitude, -.leastNonzeroMagnitude]
    return MemoryLayout<Decimal>.size == MemoryLayout<Decimal.Layout>.size
      && samples.allSatisfy { $0.mantissaInMemory == $0.mantissaOfDigits }
  }()

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

extension Decimal {
  /// Exponent, length and flags, then the words of the mantissa, the lowest first.
  fileprivate typealias Layout = (head: UInt32, UInt32, UInt32, UInt32, UInt32)

  /// The mantissa, if the memory is a `Layout`.
  fileprivate var mantissaInMemory: UInt128? {
    guard let words = bits(of: self, as: Decimal.self, Layout.self) else { return nil }
    let all = UInt128(words.1) | UInt128(words.2) << 32 | UInt128(words.3) << 64 | UInt128(words.4) << 96
    // What is behind the length, which counts 16 bits, has no meaning.
    return all & ~(.max << ((words.head >> lengthBit & 15) * 16))
  }

  /// The mantissa by its digits. They are accessible on all platforms, but take a thousand times as long.
  fileprivate var mantissaOfDigits: UInt128? { UInt128(significand.magnitude.description) }
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
