extension RFC3339 {
  /// Walks over the ASCII of a date-time; every step consumes what it returns or returns nil.
  struct Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(where accept: (UInt8) -> Bool) -> Bool {
      guard position < bytes.count, accept(bytes[position]) else { return false }
      position += 1
      return true
    }

    mutating func date() -> (year: Int64, month: Int64, day: Int64)? {
      guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
        (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
      else { return nil }
      return (year, month, day)
    }

    /// The second of the day (86,400 for a leap second at midnight) and the microsecond in it.
    mutating func time() -> (second: Int64, microsecond: Int64, isLeap: Bool)? {
      guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
        hour <= 23, minute <= 59, second <= 60, let microsecond = fraction()
      else { return nil }
      return (hour * 3600 + minute * 60 + second, microsecond, second == 60)
    }

    mutating func offsetMinutes() -> Int64? {
      if take(where: { $0 == UInt8(ascii: "Z") || $0 == UInt8(ascii: "z") }) { return 0 }
      let sign: Int64
      if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
      guard let hour = number(2), take(":"), let minute = number(2), hour <= 23, minute <= 59 else { return nil }
      return sign * (hour * 60 + minute)
    }

    private mutating func fraction() -> Int64? {
      guard take(".") else { return 0 }
      var value: Int64 = 0
      var count = 0
      while let digit = digit() {
        if count < 6 { value = value * 10 + digit }
        count += 1
      }
      guard count > 0 else { return nil }
      for _ in min(count, 6)..<6 { value *= 10 }
      return value
    }

    private mutating func number(_ width: Int) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<width {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    private mutating func digit() -> Int64? {
      guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else {
        return nil
      }
      defer { position += 1 }
      return Int64(bytes[position] - UInt8(ascii: "0"))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      take { $0 == UInt8(ascii: character) }
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
      switch month {
      case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
      case 4, 6, 9, 11: 30
      default: 31
      }
    }
  }
}
