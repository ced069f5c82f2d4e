import APNs
import FoundationEssentials
import KitsCore
@testable import KitsStore
import Testing

@testable import KitsDelivery

@Suite("Decisions of the delivery half are pure")
struct DecisionTests {
  private static func device(
    platform: Platform = .ios, token: String? = "aa", state: TokenState = .active, owns: Bool = true,
    permission: Permission = .authorized, preference: Bool = true, binding: Int64 = 1
  ) -> Recipient.Device {
    Recipient.Device(
      platform: platform, apnsEnvironment: .production, pushToken: token, tokenState: state, ownsToken: owns,
      permission: permission, pushPreference: preference, bindingNumber: binding, language: .undetermined)
  }

  private static func recipient(
    _ device: Recipient.Device?, index: Int32 = 0, planned: Int64? = nil, outcome: OutcomeCode = .none
  ) -> Recipient {
    Recipient(
      index: index, number: InstallationNumber(Int64(index) + 1), device: device, plannedBinding: planned,
      outcome: outcome)
  }

  @Test(
    "What keeps a recipient from being sent to has a code of its own (K5)",
    arguments: [
      (recipient(nil), OutcomeCode.deleted),
      (recipient(device(binding: 2), planned: 1), .identityChanged),
      (recipient(device(platform: .android)), .noProvider),
      (recipient(device(token: nil)), .noToken),
      (recipient(device(state: .suspect)), .tokenInactive),
      (recipient(device(state: .unregistered)), .tokenInactive),
      (recipient(device(owns: false)), .tokenMoved),
      (recipient(device(permission: .denied)), .permissionDenied),
      (recipient(device(permission: .notDetermined)), .permissionDenied),
      (recipient(device(preference: false)), .optedOut),
    ])
  func suppressed(recipient: Recipient, code: OutcomeCode) {
    #expect(DispatchDecision.decide(recipient) == .suppress(code))
    #expect(code.outcomeClass == .suppressed)
  }

  @Test(
    "Unknown, provisional and ephemeral permissions are sent to",
    arguments: [Permission.unknown, .provisional, .ephemeral])
  func allowed(permission: Permission) {
    let device = Self.device(permission: permission)
    #expect(DispatchDecision.decide(Self.recipient(device, planned: 1)) == .send(token: "aa", device: device))
  }

  private func message(_ onUnknown: OnUnknown, key: Bool = true, collapse: String? = nil, ttl: Int32 = 60)
    -> DispatchableMessage
  {
    let sealed = SealedAPNsKey(teamID: "T", keyID: "K", fingerprint: [], sealedUnder: "a", sealedPrivateKey: [])
    return DispatchableMessage(
      app: AppNumber(1), number: MessageNumber(2),
      payloads: RenderedPayloads(base: [1], localized: [(language: "de", payload: [2])]), kind: .background,
      priority: .normal, ttlSeconds: ttl, expiresAt: Timestamp(microseconds: 1_700_000_000_999_999),
      collapseID: collapse, onUnknown: onUnknown, bundleID: "b", key: key ? sealed : nil)
  }

  private func window(_ recipients: [Recipient], prior: Int32) -> ChunkWindow {
    ChunkWindow(
      lease: ChunkLease(app: AppNumber(1), message: MessageNumber(2), chunk: 3, owner: 4, epoch: 5), from: 0,
      priorAttemptedTo: prior, recipients: recipients)
  }

  @Test("After a crash: known outcomes stay, the declared rest is unknown, what follows is a first send")
  func takeover() {
    let device = Self.device()
    let recipients = [
      Self.recipient(device, index: 0, outcome: .accepted), Self.recipient(device, index: 1),
      Self.recipient(device, index: 2),
    ]
    let resend = WindowPlan(window(recipients, prior: 2), of: message(.resend))
    #expect(resend.outcomes == [1, 0, 0] && resend.resent == [1] && resend.sends.map(\.place) == [1, 2])
    let skip = WindowPlan(window(recipients, prior: 2), of: message(.skip))
    #expect(skip.outcomes == [1, 18, 0] && skip.resent == [] && skip.sends.map(\.place) == [2])
  }

  @Test("An app without a provider key sends nothing and says so")
  func noKey() {
    let plan = WindowPlan(window([Self.recipient(Self.device())], prior: 0), of: message(.resend, key: false))
    #expect(plan.outcomes == [OutcomeCode.noProvider.byte] && plan.sends.isEmpty)
  }

