import Foundation
import JSON
import Testing

@Suite("Decoding with faults")
struct ObjectReaderTests {
  static func reader(_ text: String) throws -> (ObjectReader, FaultCollector) {
    let faults = FaultCollector()
    return (ObjectReader(try JSON.parse(Array(text.utf8)), into: faults), faults)
  }

  static func codes(_ faults: FaultCollector) -> [String] {
    faults.faults.map { "\($0.pointer) \($0.code.rawValue)" }
  }

  @Test("Every bad member is reported at once with its pointer")
  func allAtOnce() throws {
    let (body, faults) = try Self.reader(
      #"""
      {"name": 7, "note": null, "count": 1.0, "ratio": "x", "id": "nope", "kind": "z", "at": "2024-02-30T00:00:00Z",
       "flag": 1, "list": [1, "ab", null], "inner": {"a/b": true, "x~": []}, "long": "aaaa", "empty": "", "n": 11,
       "m": -1, "extra": 1}
      """#)
    #expect(body.requiredString("name", bytes: 1...10) == nil)
    #expect(body.string("note", bytes: 1...10) == nil)
    #expect(body.integer("count", in: 0...10) == nil)
    #expect(body.number("ratio", in: 0...1) == nil)
    #expect(body.uuid("id") == nil)
    #expect(body.choice("kind", ["a": 1, "b": 2]) == nil)
    #expect(body.timestamp("at") == nil)
    #expect(body.bool("flag") == nil)
    let list = try #require(body.array("list", count: 0...3))
    #expect(list.map { $0.string(bytes: 1...1) } == [nil, nil, nil])
    let inner = try #require(body.object("inner"))
    #expect(inner.string("a/b", bytes: 0...1) == nil)
    #expect(inner.object("x~") == nil)
    #expect(body.string("long", bytes: 1...3) == nil)
    #expect(body.string("empty", bytes: 1...3) == nil)
    #expect(body.integer("n", in: 0...10) == nil)
    #expect(body.integer("m", in: 0...10) == nil)
    #expect(body.requiredUUID("absent") == nil)
    body.refuseUnknown()
    #expect(
      Self.codes(faults) == [
        "/name wrong_type", "/note null_not_allowed", "/count wrong_type", "/ratio wrong_type", "/id bad_format",
        "/kind not_allowed", "/at bad_format", "/flag wrong_type", "/list/0 wrong_type", "/list/1 too_long",
        "/list/2 null_not_allowed", "/inner/a~1b wrong_type", "/inner/x~0 wrong_type", "/long too_long",
        "/empty too_short", "/n too_large", "/m too_small", "/absent missing", "/extra unknown_field",
      ])
  }

  @Test("A good body gives its values and no fault")
  func goodBody() throws {
    let (body, faults) = try Self.reader(
      #"""
      {"s": "héé", "b": false, "i": -5, "r": 2, "u": "2EB8AA08-AA98-11EA-B4AA-73B441D16380", "c": "b",
       "t": "2001-09-09T01:46:40Z", "o": {"k": 1}, "a": [1, 2], "v": {"any": [null]}}
      """#)
    #expect(body.requiredString("s", bytes: 5...5) == "héé")
    #expect(body.requiredBool("b") == false)
    #expect(body.requiredInteger("i", in: -5...5) == -5)
    #expect(body.requiredNumber("r", in: 0...2) == 2)
    #expect(body.requiredUUID("u").map(UUIDText.format) == "2eb8aa08-aa98-11ea-b4aa-73b441d16380")
    #expect(body.requiredChoice("c", ["a": 1, "b": 2]) == 2)
    #expect(body.requiredTimestamp("t") == 1_000_000_000_000_000)
    #expect(body.requiredObject("o")?.requiredInteger("k", in: 0...1) == 1)
    #expect(body.requiredArray("a", count: 2...2)?.compactMap { $0.integer(in: 1...2) } == [1, 2])
    #expect(body.value("v") == .object(["any": .array([.null])]))
    body.refuseUnknown()
    #expect(faults.isEmpty)
  }

  @Test("Absent optional members are nil without a fault, and so is null where it may stand for absence")
  func absence() throws {
    let (body, faults) = try Self.reader(#"{"n": null}"#)
    #expect(body.string("x", bytes: 0...1) == nil)
    #expect(body.array("x", count: 0...1) == nil)
    #expect(body.string("n", bytes: 0...1, nullIsAbsent: true) == nil)
    #expect(body.has("n"))
    #expect(!body.has("x"))
    #expect(faults.isEmpty)
    #expect(body.uuid("n") == nil)
    #expect(Self.codes(faults) == ["/n null_not_allowed"])
  }

  @Test("A merge patch tells absent, null and set apart; a bad member is a fault")
  func mergePatch() throws {
    let (body, faults) = try Self.reader(#"{"a": null, "b": "x", "c": 5, "d": {"e": 1}}"#)
    #expect(body.stringField("a", bytes: 1...4) == .null)
    #expect(body.stringField("b", bytes: 1...4) == .value("x"))
    #expect(body.stringField("z", bytes: 1...4) == .absent)
    #expect(body.stringField("c", bytes: 1...4) == .absent)
    #expect(body.objectField("d").map { $0.integer("e", in: 0...1) } == .value(1))
    #expect(Self.codes(faults) == ["/c wrong_type"])
  }

  @Test(
    "Of a body that isn't an object there is one fault",
    arguments: [("[]", "wrong_type"), ("null", "null_not_allowed"), ("\"x\"", "wrong_type")])
  func notAnObject(_ text: String, _ code: String) throws {
    let (body, faults) = try Self.reader(text)
    #expect(body.requiredString("a", bytes: 0...1) == nil)
    #expect(body.requiredUUID("b") == nil)
    body.refuseUnknown()
    #expect(Self.codes(faults) == [" \(code)"])
  }

  @Test("Lengths are counted in UTF-8 bytes at both edges")
  func byteLengths() throws {
    let family = "👨‍👩‍👧‍👦"
    let (body, faults) = try Self.reader("{\"f\": \"\(family)\"}")
    #expect(body.string("f", bytes: 25...25) == family)
    #expect(body.string("f", bytes: 0...24) == nil)
    #expect(body.string("f", bytes: 26...99) == nil)
    #expect(Self.codes(faults) == ["/f too_long", "/f too_short"])
  }

  @Test("Control characters are refused when asked for, U+0000 always")
  func controls() throws {
    let faults = FaultCollector()
    let texts = ["a\nb", "a\r\nb", "\u{7f}", "\u{85}", "\u{1b}[0m"]
    let body = ObjectReader(.object(["z": .string("a\0b"), "t": .array(texts.map { .string($0) })]), into: faults)
    #expect(body.string("z", bytes: 0...9) == nil)
    let elements = try #require(body.array("t", count: 0...9))
    #expect(elements.compactMap { $0.string(bytes: 0...9) }.count == texts.count)
    #expect(elements.compactMap { $0.string(bytes: 0...9, refuseControls: true) } == [])
    let plain = "a \u{a0}\u{c0}é\u{2028}\u{202e}中\u{10a80}😀"
    let other = ElementReader(.string(plain), into: faults)
    #expect(other.string(bytes: 0...99, refuseControls: true) == plain)
    #expect(faults.faults.count == 1 + texts.count)
    #expect(faults.faults.allSatisfy { $0.code == .badFormat })
  }

  @Test("A choice is compared by bytes")
  func choices() throws {
    let (body, faults) = try Self.reader(#"{"k": "\u212a", "e": "e\u0301"}"#)
    #expect(body.choice("k", ["K": 1]) == nil)
    #expect(body.choice("e", ["\u{e9}": 1]) == nil)
    #expect(faults.faults.map(\.code) == [.notAllowed, .notAllowed])
    #expect(faults.faults.first?.detail == "It must be one of: K.")
  }

  @Test("Details never repeat a value, and very long names aren't repeated either")
  func noEcho() throws {
    let secret = String(repeating: "SECRET", count: 50)
    let (body, faults) = try Self.reader(
      "{\"a\": \"\(secret)\", \"u\": \"\(secret)\", \"c\": \"\(secret)\", \"\(secret)\": 1}")
    _ = body.string("a", bytes: 0...5)
    _ = body.uuid("u")
    _ = body.timestamp("u")
    _ = body.choice("c", ["x": 1])
    _ = body.integer("a", in: 0...1)
    body.refuseUnknown()
    #expect(faults.faults.count == 6)
    #expect(faults.faults.allSatisfy { !$0.detail.contains("SECRET") && !$0.pointer.contains("SECRET") })
  }

  @Test("No more than a hundred faults are kept, and the rest is counted")
  func bounded() throws {
    let faults = FaultCollector()
    let body = ObjectReader(.object(JSONObject((0..<150).map { ("k\($0)", .null) })), into: faults)
    body.refuseUnknown()
    #expect(faults.faults.count == 100)
    #expect(faults.omitted == 50)
  }

  @Test("Arrays have a least and a greatest length")
  func arrayLengths() throws {
    let (body, faults) = try Self.reader(#"{"a": [1, 2, 3]}"#)
    #expect(body.array("a", count: 3...3)?.map(\.pointer) == ["/a/0", "/a/1", "/a/2"])
    #expect(body.array("a", count: 0...2) == nil)
    #expect(body.array("a", count: 4...9) == nil)
    #expect(Self.codes(faults) == ["/a too_many", "/a too_few"])
  }

  @Test("A caller adds its own faults with the pointer of a member or an element")
  func ownFaults() throws {
    let (body, faults) = try Self.reader(#"{"a": ["x", "x"], "b": 1}"#)
    let elements = try #require(body.array("a", count: 0...9))
    elements[1].refuse(.duplicate, "It comes twice.")
    body.refuse("b", .conflict, "Give either a or b.")
    #expect(Self.codes(faults) == ["/a/1 duplicate", "/b conflict"])
  }

  @Test("Codes are the documented words")
  func codes() {
    #expect(
      JSONFault.Code.allCases.map(\.rawValue) == [
        "missing", "null_not_allowed", "wrong_type", "too_long", "too_short", "too_large", "too_small", "too_many",
        "too_few", "bad_format", "not_allowed", "unknown_field", "duplicate", "conflict",
        "reserved",
      ])
  }
}
