package import Crypto
package import HTTPServer
package import KitsStore

/// The HTTP API: which routes there are, and how a fault of HTTP itself is answered.
package struct API: Sendable {
  private let surroundings: Surroundings

  /// - Parameters:
  ///   - publicURL: how clients reach this server from outside, without a slash at the end.
  ///   - now: milliseconds since 1970, for ids; what has to agree between nodes takes the database's time.
  ///   - rates: what one credential may send to this node.
  ///   - onMessageCreated: tells the delivery half of this process that there is work, so that it need not poll for it.
  package init(
    access: AccessStore, audit: AuditStore, environments: EnvironmentStore, installations: InstallationStore,
    messages: MessageStore, circuits: CircuitStore, identities: IdentityStore, users: UserStore,
    segments: SegmentStore, signing: SigningStore, rates: RateLimits = .none, keys: KeyRing, publicURL: String,
    now: @escaping @Sendable () -> Int64,
    onMessageCreated: @escaping @Sendable () -> Void = {},
    observe: @escaping @Sendable (APIEvent) -> Void = { _ in }
  ) {
    surroundings = Surroundings(
      access: access, audit: audit, environments: environments, installations: installations, messages: messages,
      circuits: circuits, identities: identities, users: users, segments: segments, signing: signing,
      policies: SigningPolicies(signing, SigningSecretOpener(ring: keys)), rates: rates, keys: keys,
      publicURL: publicURL, now: now, onMessageCreated: onMessageCreated, observe: observe)
  }

  /// Every route, one Handlers type per noun, behind what every request has to pass.
  package var routes: [Route] {
    let routes =
      ConfigHandlers(surroundings).routes + InstallationHandlers(surroundings).routes
      + MessageHandlers(surroundings).routes + AppHandlers(surroundings).routes
      + IdentityHandlers(surroundings).routes + LegacyProofHandlers(surroundings).routes
      + UserHandlers(surroundings).routes + SegmentHandlers(surroundings).routes
      + EnvironmentHandlers(surroundings).routes + IdentityKeyHandlers(surroundings).routes
      + SigningHandlers(surroundings).routes + SessionHandlers(surroundings).routes
      + TagHandlers(surroundings).routes + TestDeviceHandlers(surroundings).routes
    let admission = surroundings.admission
    return routes.map(admission.guarding)
  }

  /// Signing policies that another one than this node's API changed count at once, not within five seconds.
  package func forgetSigning() {
    surroundings.policies.forget()
  }

  /// The answer to what the HTTP server has against a request.
  package func fault(_ fault: HTTPFault, requestID: String) -> Response {
    surroundings.answers.problem(Problem(fault), requestID: requestID)
  }
}
