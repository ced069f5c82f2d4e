/// The date of an HTTP answer: `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers send.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970; nil when the text is anything else.
  static func seconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else { return nil }
    let time = words[4].split(separator: ":", omittingEmptySubsequences: false).map { number($0, in: 0...60) }
    guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2], hour < 24, minute < 60,
      let day = number(words[1], in: 1...31), let year = number(words[3], in: 1970...9999)
    else { return nil }
    return days(year, Int64(month) + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  private static func number(_ text: Substring, in range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int64(text), range.contains(value) else {
      return nil
    }
    return value
  }

  /// Since 1970. Years are counted from 1 March, which puts the leap day last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
