internal import Foundation
internal import Keepsake

// Types of Foundation and of the standard library with their own `Codable` code. Some of that code traps on invalid
// values: an `IndexSet` with a negative length or past the largest integer, a `CharacterSet` whose bitmap ends early,
// `URLComponents` with an invalid scheme or port. The library checks these first.

/// A value that is read and written by its type's own code, without any native form of the library.
struct FuzzedPlain<Value: Codable>: Codable {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    value = try Value(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
  }
}

extension FuzzedPlain: Sendable where Value: Sendable {}

// Two are missing. Foundation makes AttributedString Codable only on Apple's platforms; and on Linux (Swift 6.3),
// reading a CharacterSet ends the program if it was made of a valid bitmap with very many ranges.
extension HostileModel {
  /// A list of values of one type.
  private static func foundation<Value: Codable & SendableMetatype>(
    _ values: [Value],
    _ name: String
  ) -> HostileModel where Value: Sendable {
    HostileModel("Foundation." + name, [Value].self) { values }
  }

  /// A model for each type that is read by its own code, and for URLs and decimals in their native forms.
  package static let foundation: [HostileModel] = [
    foundation([Measurement(value: 3, unit: UnitLength.miles)], "Measurement"),
    foundation([DateComponents(calendar: nil, year: 2026, month: 2, weekday: 5)], "DateComponents"),
    foundation([Calendar(identifier: .iso8601)], "Calendar"),
    foundation([Locale(identifier: "de_CH")], "Locale"),
    foundation([TimeZone(secondsFromGMT: 3_600)].compactMap { $0 }, "TimeZone"),
    foundation([IndexPath(indexes: [1, 2, 300]), IndexPath()], "IndexPath"),
    foundation([IndexSet(integersIn: 3..<9).union(IndexSet(integer: 70_000))], "IndexSet"),
    foundation([DateInterval(start: Date(timeIntervalSinceReferenceDate: 1), duration: 5)], "DateInterval"),
    foundation([AffineTransform(scaleByX: 2, byY: 3)], "AffineTransform"),
    foundation([person()], "PersonNameComponents"),
    foundation(
      [URLComponents(string: "https://u:p@example.org:80/p?q=1#f")].compactMap { $0 },
      "URLComponents"
    ),
    foundation([Duration.seconds(5), .milliseconds(-1)], "Duration"),
    foundation([1..<5, 7..<7], "Range"),
    foundation([1.5...2.5], "ClosedRange"),
    foundation([PartialRangeFrom(5)], "PartialRangeFrom"),
    foundation([SIMD3<Float>(1, 2, 3)], "SIMD3"),
    foundation([SIMD16<Int8>(repeating: -1)], "SIMD16"),
    foundation([CGRect(x: 1, y: 2, width: 3, height: 4)], "CGRect"),
    foundation([[3, 1, 2].difference(from: [1, 2, 4]).inferringMoves()], "CollectionDifference"),
    foundation([NSRange(location: 1, length: 2)], "NSRange"),
    foundation([FuzzedPlain(Decimal(sign: .minus, exponent: 2, significand: 77))], "plain Decimal"),
    foundation([FuzzedPlain(Data([1, 2, 3]))], "plain Data"),
    foundation([FuzzedPlain(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)))], "plain UUID"),
    foundation([FuzzedPlain(Date(timeIntervalSinceReferenceDate: 3))], "plain Date"),
    foundation([URL(string: "a/b", relativeTo: URL(string: "https://example.org"))], "URL"),
    foundation([["a": Decimal(5)], ["b": 1.25]], "Decimal"),
  ]

  private static func person() -> PersonNameComponents {
    var name = PersonNameComponents()
    name.givenName = "Jane"
    name.familyName = "Austen"
    return name
  }
}
