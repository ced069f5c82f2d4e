import APNs
import KitsCore
import KitsStore

/// Sends notifications to the hosts they belong to, each under the key of its app.
struct Sender: Sendable {
  let client: APNsClient
  let tokens: ProviderTokens
  let observe: @Sendable (DeliveryEvent) -> Void

  typealias Item = (send: WindowPlan.Send, message: DispatchableMessage)

  private struct Route {
    let pool: APNsPoolKey
    let token: ProviderTokenValue
    var places: [Int] = []
  }

  /// The same for one message, whose recipients nearly always go to one host.
  func send(
    _ sends: [WindowPlan.Send], of message: DispatchableMessage, before deadline: BootInstant
  ) async throws -> [SendOutcome] {
    guard let key = message.key, let environment = sends.first?.environment,
      sends.allSatisfy({ $0.environment == environment })
    else { return try await send(sends.map { ($0, message) }, before: deadline) }
    let token = try await token(of: key, for: message.app)
    let outcomes = await client.send(
      sends.map(\.notification), pool: APNsPoolKey(teamID: key.teamID, keyID: key.keyID, environment: environment),
      token: token, leaseDeadline: deadline)
    if let outage = Outage(outcomes) { throw outage }
    return outcomes
  }

  /// Outcomes in the order of `items`. When it throws nothing at all was sent: a key can't be used, or there is an
  /// outage.
  func send(_ items: [Item], before deadline: BootInstant) async throws -> [SendOutcome] {
    let routes = try await routes(of: items)
    var outcomes = [SendOutcome](repeating: .notSent(.stopped), count: items.count)
    // Most windows have one key and one host.
    for route in routes {
      let results = await client.send(
        route.places.map { items[$0].send.notification }, pool: route.pool, token: route.token, leaseDeadline: deadline)
      for (place, result) in zip(route.places, results) { outcomes[place] = result }
    }
    if let outage = Outage(outcomes) { throw outage }
    return outcomes
  }

  private func routes(of items: [Item]) async throws -> [Route] {
    var routes: [APNsPoolKey: Route] = [:]
    for (place, item) in items.enumerated() {
      guard let key = item.message.key else { continue }
      let pool = APNsPoolKey(teamID: key.teamID, keyID: key.keyID, environment: item.send.environment)
      if routes[pool] == nil {
        routes[pool] = Route(pool: pool, token: try await token(of: key, for: item.message.app))
      }
      routes[pool]?.places.append(place)
    }
    return Array(routes.values)
  }

  private func token(of key: SealedAPNsKey, for app: AppNumber) async throws -> ProviderTokenValue {
    do {
      return try await tokens.token(for: key)
    } catch {
      observe(.keyUnusable(app: app, teamID: key.teamID, keyID: key.keyID, problem: String(describing: error)))
      throw error
    }
  }
}
