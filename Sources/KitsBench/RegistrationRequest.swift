import Foundation

/// The bytes of `POST /v1/installations`; each use gets a push token and an Idempotency-Key of its own.
struct RegistrationRequest {
  let bytes: [UInt8]
  private let token: Int
  private let key: Int

  /// What the devices say, apart from their push token.
  static let state =
    #""permission":"authorized","language":"de-DE","model":"iPhone16,2","app_version":"1.0.0","os_version":"18.1""#

  init(publicKey: String, port: Int) {
    let body = #"{"platform":"ios","push_token":"\#(HexField.emptyToken)",\#(Self.state)}"#
    let text = """
      POST /v1/installations HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      X-Kits-Public-Key: \(publicKey)\r
      Idempotency-Key: \(HexField.emptyUUID)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
    bytes = Array(text.utf8)
    token = Self.place(of: HexField.emptyToken, in: bytes)
    key = Self.place(of: HexField.emptyUUID, in: bytes)
  }

  func renew(_ copy: UnsafeMutablePointer<UInt8>, _ random: inout SplitMix) {
    HexField.fill(copy + token, 64, &random)
    HexField.fillUUID(copy + key, &random)
  }

  private static func place(of part: String, in bytes: [UInt8]) -> Int {
    let part = Array(part.utf8)
    return (0...(bytes.count - part.count)).first { bytes[$0..<$0 + part.count].elementsEqual(part) } ?? 0
  }
}
