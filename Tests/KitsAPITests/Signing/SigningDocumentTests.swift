import Crypto
import Foundation
import KitsCore
import TestSupport
import Testing

@testable import KitsAPI

/// `docs/request-signing.md` computes.
struct SigningDocumentTests {
  private static func example() throws -> [String: String] {
    let text = try String(contentsOfFile: TestCluster.repository + "/docs/request-signing.md", encoding: .utf8)
    var values: [String: String] = [:]
    for line in text.components(separatedBy: "\n") {
      if let match = line.wholeMatch(of: /\| ([a-z ]+) \| `(.+)` \|/) { values[String(match.1)] = String(match.2) }
      if line.hasPrefix("X-Kits-Signature: v1:kits") { values["header"] = String(line.dropFirst(18)) }
    }
    return values
  }

  @Test("The example of the document is what a client computes and the server accepts")
  func example() throws {
    let example = try Self.example()
    func value(_ name: String) throws -> String { try #require(example[name], "\(name)") }
    let seconds = try #require(Int64(value("unix timestamp")))
    let body = Array(try value("body").utf8)
    let signer = Signer(
      token: try value("app token"), secret: try #require(Hex.decode(value("secret"))),
      bucketSeconds: try #require(Int64(value("bucket seconds"))))
    #expect(try value("window") == "\(seconds / signer.bucketSeconds)")
    #expect(try value("hash of the body") == Hex.encode(SHA256.hash(body)))
    let header = try signer.header(value("method"), value("path and query"), body, at: seconds)
    #expect(try header == value("header"))
    #expect(try header.hasSuffix(value("signature")))
    let policy = SigningPolicy(
      mode: .required, bucketSeconds: signer.bucketSeconds, appToken: Array(signer.token.utf8),
      current: SigningPolicy.Secret(key: try HMACKey(signer.secret), goodUntil: nil), previous: nil)
    let content = SignedContent(method: try value("method"), target: try value("path and query"), body: body)
    #expect(policy.judge(header, content, now: Timestamp(microseconds: seconds * 1_000_000)) == nil)
  }
}
