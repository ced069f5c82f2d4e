internal import Crypto
import Glibc
internal import HTTPServer
internal import KitsAPI
internal import KitsStore
internal import Postgres

/// The API on its address.
enum APIServer {
  /// Threads that wait for sockets; more than a few only help machines with many cores.
  static let mostThreads = 4

  static func make(
    _ config: Config, pool: ConnectionPool, ring: KeyRing, _ telemetry: Telemetry,
    onMessageCreated: @escaping @Sendable () -> Void
  ) -> HTTPService {
    let api = API(
      access: AccessStore(pool: pool), audit: AuditStore(pool: pool), environments: EnvironmentStore(pool: pool),
      installations: InstallationStore(pool: pool), messages: MessageStore(pool: pool),
      circuits: CircuitStore(pool: pool), identities: IdentityStore(pool: pool), users: UserStore(pool: pool),
      segments: SegmentStore(pool: pool), reports: ReportStore(pool: pool), signing: SigningStore(pool: pool),
      events: EventStore(pool: pool), webhooks: WebhookStore(pool: pool), rates: config.rates, keys: ring,
      publicURL: config.api.publicURL.description, allowsPrivateWebhooks: config.webhooks.allowsPrivate,
      now: { Int64(Timestamp.now().milliseconds) },
      onMessageCreated: onMessageCreated, observe: telemetry.apiObserver(APIMetrics(telemetry.metrics)))
    return HTTPService(
      name: "api", listen: config.api.listen, limits: ServerLimits(), threads: threads,
      // The other half of the time is for what is being delivered.
      drain: config.drain / 2, router: Router(api.routes) { api.fault($0, requestID: $1) }, telemetry: telemetry)
  }

  private static var threads: Int { min(mostThreads, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
