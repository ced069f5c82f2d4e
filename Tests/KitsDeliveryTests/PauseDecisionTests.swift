import APNs
import KitsCore
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("What a pause makes of answers and members is pure")
struct PauseDecisionTests {
  private static func device(_ environment: APNsEnvironment = .production, isPaused: Bool = false) -> Recipient.Device {
    Recipient.Device(
      platform: .ios, apnsEnvironment: environment, pushToken: "aa", tokenState: .active, ownsToken: true,
      permission: .authorized, pushPreference: true, bindingNumber: 1, language: .undetermined, isPaused: isPaused)
  }

  private static func recipient(_ index: Int32, _ device: Recipient.Device) -> Recipient {
    Recipient(
      index: index, number: InstallationNumber(Int64(index) + 1), device: device, plannedBinding: nil, outcome: .none)
  }

  private static let message = DispatchableMessage(
    app: AppNumber(1), number: MessageNumber(2), payloads: RenderedPayloads(base: [1], localized: []), kind: .alert,
    priority: .high, ttlSeconds: 60, expiresAt: Timestamp(microseconds: 0), collapseID: nil, onUnknown: .resend,
    bundleID: "b",
    key: SealedAPNsKey(teamID: "T", keyID: "K", fingerprint: [], sealedUnder: "a", sealedPrivateKey: []))

  private static func plan(_ recipients: [Recipient], prior: Int32 = 0) -> WindowPlan {
    let lease = ChunkLease(app: AppNumber(1), message: MessageNumber(2), chunk: 3, owner: 4, epoch: 5)
    return WindowPlan(
      ChunkWindow(lease: lease, from: 0, priorAttemptedTo: prior, recipients: recipients), of: message)
  }

  private static func rejected(_ status: Int, _ reason: APNsReason) -> SendOutcome {
    .rejected(APNsRejection(status: status, reason: reason))
  }

  @Test("A member whose environment is paused waits as a retry of that environment, and is not sent")
  func held() {
    let sandbox = Self.device(.sandbox, isPaused: true)
    let plan = Self.plan([Self.recipient(0, Self.device()), Self.recipient(1, sandbox)])
    #expect(plan.sends.map(\.place) == [0] && plan.outcomes == [0, OutcomeCode.inRetry.byte])
    #expect(
      plan.held == [
        WindowAck.Retry(
          index: 1, environment: .sandbox, status: 0, reason: "paused",
          delayMilliseconds: RetryPolicy.parkedMilliseconds)
      ])
    // It may have been sent by an earlier owner: that stays known.
    #expect(Self.plan([Self.recipient(0, sandbox)], prior: 1).held.map(\.reason) == ["unknown"])
  }

  @Test("A retry whose app is paused is put aside; one whose message has ended ends all the same")
  func retries() {
    func retry(_ state: MessageState, isExpired: Bool = false) -> ClaimedRetry {
      ClaimedRetry(
        address: DeliveryAddress(app: AppNumber(1), message: MessageNumber(2), chunk: 0, index: 0), epoch: 1,
        attempts: 2, wasAttempting: false, wasResent: false, lastReason: "x", messageState: state, isExpired: isExpired,
        recipient: Self.recipient(0, Self.device(isPaused: true)))
    }
    #expect(RetryDecision.decide(retry(.sending), onUnknown: .resend, hasKey: true) == .hold(.production))
    #expect(RetryDecision.decide(retry(.canceled), onUnknown: .resend, hasKey: true) == .end(.canceled))
    let expired = retry(.sending, isExpired: true)
    #expect(RetryDecision.decide(expired, onUnknown: .resend, hasKey: true) == .end(.expired))
  }

  @Test("A proven token that is refused while the app is paused keeps its delivery pending and is marked")
  func kept() {
    let refusal = Self.rejected(400, .badDeviceToken)
    let verdict = Verdict.of(refusal, onUnknown: .resend, isKept: true)
    #expect(verdict == .kept(status: 400, reason: "BadDeviceToken"))
    #expect(verdict.mark?.state == .suspect)
    #expect(Verdict.of(refusal, onUnknown: .resend, isKept: false) == Verdict.of(refusal, onUnknown: .resend))
    let dead = Self.rejected(410, .unregistered)
    #expect(Verdict.of(dead, onUnknown: .resend, isKept: true) == Verdict.of(dead, onUnknown: .resend))
    #expect(Verdict.of(.accepted, onUnknown: .resend, isKept: true) == .accepted)
  }

  @Test("Answers are told apart by environment and by what they say of the credential")
  func answers() {
    let plan = Self.plan((0..<7).map { Self.recipient($0, Self.device($0 == 6 ? .sandbox : .production)) })
    let outcomes: [SendOutcome] = [
      .accepted, Self.rejected(403, .invalidProviderToken), Self.rejected(403, .expiredProviderToken),
      Self.rejected(400, .badDeviceToken), Self.rejected(410, .unregistered), .unknown(.silence),
      Self.rejected(403, .badEnvironmentKeyInToken),
    ]
    let production = CircuitAnswers(plan.sends, outcomes, in: .production)
    #expect(production.accepted == 1 && production.expiredTokens == 1 && production.hasRefusals)
    #expect(production.credentialReasons == [.invalidProviderToken])
    #expect(production.suspects == [CircuitSuspect(installation: InstallationNumber(4), token: "aa")])
    #expect(CircuitAnswers(plan.sends, outcomes, in: .sandbox).credentialReasons == [.badEnvironmentKeyInToken])
    #expect(!CircuitAnswers(plan.sends, [.accepted, .unknown(.silence)], in: .production).hasRefusals)
  }
}
