import Testing

@testable import KitsCore

@Suite("Comma-separated values")
struct CSVTests {
  @Test(
    "No cell is a formula, no control character gets through, and quotes are doubled (SEC-D4)",
    arguments: [
      ("plain", "plain"), ("", ""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"),
      (" =1", "\"' =1\""), ("＝1", "'＝1"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
      ("a\nb", "a\\u{a}b"), ("\t=1", "\\u{9}=1"), ("\r=1", "\\u{d}=1"), ("\u{202E}x", "\\u{202e}x"),
      ("{\"a\": 1}", "\"{\"\"a\"\": 1}\""), ("1-1", "1-1"), ("=\"x\"&\"y\"", "\"'=\"\"x\"\"&\"\"y\"\"\""),
    ])
  func cell(text: String, cell: String) {
    #expect(CSV.cell(text) == cell)
  }

  @Test("A line ends with CRLF, also where the cells are empty")
  func line() {
    #expect(CSV.line(["a", "", "b c"]) == "a,,\"b c\"\r\n")
  }
}
