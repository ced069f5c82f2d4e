import Foundation

/// The bytes of `POST /v1/installations/{id}/identity` in BASIC; each use is a login of a new user on an installation.
struct LoginRequest {
  let bytes: [UInt8]
  private let id: Int
  private let token: Int
  private let binding: Int
  private let operation: Int
  private let user: Int

  private static let emptyID = "11111111-1111-4111-a111-111111111111"
  private static let emptyBinding = "22222222-2222-4222-a222-222222222222"
  private static let emptyOperation = "33333333-3333-4333-a333-333333333333"
  private static let userDigits = 16

  /// An installation as a client knows it.
  struct Device {
    let id: [UInt8]
    let token: [UInt8]
    var binding: [UInt8]
    var logins = 0
  }

  /// - Parameter tokenLength: of every device token.
  init(tokenLength: Int, port: Int) {
    let emptyToken = String(repeating: "t", count: tokenLength)
    let emptyUser = String(repeating: "u", count: Self.userDigits)
    let body =
      #"{"expected_binding_id":"\#(Self.emptyBinding)","operation_id":"\#(Self.emptyOperation)","#
      + #""external_id":"user-\#(emptyUser)"}"#
    let text = """
      POST /v1/installations/\(Self.emptyID)/identity HTTP/1.1\r
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
    binding = place(of: Self.emptyBinding)
    operation = place(of: Self.emptyOperation)
    user = place(of: emptyUser)
  }

  func renew(_ copy: UnsafeMutablePointer<UInt8>, _ device: Device, _ random: inout SplitMix) {
    for (start, text) in [(id, device.id), (token, device.token), (binding, device.binding)] {
      (copy + start).update(from: text, count: text.count)
    }
    HexField.fillUUID(copy + operation, &random)
    HexField.fill(copy + user, Self.userDigits, &random)
  }
}
