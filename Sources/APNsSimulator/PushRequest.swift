/// One request as it came off the wire, before anything about it is believed.
struct PushRequest: Sendable {
  /// Bytes of body that are kept. Anything longer than the largest legal payload is only counted.
  static let keptBody = 8_192

  struct Header: Sendable {
    let name: String
    let value: String
  }

  var method = ""
  var path = ""
  var authority = ""
  /// Regular headers in the order they came, repeated ones included: that they repeat is for the validator to judge.
  var headers: [Header] = []
  var body: [UInt8] = []
  /// All bytes of the body, also those beyond `keptBody`.
  var bodyLength = 0

  func value(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// The last path segment of `/3/device/<token>`; empty when the path is another one.
  var deviceToken: String {
    path.hasPrefix(Self.devicePath) ? String(path.dropFirst(Self.devicePath.count)).lowercased() : ""
  }

  static let devicePath = "/3/device/"
}
