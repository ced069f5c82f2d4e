import JSON
import Testing

@Suite("RFC 3339")
struct RFC3339Tests {
  @Test(
    "Instants are read to the microsecond, in UTC",
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("1970-01-01T00:00:00.000001Z", 1),
      ("1969-12-31T23:59:59.999999Z", -1),
      ("2001-09-09T01:46:40+00:00", 1_000_000_000_000_000),
      ("2001-09-09T03:46:40.5+02:00", 1_000_000_000_500_000),
      ("2000-02-29T12:00:00-05:30", 951_845_400_000_000),
      ("2030-01-01T00:00:00.1234567Z", 1_893_456_000_123_456),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
      ("1985-04-12T23:20:50-00:00", 482_196_050_000_000),
    ] as [(String, Int64)])
  func reading(_ text: String, _ microseconds: Int64) {
    #expect(RFC3339.parse(text) == microseconds)
  }

  @Test(
    "What isn't a date-time of the calendar is refused",
    arguments: [
      "", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-04-31T00:00:00Z",
      "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-01 00:00:00Z",
      "2024-01-01T00:00:00", "2024-01-01T00:00Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00,5Z",
      "2024-01-01T00:00:00+25:00", "2024-01-01T00:00:00+0100", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00Z ",
      " 2024-01-01T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
      "２０24-01-01T00:00:00Z", "2024-01-01T00:00:00\u{2212}01:00", "20240101T000000Z", "2024-W01-1T00:00:00Z",
    ])
  func refusing(_ text: String) {
    #expect(RFC3339.parse(text) == nil)
  }

  @Test("Every day of the calendar is written and read back", arguments: [-62_167_219_200, 0, 946_684_800])
  func everyDay(_ firstSecond: Int64) throws {
    // 400 years and a bit from each start: every leap rule.
    for day: Int64 in stride(from: 0, to: 150_000, by: 1) {
      let microseconds = (firstSecond + day * 86_400 + day % 86_400) * 1_000_000 + day
      #expect(RFC3339.parse(RFC3339.format(microseconds)) == microseconds)
    }
  }

  @Test("The days run through without a gap")
  func consecutive() {
    var previous = RFC3339.format(-62_167_219_200_000_000).prefix(10)
    #expect(previous == "0000-01-01")
    for day: Int64 in 1..<3000 {
      let next = RFC3339.format(-62_167_219_200_000_000 + day * 86_400_000_000).prefix(10)
      #expect(previous < next)
      previous = next
    }
    #expect(RFC3339.format(951_782_400_000_000) == "2000-02-29T00:00:00Z")
    #expect(RFC3339.format(4_107_542_400_000_000) == "2100-03-01T00:00:00Z")
  }

  @Test("The fraction is left out, in milliseconds or in microseconds, whichever is exact")
  func fractions() {
    #expect(RFC3339.format(0) == "1970-01-01T00:00:00Z")
    #expect(RFC3339.format(120_000) == "1970-01-01T00:00:00.120Z")
    #expect(RFC3339.format(120_001) == "1970-01-01T00:00:00.120001Z")
    #expect(RFC3339.format(-1) == "1969-12-31T23:59:59.999999Z")
  }

  @Test("An instant outside the calendar is written as its nearest end")
  func clamping() {
    #expect(RFC3339.format(.max) == "9999-12-31T23:59:59.999999Z")
    #expect(RFC3339.format(.min) == "0000-01-01T00:00:00Z")
  }
}
