import Foundation
import JSON
import Testing

@testable import KitsAPI

@Suite("Where events may be sent")
struct WebhookURLTests {
  /// All URLs that must be refused, as they are and with https in front.
  static let refused: [String] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Vectors/ssrf-urls/blocked.json")
    guard let bytes = try? Data(contentsOf: file), let json = try? JSON.parse(Array(bytes)) else { return [] }
    let lists = [
      "must_be_refused_request_filtering_agent_tests", "must_be_refused_payloadsallthethings",
      "control_character_urls_to_refuse_ssrf_filter_spec",
    ]
    let urls = lists.flatMap { json[$0]?.array?.compactMap(\.string) ?? [] }
    let literals = json["blocked_ipv6_literals_ssrf_filter_spec"]?.array?.compactMap(\.string) ?? []
    return urls + urls.map { $0.replacing(/^http:/, with: "https:") } + literals.map { "https://[\($0)]/" }
  }()

  @Test("The vectors are there")
  func vectors() { #expect(Self.refused.count > 100) }

  @Test("What could reach the inside is refused", arguments: refused)
  func tricks(_ url: String) { #expect(WebhookURL.fault(url, allowsPrivate: false) != nil) }

  @Test(
    "Local, malformed and unusual addresses are refused",
    arguments: [
      "", "hooks.example.com", "/hooks", "https://", "https:///x", "http://hooks.example.com/",
      "ftp://hooks.example.com/", "https://hooks.example.com/#part", "https://u:p@hooks.example.com/",
      "https://u@hooks.example.com/", "https://localhost/", "https://x.localhost/", "https://printer.local/",
      "https://db.internal/", "https://router.lan/", "https://8.8.8.8/", "https://[2606:4700::1111]/",
      "https://hooks.example.com:80/", "https://hooks.example.com:22/", "https://hooks.example.com:0/",
      "https://hooks.example.com:65536/", "https://１２７.0.0.1/", "https://hööks.example.com/",
      "https://a_b.example.com/",
      "https://-a.example.com/", "https://a..example.com/", "https://%31%32%37.0.0.1/", "https://1.2.3.0x4/",
      "https://hooks.example.com\\@127.0.0.1/", "https://hooks.example.com /",
    ])
  func wrong(_ url: String) { #expect(WebhookURL.fault(url, allowsPrivate: false) != nil) }

  @Test(
    "Public names are taken",
    arguments: [
      "https://hooks.example.com", "https://hooks.example.com/a/b?c=d%20e", "HTTPS://Hooks.Example.COM./x",
      "https://hooks.example.com:443/", "https://hooks.example.com:8443/", "https://xn--hks-sna.example.com/",
      "https://1.example.com/",
    ])
  func right(_ url: String) { #expect(WebhookURL.fault(url, allowsPrivate: false) == nil) }

  @Test("Development may send to http and to addresses, but not to what is no URL")
  func development() {
    for url in ["http://127.0.0.1:1/", "https://localhost/", "http://[::1]:8080/x", "http://192.168.1.1/"] {
      #expect(WebhookURL.fault(url, allowsPrivate: true) == nil)
    }
    for url in ["file:///etc/passwd", "http://u:p@localhost/", "x", "http://127.0.0.1/#x", "gopher://localhost/"] {
      #expect(WebhookURL.fault(url, allowsPrivate: true) != nil)
    }
  }
}
