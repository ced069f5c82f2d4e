import APNs
import KitsCore
import KitsStore

/// Sends notifications of one message to the hosts they belong to.
struct Sender: Sendable {
  let client: APNsClient
  let tokens: ProviderTokens
  let observe: @Sendable (DeliveryEvent) -> Void

  /// Outcomes in the order of `sends`. Without a usable key nothing is sent.
  func send(
    _ sends: [WindowPlan.Send], of message: DispatchableMessage, before deadline: BootInstant
  ) async throws -> [SendOutcome] {
    guard !sends.isEmpty, let key = message.key else { return [] }
    let token: ProviderTokenValue
    do {
      token = try await tokens.token(for: key)
    } catch {
      observe(
        .keyUnusable(app: message.app, teamID: key.teamID, keyID: key.keyID, problem: String(describing: error)))
      throw error
    }
    // Most windows have one host.
    var outcomes = [SendOutcome](repeating: .notSent(.stopped), count: sends.count)
    for environment in APNsEnvironment.allCases {
      let places = sends.indices.filter { sends[$0].environment == environment }
      guard !places.isEmpty else { continue }
      let results = await client.send(
        places.map { sends[$0].notification },
        pool: APNsPoolKey(teamID: key.teamID, keyID: key.keyID, environment: environment),
        token: token, leaseDeadline: deadline)
      for (place, result) in zip(places, results) { outcomes[place] = result }
    }
    return outcomes
  }
}
