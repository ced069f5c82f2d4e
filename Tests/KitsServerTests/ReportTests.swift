import Testing

@testable import KitsServer

@Suite("Command results")
struct ReportTests {
  static let report = Report([
    ("id", "a\"b\u{1B}\n"), ("count", 3), ("live", true), ("gone", .null), ("tags", .list(["x", "y"])),
    ("inner", .object([.init("k", 1)])),
  ])
  static let table = Report.table("apps", columns: ["id", "name"], rows: [["1", "Shop"], ["22", .null]])

  @Test("One JSON object on one line")
  func json() {
    #expect(
      Self.report.json == #"{"id":"a\"b\u001b\n","count":3,"live":true,"gone":null,"tags":["x","y"],"inner":{"k":1}}"#
        + "\n")
    #expect(Self.table.json == #"{"apps":[{"id":"1","name":"Shop"},{"id":"22","name":null}]}"# + "\n")
  }

  @Test("Aligned text without anything that drives the terminal")
  func text() {
    #expect(
      Self.report.text == """
        id     a"b\\u{1b}\\u{a}
        count  3
        live   yes
        gone   -
        tags   x y
        inner  {"k":1}

        """)
    #expect(Self.table.text == "id  name\n1   Shop\n22  -\n")
    #expect(Report.table("apps", columns: ["id"], rows: []).text == "no apps\n")
  }

  @Test(
    "A single field is raw",
    arguments: [("id", "a\"b\u{1B}\n\n"), ("count", "3\n"), ("tags", "x\ny\n"), ("gone", "null\n")])
  func field(name: String, expected: String) throws {
    #expect(try Self.report.field(name) == expected)
  }

  @Test("An unknown field is a wrong command line")
  func unknownField() {
    #expect(throws: CommandFailure.usage("no field `nam` in id, name; did you mean `name`?")) {
      try Report([("id", ""), ("name", "")]).field("nam")
    }
  }
}
