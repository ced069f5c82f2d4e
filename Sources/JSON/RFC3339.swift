/// Date-times of RFC 3339 as microseconds since 1970-01-01T00:00:00Z, by integer arithmetic in the proleptic Gregorian
/// calendar: years 0000 to 9999, nothing depends on locale or time zone data.
package enum RFC3339 {
  private static let microsecondsPerSecond: Int64 = 1_000_000
  private static let secondsPerDay: Int64 = 86_400
  /// 0000-01-01T00:00:00Z and the last microsecond of 9999.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  /// The instant, or nil for anything the grammar or the calendar doesn't have. Digits beyond the microsecond are cut
  /// off. A leap second is accepted where one can be (23:59:60 UTC) and counts as the second after it.
  package static func parse(_ text: String) -> Int64? {
    var reader = Reader(bytes: Array(text.utf8))
    guard let date = reader.date(), reader.take(where: { $0 == UInt8(ascii: "T") || $0 == UInt8(ascii: "t") }),
      let time = reader.time(), let offset = reader.offsetMinutes(), reader.isAtEnd
    else { return nil }
    let days = daysSinceEpoch(year: date.year, month: date.month, day: date.day)
    let seconds = days * secondsPerDay + time.second - offset * 60
    if time.isLeap {
      guard floorModulo(seconds, secondsPerDay) == 0 else { return nil }
    }
    let result = seconds * microsecondsPerSecond + time.microsecond
    return range.contains(result) ? result : nil
  }

  /// The text in UTC, with no fraction, milliseconds or microseconds, whichever is exact. An instant outside `range` is
  /// written as the nearest one in it.
  package static func format(_ microseconds: Int64) -> String {
    var bytes: [UInt8] = []
    append(microseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text that `format` returns.
  package static func append(_ microseconds: Int64, to bytes: inout [UInt8]) {
    let instant = min(max(microseconds, range.lowerBound), range.upperBound)
    let fraction = floorModulo(instant, microsecondsPerSecond)
    let seconds = (instant - fraction) / microsecondsPerSecond
    let secondOfDay = floorModulo(seconds, secondsPerDay)
    let date = calendarDate((seconds - secondOfDay) / secondsPerDay)
    digits(date.year, 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    digits(date.month, 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    digits(date.day, 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    digits(secondOfDay / 3600, 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    digits(secondOfDay / 60 % 60, 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    digits(secondOfDay % 60, 2, to: &bytes)
    if fraction != 0 {
      bytes.append(UInt8(ascii: "."))
      if fraction % 1000 == 0 { digits(fraction / 1000, 3, to: &bytes) } else { digits(fraction, 6, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "Z"))
  }

  private static func digits(_ value: Int64, _ width: Int, to bytes: inout [UInt8]) {
    var divisor: Int64 = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
      divisor /= 10
    }
  }

  /// The remainder that is never negative.
  private static func floorModulo(_ value: Int64, _ modulus: Int64) -> Int64 {
    let remainder = value % modulus
    return remainder < 0 ? remainder + modulus : remainder
  }

  /// Days from 1970-01-01. Years are counted from March, so that the leap day is the last of its year.
  static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 + 400 : year + 400
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - daysBeforeEpoch
  }

  /// The days between 1 March of year -400 and 1970-01-01.
  private static let daysBeforeEpoch: Int64 = 719_468 + 146_097

  private static func calendarDate(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let fromMarch = days + daysBeforeEpoch
    let era = fromMarch / 146_097
    let dayOfEra = fromMarch % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra - 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
