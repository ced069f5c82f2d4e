import Glibc

/// A point on the wall clock, in milliseconds since 1970.
struct Timestamp: Sendable, Equatable {
  let milliseconds: Int

  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
  }

  /// RFC 3339 in UTC with milliseconds; years 0 to 9999.
  var rfc3339: String {
    let (days, time) = floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = Timestamp.civil(days)
    let (seconds, fraction) = (time / 1000, time % 1000)
    let parts: [(value: Int, digits: Int, after: UInt8)] = [
      (year, 4, UInt8(ascii: "-")), (month, 2, UInt8(ascii: "-")), (day, 2, UInt8(ascii: "T")),
      (seconds / 3600, 2, UInt8(ascii: ":")), (seconds / 60 % 60, 2, UInt8(ascii: ":")),
      (seconds % 60, 2, UInt8(ascii: ".")), (fraction, 3, UInt8(ascii: "Z")),
    ]
    return String(unsafeUninitializedCapacity: 24) { bytes in
      var end = 0
      for part in parts {
        var rest = part.value
        for place in (end..<end + part.digits).reversed() {
          bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        bytes[end + part.digits] = part.after
        end += part.digits + 1
      }
      return end
    }
  }

  /// Days since 1970 to a Gregorian date. Years are counted from 1 March, which puts the leap day last.
  static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

private func floorDivide(_ value: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
