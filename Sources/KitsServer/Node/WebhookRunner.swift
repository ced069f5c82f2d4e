internal import Crypto
internal import HTTPClient
internal import KitsDelivery
internal import KitsStore
internal import Postgres

/// Telling customers' backends, as one service.
final class WebhookRunner: Service {
  let name = "webhooks"
  private let webhooks: WebhookService

  init(
    _ config: Config, pool: Postgres.ConnectionPool, ring: KeyRing, _ telemetry: Telemetry
  ) throws(CommandFailure) {
    var http = SimpleHTTP()
    do {
      http.tls = TLSOptions(anchors: try config.webhooks.trustAnchorsFile.map(TrustAnchors.init(file:)))
    } catch {
      throw CommandFailure(code: .configuration, message: "KITS_WEBHOOK_CA can't be used: \(error)")
    }
    if config.webhooks.allowsPrivate {
      telemetry.log(.warning, "webhooks_may_be_private", [("setting", .string(Variable.webhookAllowPrivate.name))])
    } else {
      http.schemes = .https
      http.addresses = .publicOnly
    }
    var configuration = WebhookConfiguration()
    configuration.leaseSeconds = Int32(config.delivery.leaseSeconds)
    configuration.retry = WebhookRetryPolicy(firstSeconds: Double(config.webhooks.retrySeconds))
    let store = WebhookWorkStore(
      pool: pool, owner: Int64.random(in: 1...Int64.max), leaseSeconds: configuration.leaseSeconds)
    webhooks = WebhookService(
      store: store, http: http, ring: ring, configuration: configuration,
      now: { Int64(Timestamp.now().milliseconds / 1_000) },
      observe: telemetry.webhookObserver(WebhookMetrics(telemetry.metrics)))
  }

  /// Something happened in this process.
  func wake() { webhooks.wake() }

  func run() async throws { await webhooks.run() }

  func stop() async { await webhooks.stop() }
}
