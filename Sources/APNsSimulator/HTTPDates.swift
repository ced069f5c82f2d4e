import Foundation

/// Dates as HTTP answers have them (RFC 9110, IMF-fixdate). All answers of a second share one text.
struct HTTPDates {
  private var last: (second: Int64, text: String)?

  mutating func text(at second: Int64) -> String {
    if let last, last.second == second { return last.text }
    var time = time_t(second)
    var parts = tm()
    var bytes = [CChar](repeating: 0, count: 32)
    gmtime_r(&time, &parts)
    // The process never leaves the C locale, so the names are English.
    let count = strftime(&bytes, bytes.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    let text = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    last = (second, text)
    return text
  }
}
