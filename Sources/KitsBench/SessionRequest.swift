import Foundation

/// The bytes of `POST /v1/installations/{id}/sessions`; each use reports a new session of an installation.
struct SessionRequest {
  let bytes: [UInt8]
  private let id: Int
  private let token: Int
  private let session: Int
  private let number: Int

  private static let emptyID = "11111111-1111-4111-a111-111111111111"
  private static let emptySession = "33333333-3333-4333-a333-333333333333"
  /// So that all numbers have as many digits.
  static let firstNumber = 1_000_000_000

  /// - Parameter tokenLength: of every device token.
  init(tokenLength: Int, port: Int, startedAt: String) {
    let emptyToken = String(repeating: "t", count: tokenLength)
    let body =
      #"{"session_id":"\#(Self.emptySession)","number":\#(Self.firstNumber),"started_at":"\#(startedAt)","#
      + #""foreground_seconds":\#(SessionScript.seconds)}"#
    let text = """
      POST /v1/installations/\(Self.emptyID)/sessions HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Authorization: Bearer \(emptyToken)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
    let bytes = Array(text.utf8)
    func place(of part: String) -> Int {
      let part = Array(part.utf8)
      return (0...(bytes.count - part.count)).first { bytes[$0..<$0 + part.count].elementsEqual(part) } ?? 0
    }
    self.bytes = bytes
    id = place(of: Self.emptyID)
    token = place(of: emptyToken)
    session = place(of: Self.emptySession)
    number = place(of: "\(Self.firstNumber)")
  }

  func renew(
    _ copy: UnsafeMutablePointer<UInt8>, _ device: LoginRequest.Device, number value: Int, _ random: inout SplitMix
  ) {
    let digits = Array("\(Self.firstNumber + value)".utf8)
    for (start, text) in [(id, device.id), (token, device.token), (number, digits)] {
      (copy + start).update(from: text, count: text.count)
    }
    HexField.fillUUID(copy + session, &random)
  }
}