  @Test("Every attempt of a delivery has the same apns-id, and no two deliveries share one")
  func apnsID() {
    var ids: Set<String> = []
    for message in [Int64(1), .max] {
      for chunk in [Int32(0), 1] {
        for index in [Int32(0), 1, 999] {
          let address = DeliveryAddress(
            app: AppNumber(1), message: MessageNumber(message), chunk: chunk, index: index)
          #expect(address.apnsID == address.apnsID)
          #expect(UUID(uuidString: address.apnsID)?.uuidString.lowercased() == address.apnsID)
          ids.insert(address.apnsID)
        }
      }
    }
    #expect(ids.count == 12)
  }

  @Test("Without a collapse id of the caller a delivery replaces itself; ttl 0 is sent as expiration 0")
  func notification() {
    let address = DeliveryAddress(app: AppNumber(1), message: MessageNumber(2), chunk: 0, index: 0)
    let own = message(.resend, ttl: 0).notification(
      to: "aa", InstallationNumber(1), device: Self.device(), address: address, marking: TestMarks.marker)
    #expect(own.collapseID == own.apnsID && own.expiration == 0 && own.priority == 5 && own.pushType == .background)
    let callers = message(.resend, collapse: "news").notification(
      to: "aa", InstallationNumber(1), device: Self.device(), address: address, marking: TestMarks.marker)
    #expect(callers.collapseID == "news" && callers.expiration == 1_700_000_000 && callers.payload == [1])
  }

  private static func rejected(_ status: Int, _ reason: String, at milliseconds: Int64? = nil) -> SendOutcome {
    .rejected(APNsRejection(status: status, reason: APNsReason(reason), timestampMilliseconds: milliseconds))
  }

  @Test(
    "Each answer of the push service has its consequence",
    arguments: [
      (SendOutcome.accepted, Verdict.accepted),
      (
        rejected(410, "Unregistered", at: 1_700_000_000_123),
        .failed(
          reason: "Unregistered", status: 410, token: .unregistered,
          confirmedAt: Timestamp(microseconds: 1_700_000_000_123_000))
      ),
      (
        rejected(410, "ExpiredToken", at: .max),
        .failed(reason: "ExpiredToken", status: 410, token: .unregistered, confirmedAt: nil)
      ),
      (
        rejected(400, "BadDeviceToken"),
        .failed(reason: "BadDeviceToken", status: 400, token: .suspect, confirmedAt: nil)
      ),
      (rejected(413, "PayloadTooLarge"), .failed(reason: "PayloadTooLarge", status: 413, token: nil, confirmedAt: nil)),
      (rejected(429, "TooManyRequests"), .retry(.throttled, status: 429, reason: "TooManyRequests")),
      (rejected(503, "ServiceUnavailable"), .retry(.serverFault, status: 503, reason: "ServiceUnavailable")),
      (rejected(403, "InvalidProviderToken"), .retry(.throttled, status: 403, reason: "InvalidProviderToken")),
      (rejected(503, "Shutdown"), .retry(.unreachable, status: 503, reason: "Shutdown")),
      (SendOutcome.notSent(.deadline), .retry(.unreachable, status: 0, reason: "not_sent")),
      (
        SendOutcome.notSent(.invalidRequest),
        .failed(reason: "InvalidRequest", status: 0, token: nil, confirmedAt: nil)
      ),
      (SendOutcome.unknown(.silence), .retry(.unreachable, status: 0, reason: "unknown")),
    ])
  func verdict(outcome: SendOutcome, verdict: Verdict) {
    #expect(Verdict.of(outcome, onUnknown: .resend) == verdict)
  }

  @Test("With on_unknown skip an unknown result is final")
  func skip() {
    #expect(Verdict.of(.unknown(.deadline), onUnknown: .skip) == .unknown)
  }

  @Test("Retries wait longer each time, within ±20 % and never beyond the longest", arguments: [0.0, 0.5, 0.999])
  func backoff(jitter: Double) {
    let policy = RetryPolicy()
    let delays = (1...40).map { policy.delaySeconds(after: Int32($0), cause: .serverFault, jitter: jitter) }
    #expect(delays[0] >= 900 * 0.8 && delays[0] <= 900 * 1.2)
    #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(delays.allSatisfy { $0 <= 3_600 * 1.2 })
    #expect(policy.delaySeconds(after: .max, cause: .unreachable, jitter: jitter).isFinite)
  }
}
