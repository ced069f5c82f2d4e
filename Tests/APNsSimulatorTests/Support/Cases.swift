@testable import APNsSimulator

/// What the provider API documents, one deviation at a time, with the limits at their edges.
extension Case {
  static let routes: [Case] = [
    Case("GET", .methodNotAllowed) { $0.route("GET", "/3/device/" + Push.device) },
    Case("PUT", .methodNotAllowed) { $0.route("PUT", "/3/device/" + Push.device) },
    Case("another path", .badPath) { $0.route("POST", "/4/device/" + Push.device) },
    Case("one more segment", .badPath) { $0.route("POST", "/3/device/" + Push.device + "/x") },
    Case("a query", .badPath) { $0.route("POST", "/3/device/" + Push.device + "?x=1") },
    Case("the root", .badPath) { $0.route("POST", "/") },
    Case("no token in the path", .missingDeviceToken) { $0.route("POST", "/3/device/") },
    Case("no token and no slash", .missingDeviceToken) { $0.route("POST", "/3/device") },
  ]

  static let devices: [Case] = [
    Case("a token that isn't hex", .badDeviceToken) { $0.to("zz" + Push.device) },
    Case("a token of odd length", .badDeviceToken) { $0.to("a" + Push.device) },
    Case("a token of 202 characters", .badDeviceToken) { $0.to(String(repeating: "ab", count: 101)) },
    Case("a token of 200 characters", nil) { $0.to(String(repeating: "ab", count: 100)) },
    Case("a token in upper case", nil) { $0.to(Push.device.uppercased()) },
    Case("the all-zero token", .badDeviceToken) { $0.to(String(repeating: "0", count: 64)) },
  ]

  static let headers: [Case] = [
    Case("nothing special", nil) { $0 },
    Case("a repeated header", .duplicateHeaders) { $0.with("apns-priority", "5", "5") },
    Case("an upper-case apns-id", .badMessageID) { $0.with("apns-id", "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA") },
    Case("an apns-id without hyphens", .badMessageID) { $0.with("apns-id", String(repeating: "a", count: 32)) },
    Case("an apns-id", nil) { $0.with("apns-id", "0f8fad5b-d9cb-469f-a165-70867728950e") },
    Case("a collapse id of 64 bytes", nil) { $0.with("apns-collapse-id", String(repeating: "x", count: 64)) },
    Case("a collapse id of 65 bytes", .badCollapseID) {
      $0.with("apns-collapse-id", String(repeating: "x", count: 65))
    },
    Case("a collapse id of 63 characters and 65 bytes", .badCollapseID) {
      $0.with("apns-collapse-id", String(repeating: "x", count: 61) + "éé")
    },
    Case("priority 10", nil) { $0.with("apns-priority", "10") },
    Case("priority 5", nil) { $0.with("apns-priority", "5") },
    Case("priority 1", nil) { $0.with("apns-priority", "1") },
    Case("priority 0", .badPriority) { $0.with("apns-priority", "0") },
    Case("priority high", .badPriority) { $0.with("apns-priority", "high") },
    Case("expiration 0", nil) { $0.with("apns-expiration", "0") },
    Case("an expiration in 2030", nil) { $0.with("apns-expiration", "1893456000") },
    Case("a negative expiration", .badExpirationDate) { $0.with("apns-expiration", "-1") },
    Case("an expiration in words", .badExpirationDate) { $0.with("apns-expiration", "tomorrow") },
    Case("an unknown push type", .invalidPushType) { $0.with("apns-push-type", "banner") },
    Case("no push type", nil) { $0.with("apns-push-type") },
  ]

  static let topics: [Case] = [
    Case("no topic", .missingTopic) { $0.with("apns-topic") },
    Case("a topic with a space", .badTopic) { $0.with("apns-topic", "com.example app") },
    Case("a topic with an empty part", .badTopic) { $0.with("apns-topic", "com..app") },
    Case("a topic of 256 bytes", .badTopic) { $0.with("apns-topic", String(repeating: "a", count: 256)) },
    Case("alert to a voip topic", .topicDisallowed) { $0.with("apns-topic", "com.example.app.voip") },
    Case("voip to a plain topic", .topicDisallowed) { $0.with("apns-push-type", "voip") },
    Case("voip", nil) { $0.with("apns-push-type", "voip").with("apns-topic", "com.example.app.voip") },
    Case("a live activity", nil) {
      $0.with("apns-push-type", "liveactivity").with("apns-topic", "com.example.app.push-type.liveactivity")
    },
    Case("a live activity with priority 1", .badPriority) {
      $0.with("apns-push-type", "liveactivity").with("apns-topic", "com.example.app.push-type.liveactivity")
        .with("apns-priority", "1")
    },
    Case("mdm to any topic", nil) {
      $0.with("apns-push-type", "mdm").with("apns-topic", "com.apple.mgmt.External.1").body("{\"mdm\":\"x\"}")
    },
  ]

  static let payloads: [Case] = [
    Case("no payload", .payloadEmpty) { $0.body("") },
    Case("a payload that isn't JSON", .badRequestPayload) { $0.body("aps") },
    Case("an array", .badRequestPayload) { $0.body("[]") },
    Case("no aps", .badRequestPayload) { $0.body("{\"data\":1}") },
    Case("aps as a string", .badRequestPayload) { $0.body("{\"aps\":\"x\"}") },
    Case("4096 bytes", nil) { $0.body(sized(4_096)) },
    Case("4097 bytes", .payloadTooLarge) { $0.body(sized(4_097)) },
    Case("100000 bytes", .payloadTooLarge) { $0.body(sized(100_000)) },
    Case("voip, 5120 bytes", nil) { voip($0, 5_120) },
    Case("voip, 5121 bytes", .payloadTooLarge) { voip($0, 5_121) },
    Case("background", nil) { background($0, "{\"aps\":{\"content-available\":1}}") },
    Case("background with priority 10", .badPriority) {
      background($0, "{\"aps\":{\"content-available\":1}}").with("apns-priority", "10")
    },
    Case("background without priority", .badPriority) {
      background($0, "{\"aps\":{\"content-available\":1}}").with("apns-priority")
    },
    Case("background with an alert", .invalidPushType) {
      background($0, "{\"aps\":{\"content-available\":1,\"alert\":\"x\"}}")
    },
    Case("background without content-available", .invalidPushType) { background($0, "{\"aps\":{}}") },
  ]

  private static func sized(_ bytes: Int) -> String {
    let frame = "{\"aps\":{},\"x\":\"\"}"
    return "{\"aps\":{},\"x\":\"" + String(repeating: "y", count: bytes - frame.utf8.count) + "\"}"
  }

  private static func voip(_ push: Push, _ bytes: Int) -> Push {
    push.with("apns-push-type", "voip").with("apns-topic", "com.example.app.voip").body(sized(bytes))
  }

  private static func background(_ push: Push, _ body: String) -> Push {
    push.with("apns-push-type", "background").with("apns-priority", "5").body(body)
  }
}
