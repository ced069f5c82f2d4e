import Foundation
import Glibc
import HTTPClient
import Testing

/// Requests to addresses that customers name (T: facts of three projects, see the vectors' SOURCE.md).
@Suite("Requests to the internet alone")
struct AddressRuleTests {
  struct Vectors: Decodable {
    let urls: [String]
    let spellings: [String]
    let networks4: [String]
    let networks6: [String]
    let literals6: [String]
    let allowed: [String]
    let controls: [String]

    enum CodingKeys: String, CodingKey {
      case urls = "must_be_refused_request_filtering_agent_tests"
      case spellings = "must_be_refused_payloadsallthethings"
      case networks4 = "blocked_ipv4_ranges_ssrf_filter"
      case networks6 = "blocked_ipv6_ranges_ssrf_filter"
      case literals6 = "blocked_ipv6_literals_ssrf_filter_spec"
      case allowed = "allowed_ip_examples_ssrf_filter_spec"
      case controls = "control_character_urls_to_refuse_ssrf_filter_spec"
    }

    static let all: Vectors = {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Vectors/ssrf-urls/blocked.json")
      guard let data = try? Data(contentsOf: file), let vectors = try? JSONDecoder().decode(Vectors.self, from: data)
      else { fatalError("no vectors at \(file.path)") }
      return vectors
    }()
  }

  static func bytes(_ text: some StringProtocol) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
    let family = text.contains(":") ? AF_INET6 : AF_INET
    return inet_pton(family, String(text), &bytes) == 1 ? bytes : []
  }

  /// First and last address of a network.
  static func ends(of network: String) -> [[UInt8]] {
    let parts = network.split(separator: " ")[0].split(separator: "/")
    let first = bytes(parts[0])
    guard let bits = Int(parts[1]) else { return [] }
    var last = first
    for bit in bits..<(first.count * 8) { last[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    return [first, last]
  }

  @Test("Both ends of every blocked network are refused", arguments: Vectors.all.networks4 + Vectors.all.networks6)
  func networks(_ network: String) throws {
    // Of those that embed IPv4 the list of IPv4 decides: the last one of ::ffff:0:0/96 is 255.255.255.255.
    let ends = Self.ends(of: network)
    #expect(ends.count == 2)
    for end in ends { #expect(!AddressRule.publicOnly.allows(end)) }
  }

  @Test("Embedded private addresses are refused", arguments: Vectors.all.literals6 + ["::ffff:10.0.0.1", "::7f00:1"])
  func embedded(_ text: String) { #expect(!AddressRule.publicOnly.allows(Self.bytes(text))) }

  @Test(
    "Public addresses are allowed",
    // NAT64 with a prefix of one's own (64:ff9b:1::/48) leads into one's own network, whatever it embeds.
    arguments: Vectors.all.allowed.filter { !$0.hasPrefix("64:ff9b:1:") } + ["::ffff:8.8.8.8", "64:ff9b::808:808"])
  func allowed(_ text: String) {
    #expect(AddressRule.publicOnly.allows(Self.bytes(text)))
    #expect(AddressRule.any.allows(Self.bytes("127.0.0.1")))
  }

  private static func strict(https: Bool = false) -> SimpleHTTP {
    var http = SimpleHTTP(timeout: .seconds(3))
    http.connectTimeout = .seconds(2)
    http.addresses = .publicOnly
    if https { http.schemes = .https }
    return http
  }

  @Test("Every spelling of a private address is refused as it is", arguments: Vectors.all.urls + Vectors.all.spellings)
  func spellings(_ url: String) async { await #expect(throws: HTTPClientError.self) { try await Self.refuse(url) } }

  @Test("A control character in a URL is refused", arguments: Vectors.all.controls)
  func controls(_ url: String) async { await #expect(throws: HTTPClientError.self) { try await Self.refuse(url) } }

  /// What must not even be tried: no port of these is open, so a connection that was refused here proves the rule only
  /// where the error says so.
  private static func refuse(_ url: String) async throws {
    for http in [strict(), strict(https: true)] {
      do {
        _ = try await http.send("POST", url, body: [])
        return
      } catch HTTPClientError.curl(let code, let text) {
        // 1 scheme, 3 malformed, 6 no such name, 67 a login: none of them opened a connection.
        guard [1, 3, 6, 67].contains(code) else { throw Reached(text: "\(url): \(text)") }
      } catch {
        guard error as? HTTPClientError == .addressRefused else { throw error }
      }
    }
    throw HTTPClientError.addressRefused
  }

  private struct Reached: Error {
    let text: String
  }

  @Test(
    "A listener on loopback sees nothing, by whatever name it is reached",
    arguments: ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0", "127.1", "rebinding.example"])
  func listener(_ host: String) async throws {
    let (listener, port) = try ScriptedServer.listen(0)
    defer { close(listener) }
    var http = Self.strict()
    http.resolutions = [
      "rebinding.example:\(port):127.0.0.1", "mapped.example:\(port):[::ffff:10.0.0.1]",
      "six.example:\(port):[::1]", "both.example:\(port):[::1],127.0.0.1,10.0.0.1",
    ]
    for name in [host, "six.example", "mapped.example", "both.example"] {
      await #expect(throws: HTTPClientError.addressRefused, "\(name)") {
        try await http.send("POST", "http://\(name):\(port)/", body: [])
      }
    }
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 100) == 0)
  }

  @Test("A login in the URL is refused")
  func login() async throws {
    let (listener, port) = try ScriptedServer.listen(0)
    defer { close(listener) }
    await #expect(throws: HTTPClientError.self) {
      try await Self.strict().send("POST", "http://user:secret@127.0.0.1:\(port)/", body: [])
    }
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 100) == 0)
  }
}
