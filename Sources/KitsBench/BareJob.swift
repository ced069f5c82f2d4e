/// What the bare loop has to send: as much, as wide, and with the same fields as the server.
struct BareJob: Sendable {
  let port: Int
  let certificateFile: String
  let payload: [UInt8]
  let threads: Int
  let connections: Int
  let window = 100
  let count: Int

  /// The address, then the header lines; tokens and ids are filled in each time.
  var lines: [String] {
    [
      "https://localhost:\(port)/3/device/\(HexField.emptyToken)",
      "accept:",
      "authorization: bearer \(String(repeating: "x", count: Self.credentialLength))",
      "apns-id: \(HexField.emptyUUID)",
      "apns-topic: \(Stage.bundleID)",
      "apns-push-type: alert",
      "apns-priority: 10",
      "apns-expiration: 1750000000",
      "apns-collapse-id: \(HexField.emptyUUID)",
      "content-type: application/json",
    ]
  }

  /// Of an ES256 JWT with a key id, a team id and a time.
  private static let credentialLength = 189
}
