import JSON
import KitsCore
import Testing

@testable import KitsServer

@Suite("Rows of CSV and JSON lines")
struct CSVRecordTests {
  static func records(_ bytes: [UInt8], delimiter: UInt8 = UInt8(ascii: ",")) throws -> [ImportRecord] {
    try ImportText.withFile(bytes) { path in
      let file = try ImportFile(path)
      var records = CSVRecords(try FileWindow(file.descriptor, at: 0), delimiter: delimiter, line: 0)
      var all: [ImportRecord] = []
      while let record = try records.next() { all.append(record) }
      #expect(records.window.position == Int64(bytes.count))
      return all
    }
  }

  static func cells(_ text: String) throws -> [[String?]] {
    try records(Array(text.utf8)).map { if case .cells(let cells) = $0.content { cells } else { ["broken"] } }
  }

  @Test(
    "Cells are what RFC 4180 says",
    arguments: [
      ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
      ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
      ("\"a\",\"b\"\r\n\"\",\r\n", [["a", "b"], ["", ""]]),
      ("\"a\"\"b\",\"\"\"\"\n", [["a\"b", "\""]]),
      ("\"a,b\",\"c\r\nd\ne\"\nf,g\n", [["a,b", "c\r\nd\ne"], ["f", "g"]]),
      ("\n\r\na\n\n", [["a"]]),
      ("\"\"\n", [[""]]),
      (",\n", [["", ""]]),
      ("a\"b\",c\n", [["a\"b\"", "c"]]),
      (" \"a\" , b\n", [[" \"a\" ", " b"]]),
      ("a\rb,c\n", [["a\rb", "c"]]),
      ("=1+1,@x,+2,-3\n", [["=1+1", "@x", "+2", "-3"]]),
      ("é,\u{1F600}\n", [["é", "\u{1F600}"]]),
      ("a\0b\n", [["a\0b"]]),
      ("\"a\"", [["a"]]),
      ("\"a\"\r\n", [["a"]]),
      ("", []),
      ("a,\"", [["broken"]]),
      ("a,\"b\nc,d\n", [["broken"], ["c", "d"]]),
      ("\"a\"b,c\nd,e\n", [["broken"], ["d", "e"]]),
      ("\"a\"\rb\nd\n", [["broken"], ["d"]]),
    ])
  func cells(text: String, expected: [[String]]) throws {
    #expect(try Self.cells(text) == expected)
  }

  @Test("Lines are counted as an editor counts them, those within cells too")
  func lines() throws {
    let records = try Self.records(Array("a\n\"b\nc\"\n\nd\r\n\"e\"x\nf\n".utf8))
    #expect(records.map(\.line) == [1, 2, 5, 6, 7])
  }

  @Test("A cell that isn't UTF-8 is nil, the others of its row are read")
  func badUTF8() throws {
    let bytes = Array("a,".utf8) + [0xC3, 0x28] + Array(",b\n".utf8) + [0xED, 0xA0, 0x80, 0x0A]
    #expect(try Self.records(bytes).map(\.content) == [.cells(["a", nil, "b"]), .cells([nil])])
  }

  @Test("Semicolons separate where they are told to")
  func semicolons() throws {
    let records = try Self.records(Array("a;b,c;\"d;e\"\n".utf8), delimiter: UInt8(ascii: ";"))
    #expect(records.map(\.content) == [.cells(["a", "b,c", "d;e"])])
  }

  @Test(
    "Rows of every length are read whole, wherever a read of the file ends",
    arguments: [0, 1, 5, 13])
  func pieces(shift: Int) throws {
    var text = String(repeating: "x", count: shift) + "\n"
    var expected = [[String(repeating: "x", count: shift)]].filter { $0 != [""] }
    var number = 0
    while text.utf8.count < FileWindow.piece + 5_000 {
      let cell = String(repeating: "é\"\"\r\n,", count: number % 7) + "\(number)"
      text += "\"\(cell)\",\(number)\r\n"
      expected.append([cell.replacing("\"\"", with: "\""), "\(number)"])
      number += 1
    }
    #expect(try Self.cells(text) == expected)
  }

  @Test("A row of exactly the limit is read, one byte more is refused, and the next row is read all the same")
  func limit() throws {
    let fits = String(repeating: "a", count: Limits.importRowBytes - 1) + "\n"
    #expect(try Self.cells(fits + "b\n").map(\.count) == [1, 1])
    let body = String(fits.dropLast())
    let tooLong: [String] = ["a\(fits)", String(repeating: body, count: 20) + "\n", "\"a\(body)\"\n"]
    for long in tooLong {
      let records = try Self.records(Array((long + "b\n").utf8))
      #expect(records.count == 2)
      guard case .broken(let code, _) = records[0].content else { return #expect(Bool(false), "it was read") }
      #expect(code.rawValue == "too_long")
      #expect(records[1] == ImportRecord(line: 2, content: .cells(["b"])))
    }
  }

  @Test("A quote that nobody closes costs its own line, not the rest of the file")
  func strayQuote() throws {
    let rest = (1...20_000).map { "row,\($0)\n" }.joined()
    let records = try Self.records(Array(("\"row,0\n" + rest).utf8))
    #expect(records.count == 20_001)
    #expect(records[1].content == .cells(["row", "1"]))
    #expect(records.last?.line == 20_001)
  }

  @Test("Lines of JSON: empty ones are left out, too long ones refused, the last needs no end")
  func jsonLines() throws {
    let long = #"{"push_token":""# + String(repeating: "a", count: Limits.importRowBytes) + "\"}"
    let rows = (1...2).map { #"{"push_token":"a\#($0)","platform":"android"}"# }
    let text = "\(rows[0])\r\n\n  \n\(long)\n[]\nnonsense\n\(rows[1])"
    let batches = try ImportText.read(text)
    #expect(batches.tokens == ["a1", "a2"])
    #expect(batches.faults == ["4  TOO_LONG", "5  WRONG_TYPE", "6  BAD_FORMAT"])
    #expect(batches.last?.position == Int64(text.utf8.count))
  }
}
