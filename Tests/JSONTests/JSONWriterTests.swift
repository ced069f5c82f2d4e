import Foundation
import JSON
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
  static func text(_ build: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    build(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("A response is built front to back with the commas in place")
  func building() throws {
    let id = try #require(UUID(uuidString: "01932C07-209C-7ABC-8DEF-0123456789AB"))
    let text = Self.text { writer in
      writer.beginObject()
      writer.key("id")
      writer.value(id)
      writer.member("n", -42)
      writer.key("list")
      writer.beginArray()
      writer.value(1)
      writer.value("two")
      writer.beginObject()
      writer.endObject()
      writer.null()
      writer.endArray()
      writer.timestampMember("at", 1_500_000)
      writer.member("none", nil as String?)
      writer.member("yes", true)
      writer.member("half", 0.5)
      writer.key("raw")
      writer.raw(Array("[0]".utf8))
      writer.member("tree", JSONValue.object(["k": .array([])]))
      writer.endObject()
    }
    #expect(
      text
        == #"{"id":"01932c07-209c-7abc-8def-0123456789ab","n":-42,"list":[1,"two",{},null],"#
        + #""at":"1970-01-01T00:00:01.500Z","none":null,"yes":true,"half":0.5,"raw":[0],"tree":{"k":[]}}"#)
  }

  @Test("Only what must be escaped is escaped")
  func escapes() {
    let text = Self.text { $0.value("\u{1}\u{8}\t\n\u{c}\r\u{1f}\"\\/\u{7f}\u{2028}é😀") }
    #expect(text == "\"\\u0001\\b\\t\\n\\f\\r\\u001f\\\"\\\\/\u{7f}\u{2028}é😀\"")
  }

  @Test("Integers are exact to the ends of the range", arguments: [0, 7, -7, 10, Int64.max, .min])
  func integers(_ number: Int64) {
    #expect(Self.text { $0.value(number) } == String(number))
  }

  @Test(
    "Reals read back as the same double", arguments: [0.1, -0.0, 1e300, .leastNonzeroMagnitude, 1e16, 123456.789, .pi])
  func reals(_ number: Double) throws {
    let bytes = JSON.write(.real(number))
    #expect(try JSON.parse(bytes) == .real(number))
  }

  @Test("What JSON can't say becomes null", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(_ number: Double) {
    #expect(Self.text { $0.value(number) } == "null")
  }

  @Test("The canonical text sorts the members of every object by bytes")
  func canonical() throws {
    let value = try JSON.parse(Array(#"{"b":1,"a":[{"z":1,"é":2,"Z":3}],"B":0}"#.utf8))
    #expect(String(decoding: JSON.canonical(value), as: UTF8.self) == #"{"B":0,"a":[{"Z":3,"z":1,"é":2}],"b":1}"#)
  }
}
