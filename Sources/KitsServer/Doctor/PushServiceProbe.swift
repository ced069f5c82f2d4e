internal import APNs
internal import Crypto
internal import HTTPClient
internal import JSON
internal import KitsCore

/// Asks APNs to push to a device that doesn't exist. It checks the credential and the topic before the device token, so
/// `BadDeviceToken` proves that key, team, topic and environment are good; nothing reaches anybody.
struct PushServiceProbe: Sendable {
  enum Answer: Sendable, Equatable {
    case rejected(status: Int, reason: APNsReason, date: Int64?)
    case accepted
    case unreachable(String)

    var date: Int64? {
      if case .rejected(_, _, let date) = self { return date }
      return nil
    }

    /// The key is good, for the other environment.
    var isOtherEnvironment: Bool {
      if case .rejected(_, let reason, _) = self {
        return reason == .badEnvironmentKeyIDInToken || reason == .badEnvironmentKeyInToken
      }
      return false
    }
  }

  private let http: SimpleHTTP
  private let production: String
  private let sandbox: String
  private static let deviceToken = String(repeating: "0", count: 64)
  private static let answerLimit = 65_536

  init(_ apns: Config.APNs) throws(HTTPClientError) {
    let client = try apns.client()
    var tls = TLSOptions(pins: client.pins)
    if let file = client.caFile { tls.anchors = try TrustAnchors(file: file) }
    http = SimpleHTTP(timeout: .seconds(15), bodyLimit: Self.answerLimit, tls: tls)
    production = client.productionURL
    sandbox = client.sandboxURL
  }

  /// - Parameter now: of the database, which dates provider tokens. The token is used for this request alone.
  func ask(
    topic: String, teamID: String, keyID: String, key: P256PrivateKey, environment: APNsEnvironment,
    now: KitsCore.Timestamp
  ) async -> Answer {
    do {
      let token = try ProviderToken.mint(teamID: teamID, keyID: keyID, issuedAt: now.seconds, key: key)
      let origin = environment == .sandbox ? sandbox : production
      let answer = try await http.send(
        "POST", "\(origin)/3/device/\(Self.deviceToken)",
        headers: [
          ("authorization", "bearer \(token.jwt)"), ("apns-topic", topic), ("apns-push-type", "alert"),
          ("apns-priority", "5"), ("apns-expiration", "0"), ("content-type", "application/json"),
        ],
        body: Array(#"{"aps":{"alert":"kits doctor"}}"#.utf8))
      return Self.read(answer)
    } catch {
      return .unreachable("\(error)")
    }
  }

  private static func read(_ answer: SimpleResponse) -> Answer {
    if answer.status == 200 { return .accepted }
    // Whatever the body is, the status counts.
    let reason = (try? JSON.parse(answer.body, maxDepth: 8))?.object?["reason"]?.string
    return .rejected(
      status: answer.status, reason: reason.map { APNsReason($0) } ?? .none,
      date: answer.header("date").flatMap(HTTPDate.seconds))
  }
}
