import HTTPClient
import Testing

@Suite("Addresses, pins and anchors")
struct ParsingTests {
  @Test(
    "an origin is https, a host and a port",
    arguments: [
      ("https://api.push.apple.com", "https://api.push.apple.com:443"),
      ("https://API.push.apple.com:2197/", "https://api.push.apple.com:2197"),
      ("https://127.0.0.1:8443", "https://127.0.0.1:8443"),
      ("https://[::1]:8443", "https://[::1]:8443"),
    ])
  func origin(_ text: String, _ expected: String) throws {
    #expect(try Origin(text).description == expected)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "api.push.apple.com", "http://a", "ftp://a", "https://", "https://a:0", "https://a:65536", "https://a:x",
      "https://a b", "https://a/path", "https://u@a",
    ])
  func badOrigin(_ text: String) { #expect(throws: HTTPClientError.self) { try Origin(text) } }

  private static let one = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
  private static let two = "sha256/BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  @Test(
    "T11: pins need the prefix, 32 bytes, a host, and a backup that differs",
    arguments: [
      ("", [one]), ("*", [one]), ("a.b", []), ("a.b", [String(one.dropFirst(7))]), ("a.b", ["sha256/AAAA"]),
      ("a.b", [one, one]), ("a.*.b", [one]),
    ])
  func badPins(_ mask: String, _ pins: [String]) {
    #expect(throws: HTTPClientError.self) { try HostPins(mask: mask, pins: pins) }
  }

  @Test(
    "T11: a mask stands for one label",
    arguments: [
      ("*.push.apple.com", "api.push.apple.com", true), ("*.push.apple.com", "a.b.push.apple.com", false),
      ("*.push.apple.com", "push.apple.com", false), ("*.push.apple.com", ".push.apple.com", false),
      ("api.push.apple.com", "API.push.apple.com", true), ("api.push.apple.com", "xapi.push.apple.com", false),
    ])
  func masks(_ mask: String, _ host: String, _ matches: Bool) throws {
    #expect(try HostPins(mask: mask, pins: [Self.one, Self.two]).matches(host) == matches)
  }

  @Test("T11: anchors that are no certificates are refused", arguments: ["", "hello", "-----BEGIN PRIVATE KEY-----"])
  func badAnchors(_ text: String) {
    #expect(throws: HTTPClientError.self) { try TrustAnchors(Array(text.utf8)) }
  }
}
