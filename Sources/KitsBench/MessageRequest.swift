import Foundation

/// The bytes of `POST /v1/messages` to one device; each use gets a device of its own.
struct MessageRequest {
  let bytes: [UInt8]
  private let place: Int

  init(_ stage: Stage, _ app: Stage.AppKeys) {
    let body = MessageCalls.body(app, target: #"{"installation_ids":["\#(HexField.emptyUUID)"]}"#)
    let head = [
      "POST /v1/messages HTTP/1.1", "Host: 127.0.0.1:\(stage.apiPort)", MessageCalls.authorization(stage),
      "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
    ].joined(separator: "\r\n")
    let text = head + "\r\n\r\n" + body
    bytes = Array(text.utf8)
    place = text.utf8.count - (text.range(of: HexField.emptyUUID).map { text[$0.lowerBound...].utf8.count } ?? 0)
  }

  func renew(_ copy: UnsafeMutablePointer<UInt8>, device id: String) {
    for (index, byte) in id.utf8.prefix(36).enumerated() { copy[place + index] = byte }
  }
}
