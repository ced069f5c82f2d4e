internal import Crypto
internal import KitsStore

/// Everything that `kits serve` consists of, put together and started in order.
struct Node: Sendable {
  /// The halves of the server.
  enum Part: String, Sendable, CaseIterable {
    case api, delivery
  }

  private let telemetry: Telemetry
  private let readiness = Readiness()
  private let services: [any Service]
  private let database: DatabaseService
  private let drain: Duration
  /// How many services have started; written by the group, read by probes.
  private let started = Locked(0)

  init(_ config: Config, parts: [Part], _ telemetry: Telemetry) throws(CommandFailure) {
    self.telemetry = telemetry
    drain = config.drain
    ProcessMetrics.register(in: telemetry.metrics)
    let ring = try config.masterKeys.ring()
    let pools = DatabasePools(config.database, parts: parts, telemetry)
    let health = HealthStore(pool: pools.any)
    database = DatabaseService(pools: pools, health: health, keys: MasterKeyGuard(ring: ring), telemetry: telemetry)
    let admin = HTTPService(
      name: "admin", listen: config.admin.listen, limits: AdminRouter.limits, drain: AdminRouter.drain,
      router: AdminRouter.make(readiness, telemetry.metrics), telemetry: telemetry)
    // First in, last out: probes get an answer during the whole start and the whole drain, and whoever needs the
    // database stops before it. The API comes last, so that nothing arrives before there is someone to do it.
    var services: [any Service] = [admin, database]
    services.append(HealthService(health: health, telemetry: telemetry))
    var wake: @Sendable () -> Void = {}
    if parts.contains(.delivery) {
      let delivery = try DeliveryRunner(config, pool: pools.delivery, ring: ring, telemetry)
      let webhooks = try WebhookRunner(config, pool: pools.webhooks, ring: ring, telemetry)
      services += [webhooks, delivery] as [any Service]
      wake = {
        delivery.wake()
        webhooks.wake()
      }
    }
    if parts.contains(.api) {
      services.append(APIServer.make(config, pool: pools.api, ring: ring, telemetry, onMessageCreated: wake))
    }
    self.services = services
    registerChecks(health, MasterKeyGuard(ring: ring), MasterKeyStore(pool: pools.any))
  }

  /// Runs until a signal or a failure; throws the reason when it didn't end as it should.
  func run(until signals: AsyncStream<Int32>) async throws(CommandFailure) {
    let group = ServiceGroup(services: services, drain: drain) { [telemetry, readiness, started] event in
      if event.endsReadiness { readiness.drain() }
      if case .started = event { started.withLock { $0 += 1 } }
      telemetry.record(event)
    }
    let code = await group.run(until: signals)
    if code == .success { return }
    throw database.refusal ?? CommandFailure(code: code, message: "a service failed; the log says which")
  }

  private func registerChecks(_ health: HealthStore, _ keys: MasterKeyGuard, _ known: MasterKeyStore) {
    readiness.register("start") { [started, count = services.count] in
      started.withLock { $0 } == count ? nil : "still starting"
    }
    readiness.register("database") {
      do {
        switch try await health.standing() {
        // A newer schema is what a rolling upgrade looks like from here.
        case .current, .newer: return nil
        case .older(let version): return "schema \(version) is older than \(Schema.required)"
        }
      } catch {
        return "unreachable"
      }
    }
    readiness.register("master_keys") {
      do {
        guard case .fits = try await keys.look(in: known) else { return "not those of the database" }
        return nil
      } catch {
        return "unreachable"
      }
    }
    readiness.register("partitions") {
      do {
        return try await health.hasPartitions() ? nil : "a partition of today or tomorrow is missing"
      } catch {
        return "unreachable"
      }
    }
  }
}
