package import HTTPClient
import KitsCore

/// Sends notifications. One pool of connections per key and environment, made when first used.
package final class APNsClient: Sendable {
  private struct Entry {
    let pool: ConnectionPool
    var lastUse: BootInstant
  }

  private let client: HTTP2Client
  private let production: Origin
  private let sandbox: Origin
  private let poolLimit: Int
  private let pools: Locked<[APNsPoolKey: Entry]>

  /// Throws when an address, the anchors or the system's resources are wrong.
  package init(
    _ configuration: APNsClientConfiguration, observe: @escaping @Sendable (APNsEvent) -> Void = { _ in }
  ) throws(HTTPClientError) {
    production = try Origin(configuration.productionURL)
    sandbox = try Origin(configuration.sandboxURL)
    poolLimit = max(1, configuration.poolLimit)
    client = try HTTP2Client(try configuration.http()) { observe(APNsEvent($0)) }
    pools = Locked([:])
  }

  /// Sends the batch and returns the outcomes in its order, when every one has ended. Each ends exactly once.
  ///
  /// Nothing is handed to the network at or after `leaseDeadline`. `token` becomes the one of the whole pool: what
  /// still waits with an earlier one goes out with this one, and no connection gets two new ones within 20 minutes.
  package func send(
    _ batch: [APNsNotification], pool key: APNsPoolKey, token: ProviderTokenValue, leaseDeadline: BootInstant
  ) async -> [SendOutcome] {
    let source = NotificationSource(notifications: batch)
    let outcomes = await pool(for: key).send(
      source, credential: token.jwt, handOverBefore: leaseDeadline.nanoseconds)
    return outcomes.map { SendOutcome($0) }
  }

  /// Closes the connections of a key that was revoked or replaced. A later send opens new ones.
  package func retire(_ key: APNsPoolKey) {
    pools.withLock { $0.removeValue(forKey: key) }?.pool.close()
  }

  /// Ends what waits as not sent, lets requests in flight end, and closes everything.
  package func stop() async { await client.stop() }

  private func pool(for key: APNsPoolKey) -> ConnectionPool {
    let (pool, evicted): (ConnectionPool, ConnectionPool?) = pools.withLock { pools in
      let now = BootInstant.now
      if let entry = pools[key] {
        pools[key]?.lastUse = now
        return (entry.pool, nil)
      }
      var evicted: ConnectionPool?
      if pools.count >= poolLimit, let oldest = pools.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
        evicted = pools.removeValue(forKey: oldest)?.pool
      }
      let pool = client.makePool(key.description, origin: key.environment == .sandbox ? sandbox : production)
      pools[key] = Entry(pool: pool, lastUse: now)
      return (pool, evicted)
    }
    evicted?.close()
    return pool
  }
}
