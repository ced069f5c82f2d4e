import JSON
import Testing

@Suite("Reading JSON")
struct JSONParseTests {
  static func nested(_ depth: Int) -> [UInt8] {
    Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
  }

  @Test("Nesting is accepted up to the limit and refused one level further")
  func depth() throws {
    #expect(throws: Never.self) { try JSON.parse(Self.nested(32)) }
    #expect(throws: JSONSyntaxError(message: "The body nests deeper than 32 levels.", byteOffset: 32)) {
      try JSON.parse(Self.nested(33))
    }
    #expect(throws: JSONSyntaxError.self) { try JSON.parse(Self.nested(100_000)) }
    #expect(throws: Never.self) { try JSON.parse(Self.nested(200), maxDepth: 200) }
    #expect(throws: JSONSyntaxError.self) { try JSON.parse(Array(#"{"a":{"b":1}}"#.utf8), maxDepth: 1) }
    #expect(throws: Never.self) { try JSON.parse(Self.nested(JSON.deepest), maxDepth: .max) }
    #expect(throws: JSONSyntaxError.self) { try JSON.parse(Self.nested(JSON.deepest + 1), maxDepth: .max) }
  }

  @Test("Brackets in strings don't count as nesting")
  func bracketsInStrings() throws {
    let text = #"["\"[[[[\\", "]]]{{{"]"#
    #expect(try JSON.parse(Array(text.utf8), maxDepth: 1).array?.count == 2)
  }

  @Test(
    "A body with byte 0 is refused wherever it is",
    arguments: ["{}\0", "\0{}", "{\"a\0\":1}", "{\"a\":\"b\0\"}", "[1,\0 2]"])
  func byteZero(_ text: String) {
    #expect(throws: JSONSyntaxError.self) { try JSON.parse(Array(text.utf8)) }
  }

  @Test(
    "Numbers that don't fit are refused, never rounded into range",
    arguments: ["9223372036854775808", "-9223372036854775809", "1e400", "-1e400", "1e19999999"])
  func overflow(_ text: String) {
    #expect(throws: JSONSyntaxError.self) { try JSON.parse(Array(text.utf8)) }
  }

  @Test(
    "A real that a double would change is refused, wherever it stands",
    arguments: [
      "9007199254740993.0", "9007199254740993e0", "-9007199254740993.0", "90071992547409930e-1", "1e-400", "-1e-400",
      "4.9e-324000", "2e-324", "1.2345678901e-320", "0.12345678901234567890", "3.14159265358979323846", "1e309",
      "1.00000000000000000000000000000001", "123456789012345678901234567890.0",
      "0." + String(repeating: "9", count: 900),
    ])
  func changedReals(_ number: String) {
    for text in [number, "[\(number)]", #"{"a\"\\":[1,\#(number) ]}"#] {
      let error = #expect(throws: JSONSyntaxError.self, "\(text)") { try JSON.parse(Array(text.utf8)) }
      #expect(error?.message.hasPrefix("A number would be changed") == true)
    }
  }

  @Test(
    "A real that a double holds is accepted, and nothing in a string is taken for a number",
    arguments: [
      ("0.1", 0.1), ("0.10", 0.1), ("-0.0", -0.0), ("0e-999999", 0), ("1e22", 1e22), ("1.5e300", 1.5e300),
      ("0.30000000000000004", 0.1 + 0.2), ("0.10000000000000001", 0.1), ("9007199254740992.0", 9_007_199_254_740_992),
      ("9007199254740994.0", 9_007_199_254_740_994), ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("5e-324", .leastNonzeroMagnitude), ("4.9406564584124654e-324", .leastNonzeroMagnitude),
      ("2.2250738585072014e-308", .leastNormalMagnitude),
      ("0.1000000000000000055511151231257827021181583404541015625", 0.1), ("100000000000000000000.0", 1e20),
    ])
  func faithfulReals(_ text: String, _ number: Double) throws {
    #expect(try JSON.parse(Array("[\(text),\"1e-400\"]".utf8)) == .array([.real(number), .string("1e-400")]))
  }

  @Test("Integers and reals stay apart")
  func kindsOfNumbers() throws {
    #expect(
      try JSON.parse(Array("[1, 1.0, 1e3, -9223372036854775808, -0]".utf8))
        == .array([.integer(1), .real(1), .real(1000), .integer(.min), .integer(0)]))
    #expect(JSONValue.integer(1) != .real(1))
  }

  @Test(
    "A duplicate name is refused, also when one of the two is escaped",
    arguments: [#"{"a":1,"a":2}"#, #"{"exp":1,"\u0065xp":1}"#, #"[{"x":{"k":null,"k":null}}]"#])
  func duplicates(_ text: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSON.parse(Array(text.utf8)) }
    #expect(error?.message == "An object has the same member twice.")
  }

  @Test(
    "What isn't one UTF-8 document is refused",
    arguments: [
      [], [0x20], [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], Array("{} x".utf8), Array("{}{}".utf8), Array("[1,]".utf8),
      Array("{\"a\":1,}".utf8), Array("// c\n{}".utf8), Array("NaN".utf8), Array("Infinity".utf8),
      Array(#""\ud800""#.utf8), Array(#""\udc00\ud800""#.utf8), Array(#""\u0000""#.utf8), Array("'a'".utf8),
      Array("01".utf8), Array("+1".utf8), Array(".5".utf8), Array("\"a\tb\"".utf8),
    ] as [[UInt8]])
  func notOneDocument(_ bytes: [UInt8]) {
    #expect(throws: JSONSyntaxError.self) { try JSON.parse(bytes) }
  }

  @Test("Messages never quote the body")
  func messages() {
    for text in ["{\"a\":SECRET", "{\"SECRET\":1,\"SECRET\":2}", "[SECRET]", "\"SECRET", "SECRET"] {
      let error = #expect(throws: JSONSyntaxError.self) { try JSON.parse(Array(text.utf8)) }
      #expect(error.map { "\($0)" }?.contains("SECRET") == false)
    }
  }

  @Test("Members keep their order, and names are compared by bytes")
  func order() throws {
    let value = try JSON.parse(Array(#"{"z":1,"a":2,"K":3,"\u212a":4,"m":{"y":1,"b":2}}"#.utf8))
    let object = try #require(value.object)
    #expect(object.keys.map { Array($0.utf8) } == ["z", "a", "K", "\u{212a}", "m"].map { Array($0.utf8) })
    #expect(object["K"] == .integer(3))
    #expect(object["\u{212a}"] == .integer(4))
    #expect(object["m"]?.object?.keys == ["y", "b"])
    #expect(object["Z"] == nil)
  }

  @Test("Strings that only look alike are different values")
  func lookalikes() {
    #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
    #expect(JSONValue.string("K") != .string("\u{212a}"))
    #expect(JSONObject(["\u{e9}": .null]) != JSONObject(["e\u{301}": .null]))
  }

  @Test("Objects are equal whatever the order of their members, arrays aren't")
  func equality() throws {
    let a = try JSON.parse(Array(#"{"a":1,"b":[1,2],"c":{"x":null,"y":true}}"#.utf8))
    let b = try JSON.parse(Array(#"{"c":{"y":true,"x":null},"b":[1,2],"a":1}"#.utf8))
    let c = try JSON.parse(Array(#"{"a":1,"b":[2,1],"c":{"x":null,"y":true}}"#.utf8))
    #expect(a == b)
    #expect(a != c)
    #expect(JSON.canonical(a) == JSON.canonical(b))
    #expect(JSON.write(a) != JSON.write(b))
  }

  @Test("An object is edited in place")
  func editing() {
    var object: JSONObject = ["a": .integer(1), "b": .null]
    object.set("a", .bool(true))
    object["c"] = .string("x")
    object["b"] = nil
    #expect(object.members.map(\.key) == ["a", "c"])
    #expect(object.count == 2)
    #expect(JSONObject([("k", .integer(1)), ("k", .integer(2))])["k"] == .integer(2))
  }
}
