internal import APNs
internal import Crypto
internal import HTTPClient
internal import KitsAPI
internal import KitsCore
internal import KitsDelivery
internal import KitsStore
internal import Postgres

/// The delivery half and its connections to APNs as one service: they end together, the sending before the connections.
final class DeliveryRunner: Service {
  let name = "delivery"
  private let delivery: DeliveryService
  private let client: APNsClient
  /// How long windows under way may end by themselves once the service stops; afterwards what waits for a connection
  /// goes back unsent.
  private let grace: Duration
  /// The one stop of the client, whoever asked for it first.
  private let stopped = Locked<Task<Void, Never>?>(nil)

  init(
    _ config: Config, pool: Postgres.ConnectionPool, ring: KeyRing, _ telemetry: Telemetry
  ) throws(CommandFailure) {
    let metrics = APNsMetrics(telemetry.metrics)
    do {
      var connections = try config.apns.client()
      config.delivery.limit(&connections)
      client = try APNsClient(connections, observe: telemetry.apnsObserver(metrics))
    } catch {
      throw CommandFailure(code: .configuration, message: "the connection to APNs can't be set up: \(error)")
    }
    grace = min(config.drain / 4, .seconds(5))
    let owner = Int64.random(in: 1...Int64.max)
    var configuration = config.delivery.service()
    configuration.retentionRules = RetentionRules(
      days: Int64(config.retentionDays), auditDays: Int64(config.auditRetentionDays))
    let service = DeliveryService(
      store: DeliveryStore(pool: pool, owner: owner, leaseSeconds: Int32(config.delivery.leaseSeconds)),
      retentionStore: RetentionStore(pool: pool, owner: owner), client: client, ring: ring,
      configuration: configuration, compose: MessageComposer().compose,
      observe: telemetry.deliveryObserver(DeliveryMetrics(telemetry.metrics)))
    guard let service else {
      throw CommandFailure(code: .configuration, message: "the id of the minting key is too long")
    }
    delivery = service
  }

  /// A message was created in this process.
  func wake() {
    delivery.wake()
  }

  func run() async throws {
    await delivery.run()
    await stopClient()
  }

  func stop() async {
    await delivery.stop()
    Task {
      // Not cancelled by anybody: when everything ended earlier, this finds the client stopped.
      try? await Task.sleep(for: grace)
      await stopClient()
    }
  }

  private func stopClient() async {
    let task = stopped.withLock { task in
      let running = task ?? Task { [client] in await client.stop() }
      task = running
      return running
    }
    await task.value
  }
}

extension Config.APNs {
  func client() throws(HTTPClientError) -> APNsClientConfiguration {
    var client = APNsClientConfiguration()
    client.productionURL = productionURL.description
    client.sandboxURL = sandboxURL.description
    client.caFile = trustAnchorsFile
    client.loopThreads = loopThreads
    for host in pins {
      let values = host.digests.map { "sha256/" + Base64.encode($0) }
      client.pins.append(try HTTPClient.HostPins(mask: host.mask, pins: values))
    }
    return client
  }
}

extension Config.Delivery {
  private var marginSeconds: Int { min(5, max(1, leaseSeconds / 5)) }

  /// Answers have to be written before the lease ends. Otherwise one request without an answer would cost its whole
  /// window: the next owner of the chunk would send it again.
  func limit(_ client: inout APNsClientConfiguration) {
    let useful = leaseSeconds - marginSeconds
    client.requestDeadline = min(client.requestDeadline, .seconds(useful))
    client.silence = min(client.silence, .seconds(max(1, useful / 2)))
  }

  func service() -> DeliveryConfiguration {
    var service = DeliveryConfiguration()
    service.leaseSeconds = Int32(leaseSeconds)
    // A short lease still has to leave time for sending.
    service.leaseMarginSeconds = Int32(marginSeconds)
    service.retry.serverFaultSeconds = Double(retrySeconds)
    service.retry.throttledSeconds = min(service.retry.throttledSeconds, Double(retrySeconds))
    return service
  }
}
