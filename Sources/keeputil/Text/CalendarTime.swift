/// A moment, given in seconds since the start of 2001 UTC, in the calendar; `nil` outside of the years 1 to 9999.
struct CalendarTime {
  let date: String
  let time: String
  /// The part of a second, with its point; empty for a whole one.
  let fraction: String

  init?(secondsSince2001 seconds: Double) {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    let whole = Int(seconds.rounded(.down))
    let (days, second) = whole.quotientFlooring(dividingBy: 86_400)
    // Days since March 1st of year 0, in eras of 400 years; see Howard Hinnant, "chrono-compatible date algorithms".
    let shifted = days + CalendarTime.daysFromMarchOfYear0
    let (era, dayOfEra) = shifted.quotientFlooring(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    guard (1...9_999).contains(year) else { return nil }
    date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    time = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    let micros = min(Int((seconds - seconds.rounded(.down)) * 1e6), 999_999)
    var digits = padded(micros, 6)
    while digits.hasSuffix("0") { digits.removeLast() }
    fraction = digits.isEmpty ? "" : "." + digits
  }

  /// From March 1st of the year 0 to January 1st of 2001.
  private static let daysFromMarchOfYear0 = 719_468 + 11_323
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int {
  fileprivate func quotientFlooring(dividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
