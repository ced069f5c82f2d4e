import Foundation
import JSON
import Testing

@Suite("Published format cases")
struct FormatVectorTests {
  struct Case {
    let text: String
    let isValid: Bool
  }

  /// The string cases of one file of the JSON Schema test suite. Read by Foundation: one of them has U+0000.
  static func cases(_ name: String) throws -> [Case] {
    let data = Data(try Vectors.bytes("json-schema-formats/\(name).json"))
    let groups = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    return groups.flatMap { $0["tests"] as? [[String: Any]] ?? [] }.compactMap { test in
      guard let text = test["data"] as? String, let isValid = test["valid"] as? Bool else { return nil }
      return Case(text: text, isValid: isValid)
    }
  }

  @Test("Date-times are accepted and refused as published")
  func dateTimes() throws {
    let cases = try Self.cases("date-time")
    #expect(cases.count == 27)
    for item in cases { #expect((RFC3339.parse(item.text) != nil) == item.isValid, "\(item.text)") }
  }

  @Test("JSON pointers are accepted and refused as published")
  func pointers() throws {
    let cases = try Self.cases("json-pointer")
    #expect(cases.count == 34)
    for item in cases { #expect((JSONPointer.tokens(item.text) != nil) == item.isValid, "\(item.text)") }
  }

  @Test("UUIDs are accepted and refused as published, and printed in lower case")
  func uuids() throws {
    let cases = try Self.cases("uuid")
    #expect(cases.count == 22)
    for item in cases {
      let id = UUIDText.parse(item.text)
      #expect((id != nil) == item.isValid, "\(item.text)")
      if let id {
        #expect(UUIDText.format(id) == item.text.lowercased())
        #expect(id == UUID(uuidString: item.text))
      }
    }
  }

  @Test("A pointer's tokens are unescaped, and a child's name is escaped")
  func pointerTokens() {
    #expect(JSONPointer.tokens("/a~1b/m~0n//0") == ["a/b", "m~n", "", "0"])
    #expect(JSONPointer.child("/x", "a/b~c") == "/x/a~1b~0c")
    #expect(JSONPointer.child("", 3) == "/3")
  }
}
