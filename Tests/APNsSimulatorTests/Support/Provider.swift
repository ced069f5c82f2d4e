import Crypto
import Foundation
import TestSupport

@testable import APNsSimulator

/// A provider with a signing key, as a client of the service has it.
struct Provider {
  let keyID: String
  let teamID: String
  let key = P256PrivateKey()
  var topics: [String] = []
  var environment: PushEnvironment?

  init(
    keyID: String = "KEY0000001", teamID: String = "TEAM000001", topics: [String] = [],
    environment: PushEnvironment? = nil
  ) {
    self.keyID = keyID
    self.teamID = teamID
    self.topics = topics
    self.environment = environment
  }

  var registration: SimulatorProcess.Key {
    SimulatorProcess.Key(
      keyID: keyID, teamID: teamID, publicKeyPEM: key.publicKey.spkiPEM, topics: topics,
      environment: environment?.rawValue)
  }

  var known: ProviderKey {
    ProviderKey(
      keyID: keyID, teamID: teamID, publicKey: key.publicKey, environment: environment, topics: Set(topics))
  }

  func token(
    issuedAt: Int64 = Int64(Date().timeIntervalSince1970), head: String? = nil, claims: String? = nil,
    signer: P256PrivateKey? = nil
  ) throws -> String {
    let head = head ?? "{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}"
    let claims = claims ?? "{\"iss\":\"\(teamID)\",\"iat\":\(issuedAt)}"
    let signed = Base64URL.encode(Array(head.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
    return signed + "." + Base64URL.encode(try (signer ?? key).sign(Array(signed.utf8)))
  }
}
