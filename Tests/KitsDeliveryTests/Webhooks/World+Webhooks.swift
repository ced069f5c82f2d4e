import FoundationEssentials
import KitsCore
import KitsStore
import Postgres

extension World {
  var webhooks: WebhookStore { WebhookStore(pool: pool) }

  /// The sending half of a node.
  func sender(_ owner: Int64 = 1, lease: Int32 = 60) -> WebhookWorkStore {
    WebhookWorkStore(pool: pool, owner: owner, leaseSeconds: lease)
  }

  @discardableResult
  func webhook(_ types: [EventType] = EventType.allCases, enabled: Bool = true) async throws -> WebhookID {
    let id = WebhookID(UUID())
    let definition = WebhookDefinition(
      url: "https://hooks.example.com/", types: types, description: nil, isEnabled: enabled, app: nil)
    let answer = try await webhooks.create(
      NewWebhook(
        id: id, environment: app.environment, createdBy: ServerKeyID(UUID()), definition: definition,
        secret: SealedWebhookSecret(sealedUnder: "a", sealed: [1])), call: .commandLine(.webhookCreated),
      deadline: .now + .seconds(20))
    guard case .created = answer else { throw Surprise("\(answer)") }
    return id
  }

  /// The whole feed, numbered.
  func feed() async throws -> [FeedEvent] {
    while try await sender().numberEvents(limit: 1_000) > 0 {}
    let selection = EventSelection(environment: app.environment, app: nil, types: EventType.allCases, after: 0)
    return try await webhooks.events(selection, limit: 10_000, deadline: .now + .seconds(20))
  }

  func expireWebhookLeases() async throws {
    try await pool.script("UPDATE webhook SET lease_until = '-infinity', not_before = '-infinity'")
  }

  /// Makes due what waits for its time, and leaves alone what waits for another event.
  func hastenWebhooks() async throws {
    try await pool.script("UPDATE webhook_delivery SET not_before = now() WHERE not_before < 'infinity'")
  }
}

extension WebhookTurn {
  /// The whole batch with one verdict.
  init(
    _ claim: WebhookClaim, _ batch: WebhookBatch, isGone: Bool = false,
    _ verdict: (WebhookTask) -> WebhookResult.Verdict
  ) {
    self.init(
      claim: claim,
      results: batch.tasks.map { WebhookResult($0, verdict($0), status: 500, problem: "the answer was 500") },
      upTo: batch.upTo, isGone: isGone, pauseMilliseconds: 0)
  }
}
