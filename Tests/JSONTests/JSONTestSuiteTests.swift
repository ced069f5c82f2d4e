import JSON
import Testing

@Suite("JSONTestSuite")
struct JSONTestSuiteTests {
  /// Valid JSON that is refused on purpose.
  static let refusedOnPurpose: [String: String] = [
    "y_object_duplicated_key.json": "An object has the same member twice.",
    "y_object_duplicated_key_and_value.json": "An object has the same member twice.",
    "y_object_escaped_null_in_key.json": "A string contains U+0000.",
    "y_string_null_escape.json": "A string contains U+0000.",
  ]

  /// Undefined by the standard: nothing of it is accepted.
  static let acceptedUndefined: Set<String> = []

  static func parse(_ name: String) throws(JSONSyntaxError) -> JSONValue {
    guard let bytes = try? Vectors.bytes("JSONTestSuite/test_parsing/\(name)") else {
      throw JSONSyntaxError(message: "There is no file \(name).", byteOffset: 0)
    }
    return try JSON.parse(bytes)
  }

  @Test("Every valid text is accepted, except the ones refused on purpose")
  func validTexts() throws {
    let names = try Vectors.names(in: "JSONTestSuite/test_parsing", prefix: "y_")
    #expect(names.count == 95)
    var refused: [String: String] = [:]
    for name in names {
      do {
        _ = try Self.parse(name)
      } catch {
        refused[name] = error.message
      }
    }
    #expect(refused == Self.refusedOnPurpose)
  }

  @Test("Every invalid text is refused")
  func invalidTexts() throws {
    let names = try Vectors.names(in: "JSONTestSuite/test_parsing", prefix: "n_")
    #expect(names.count == 188)
    #expect(names.filter { (try? Self.parse($0)) != nil } == [])
  }

  @Test("Of the texts that the standard leaves open none is accepted")
  func undefinedTexts() throws {
    let names = try Vectors.names(in: "JSONTestSuite/test_parsing", prefix: "i_")
    #expect(names.count == 35)
    #expect(Set(names.filter { (try? Self.parse($0)) != nil }) == Self.acceptedUndefined)
  }

  @Test("Accepted texts read the same after writing and after sorting")
  func roundTrips() throws {
    for name in try Vectors.names(in: "JSONTestSuite/test_parsing", prefix: "y_") {
      guard let value = try? Self.parse(name) else { continue }
      #expect(try JSON.parse(JSON.write(value)) == value, "\(name)")
      #expect(try JSON.parse(JSON.canonical(value)) == value, "\(name)")
    }
  }

  @Test("Texts that other parsers change are exact or refused")
  func transforms() throws {
    let names = try Vectors.names(in: "JSONTestSuite/test_transform")
    #expect(names.count == 22)
    var outcome: [String: String] = [:]
    for name in names {
      let value = try? JSON.parse(Vectors.bytes("JSONTestSuite/test_transform/\(name)"))
      outcome[name] = value.map { String(decoding: JSON.write($0), as: UTF8.self) } ?? "refused"
    }
    #expect(outcome.values.count { $0 == "refused" } == 15)
    #expect(outcome["number_1.000000000000000005.json"] == "refused")
    #expect(outcome["number_1e-999.json"] == "refused")
    #expect(outcome["number_9223372036854775807.json"] == "[9223372036854775807]")
    #expect(outcome["number_9223372036854775808.json"] == "refused")
    #expect(outcome["number_1.0.json"] == "[1.0]")
    #expect(outcome["number_1e6.json"] == "[1000000.0]")
    let composed = try JSON.parse(Vectors.bytes("JSONTestSuite/test_transform/object_key_nfc_nfd.json"))
    #expect(composed.object?.count == 2)
    #expect(composed.object?["\u{e9}"] == .string("NFC"))
    #expect(composed.object?["e\u{301}"] == .string("NFD"))
  }
}
