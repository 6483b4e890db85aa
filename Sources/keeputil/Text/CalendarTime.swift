import Foundation

/// A date in the calendar, from seconds since the start of 2001 UTC; `nil` outside of the years 1 to 9999.
struct CalendarTime {
  let date: String
  let time: String
  /// The fraction of a second, with its decimal point; empty for a whole second.
  let fraction: String

  init?(secondsSince2001 seconds: Double) {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    // The calendar of the C library has no gaps; Foundation's skips days in 1582.
    var whole = time_t(seconds.rounded(.down)) + CalendarTime.secondsFrom1970To2001
    var parts = unsafe tm()
    guard unsafe gmtime_r(&whole, &parts) != nil else { return nil }
    let year = unsafe Int(parts.tm_year) + 1_900
    guard (1...9_999).contains(year) else { return nil }
    date = unsafe "\(padded(year, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
    time = unsafe "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
    let micros = min(Int((seconds - seconds.rounded(.down)) * 1e6), 999_999)
    var digits = padded(micros, 6)
    while digits.hasSuffix("0") { digits.removeLast() }
    fraction = digits.isEmpty ? "" : "." + digits
  }

  private static let secondsFrom1970To2001 = 978_307_200
}
