import Crypto

/// The public half of a provider's signing key, as the developer account would know it.
struct ProviderKey: Sendable {
  let keyID: String
  let teamID: String
  let publicKey: P256PublicKey
  /// `nil`: an older key, good for both environments.
  var environment: PushEnvironment?
  /// Bundle ids of a topic-specific key. Empty: a team key, good for every topic of the team.
  var topics: Set<String> = []

  /// Whether both may be used on one connection: team keys with team keys, topic keys with keys for the same topics
  /// (the pair that exists while one of them is rotated out).
  func isRelated(to other: ProviderKey) -> Bool {
    teamID == other.teamID && topics == other.topics
  }
}
