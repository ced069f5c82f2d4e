import Testing

@testable import KitsServer

@Suite("Log lines")
struct LogLineTests {
  static func line(_ fields: [(String, LogValue)], requestID: String? = nil) -> String {
    LogLine(time: Timestamp(milliseconds: 0), level: .info, event: "x", requestID: requestID, fields: fields).rendered()
  }

  static let head = #"{"ts":"1970-01-01T00:00:00.000Z","level":"info","event":"x""#

  @Test("Standard keys come first, then the fields in order")
  func order() {
    #expect(
      Self.line(
        [("a", 1), ("b", "two"), ("c", true), ("d", 1.5), ("e", .list(["x"])), ("f", .number(.nan))], requestID: "r")
        == Self.head + #","request_id":"r","a":1,"b":"two","c":true,"d":1.5,"e":["x"],"f":null}"# + "\n")
  }

  @Test(
    "Nothing in a value breaks the line, drives a terminal or reorders text",
    arguments: [
      ("\r\n", #"\r\n"#), ("\u{1B}[2J", #"\u001b[2J"#), ("\u{0}", #"\u0000"#), ("\u{7F}", #"\u007f"#),
      ("\u{9B}", #"\u009b"#), ("\u{202E}x", #"\u202ex"#), ("\u{2066}", #"\u2066"#), ("\u{200F}", #"\u200f"#),
      ("\u{2028}", #"\u2028"#), ("\u{FEFF}", #"\ufeff"#), ("\"\\", #"\"\\"#), ("\t", #"\t"#), ("é😀", "é😀"),
    ])
  func escapes(value: String, expected: String) {
    #expect(Self.line([("v", .string(value))]) == Self.head + ",\"v\":\"\(expected)\"}\n")
  }

  @Test("A field can't pose as a standard key")
  func reserved() {
    #expect(Self.line([("level", "error")]) == Self.head + #","field_level":"error"}"# + "\n")
  }

  @Test("Long values are cut between characters and many fields are counted")
  func bounds() {
    let long = String(repeating: "é", count: LogLimits.valueBytes)
    let cut = String(repeating: "é", count: LogLimits.valueBytes / 2) + "…"
    #expect(Self.line([("v", .string(long))]) == Self.head + ",\"v\":\"\(cut)\"}\n")
    let exact = String(repeating: "a", count: LogLimits.valueBytes)
    #expect(LogText.clipped(exact, to: LogLimits.valueBytes) == exact)
    #expect(LogText.clipped("aé", to: 2) == "a…")
    let many = (0..<40).map { ("f\($0)", LogValue.integer($0)) }
    #expect(Self.line(many).hasSuffix(#","f31":31,"fields_omitted":8}"# + "\n"))
  }

  @Test(
    "Credentials don't reach the log (K33)",
    arguments: [
      ("key kits_sk_abc.def used", "key kits_sk_<redacted> used"), ("\"kits_dt_1_2\",", "\"kits_dt_<redacted>\","),
      ("Authorization: Bearer xyz", "Authorization: Bearer <redacted>"),
      ("eyJhbGciOi.J9.sig", "eyJ<redacted>"), ("-----BEGIN PRIVATE KEY-----\nMIG", "<redacted>"),
      ("connect postgresql://u:p@h/d failed", "connect postgresql://u:<redacted>@h/d failed"),
      ("https://host/path@x", "https://host/path@x"), ("kits_pk_public", "kits_pk_public"), ("plain", "plain"),
    ])
  func credentials(text: String, expected: String) {
    #expect(CredentialMask.masked(text) == expected)
  }

  @Test("A secret is redacted as a field")
  func secret() {
    #expect(Self.line([("v", LogValue(Secret("s3cret")))]) == Self.head + #","v":"<redacted>"}"# + "\n")
  }

  @Test(
    "Times are RFC 3339 in UTC",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
      (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (4_102_444_800_000, "2100-01-01T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ])
  func times(milliseconds: Int, expected: String) {
    #expect(Timestamp(milliseconds: milliseconds).rfc3339 == expected)
  }
}
