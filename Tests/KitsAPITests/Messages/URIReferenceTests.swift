import JSON
import Testing

@testable import KitsAPI

@Suite("URIs")
struct URIReferenceTests {
  @Test("the published cases of the JSON Schema format uri")
  func published() throws {
    var counts = (valid: 0, invalid: 0)
    for suite in try #require(VectorFile.json("json-schema-formats/uri.json").array) {
      for test in suite.object?["tests"]?.array ?? [] {
        guard let text = test.object?["data"]?.string, let valid = test.object?["valid"]?.bool else { continue }
        #expect((URIReference(text) != nil) == valid, "\(text)")
        if valid { counts.valid += 1 } else { counts.invalid += 1 }
      }
    }
    #expect(counts.valid == 15 && counts.invalid == 25)
  }

  @Test(
    "IPv6 addresses in brackets",
    arguments: [
      ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true),
      ("::ffff:1.2.3.4", true), ("1:2:3:4:5:6:1.2.3.4", true), ("1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:8:9", false),
      ("1::2::3", false), ("12345::", false), ("::1.2.3.256", false), ("1.2.3.4::", false), (":1", false),
      ("g::", false),
      ("1:2:3:4:5:6:7:8::", false), ("", false), (":::", false),
    ])
  func addresses(text: String, isValid: Bool) {
    #expect((URIReference("http://[\(text)]/") != nil) == isValid)
  }

  @Test("its parts")
  func parts() throws {
    let uri = try #require(URIReference("HTTPS://user@Host.example:8080/a?b#c"))
    #expect(uri.scheme == "https")
    #expect(uri.authority?.userInfo == "user")
    #expect(uri.authority?.host == "Host.example")
    #expect(URIReference("mailto:a@b.example")?.authority == nil)
  }
}
