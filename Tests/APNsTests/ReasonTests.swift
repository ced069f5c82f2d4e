import APNs
import Testing

@Suite("Reasons and their classes")
struct ReasonTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let status: Int
    let reason: String
    let expected: ReasonClass
    var testDescription: String { "\(status) \(reason)" }
  }

  static let rows: [Row] =
    [
      "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DuplicateHeaders",
      "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "TopicDisallowed",
    ].map { Row(status: 400, reason: $0, expected: .permanentRequest) }
    + ["BadDeviceToken", "DeviceTokenNotForTopic"].map { Row(status: 400, reason: $0, expected: .tokenSuspect) }
    + [
      "InvalidProviderToken", "MissingProviderToken", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken",
      "BadCertificate", "BadCertificateEnvironment",
    ].map { Row(status: 403, reason: $0, expected: .credential) }
    + ["Unregistered", "ExpiredToken"].map { Row(status: 410, reason: $0, expected: .tokenDead) }
    + [
      Row(status: 400, reason: "IdleTimeout", expected: .connection),
      Row(status: 403, reason: "ExpiredProviderToken", expected: .connection),
      Row(status: 403, reason: "UnrelatedKeyIdInToken", expected: .connection),
      Row(status: 403, reason: "Forbidden", expected: .permanentRequest),
      Row(status: 404, reason: "BadPath", expected: .permanentRequest),
      Row(status: 405, reason: "MethodNotAllowed", expected: .permanentRequest),
      Row(status: 413, reason: "PayloadTooLarge", expected: .permanentRequest),
      Row(status: 429, reason: "TooManyRequests", expected: .retryLater),
      Row(status: 429, reason: "TooManyProviderTokenUpdates", expected: .connection),
      Row(status: 500, reason: "InternalServerError", expected: .retryLater),
      Row(status: 503, reason: "ServiceUnavailable", expected: .retryLater),
      Row(status: 503, reason: "Shutdown", expected: .connection),
    ]

  @Test("every documented reason has its class", arguments: rows)
  func known(_ row: Row) {
    #expect(APNsReason.classify(status: row.status, reason: APNsReason(row.reason)) == row.expected)
  }

  @Test("the table has a row for every reason we name")
  func complete() { #expect(Self.rows.count == 33) }

  @Test(
    "of an unknown reason the status decides",
    arguments: [
      (400, ReasonClass.permanentRequest), (403, .credential), (404, .permanentRequest), (410, .tokenDead),
      (413, .permanentRequest), (429, .retryLater), (500, .retryLater), (502, .retryLater), (503, .retryLater),
      (302, .retryLater), (204, .retryLater),
    ])
  func unknown(_ status: Int, _ expected: ReasonClass) {
    #expect(APNsReason.classify(status: status, reason: APNsReason("Novelty")) == expected)
    #expect(APNsReason.classify(status: status, reason: .none) == expected)
  }

  @Test("a reason is bounded and clean, and otherwise kept")
  func bounded() {
    #expect(APNsReason("NewReason").text == "NewReason")
    #expect(APNsReason("Bad\r\n\u{7}Thing é").text == "BadThing")
    #expect(APNsReason(String(repeating: "x", count: 500)).text.utf8.count == 64)
  }
}
