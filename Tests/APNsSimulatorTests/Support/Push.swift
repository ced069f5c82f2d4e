import Foundation

@testable import APNsSimulator

/// One request as a test describes it, good unless it says otherwise.
struct Push: Sendable {
  static let device = String(repeating: "a1", count: 32)
  static let alert = "{\"aps\":{\"alert\":\"Hello\"}}"

  var method = "POST"
  var path = "/3/device/" + device
  var authority = "localhost"
  /// In order; a name may repeat.
  var headers: [(name: String, value: String)] = []
  var body = alert

  init(token: String? = nil, topic: String? = "com.example.app", type: String? = "alert") {
    if let token { headers.append(("authorization", "bearer " + token)) }
    if let topic { headers.append(("apns-topic", topic)) }
    if let type { headers.append(("apns-push-type", type)) }
  }

  /// The same with other values for a header; none removes it.
  func with(_ name: String, _ values: String...) -> Push {
    var copy = self
    copy.headers.removeAll { $0.name == name }
    copy.headers += values.map { (name, $0) }
    return copy
  }

  func to(_ device: String) -> Push {
    var copy = self
    copy.path = "/3/device/" + device
    return copy
  }

  func body(_ text: String) -> Push {
    var copy = self
    copy.body = text
    return copy
  }

  func route(_ method: String, _ path: String) -> Push {
    var copy = self
    copy.method = method
    copy.path = path
    return copy
  }

  /// As the engine hands it to the validator.
  var request: PushRequest {
    var request = PushRequest()
    request.method = method
    request.path = path
    request.authority = authority
    request.headers = headers.map { PushRequest.Header(name: $0.name, value: $0.value) }
    request.body = Array(body.utf8)
    request.bodyLength = body.utf8.count
    return request
  }
}
