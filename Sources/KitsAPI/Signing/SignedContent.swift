internal import Crypto
internal import HTTPServer

/// What a signature covers of a request: all of it but the headers.
struct SignedContent: Sendable, Equatable {
  let method: String
  /// Path and query, byte for byte as they stood in the request line.
  let target: String
  /// SHA-256 of the body as it was received; of nothing when there is none.
  let bodyHash: [UInt8]

  init(method: String, target: String, body: [UInt8]) {
    self.method = method
    self.target = target
    bodyHash = SHA256.hash(body)
  }

  init(_ request: Request) {
    self.init(method: request.head.method.rawValue, target: request.head.rawTarget, body: request.body)
  }

  /// The bytes under the MAC: six fields, a line feed between two. None of them can hold a line feed (a target is of
  /// visible characters, the others of letters and digits), so no two requests have the same bytes.
  func message(appToken: [UInt8], window: Int64) -> [UInt8] {
    var bytes = Array(RequestSignature.version.utf8)
    for field in [
      appToken[...], Array("\(window)".utf8)[...], Array(method.utf8)[...], Array(target.utf8)[...],
      Array(Hex.encode(bodyHash).utf8)[...],
    ] {
      bytes.append(UInt8(ascii: "\n"))
      bytes += field
    }
    return bytes
  }
}
