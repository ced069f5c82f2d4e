package import KitsCore

/// An app that is about to be created.
package struct NewApp: Sendable {
  package let id: AppID
  package let environment: EnvironmentID
  package let name: String
  package let bundleID: String
  package let platforms: [Platform]
  package let publicKey: String
  package let apnsKey: SealedAPNsKey?

  package init(
    id: AppID, environment: EnvironmentID, name: String, bundleID: String, platforms: [Platform], publicKey: String,
    apnsKey: SealedAPNsKey?
  ) {
    self.id = id
    self.environment = environment
    self.name = name
    self.bundleID = bundleID
    self.platforms = platforms
    self.publicKey = publicKey
    self.apnsKey = apnsKey
  }
}

/// An APNs signing key at rest: the private half is sealed under the master key that `sealedUnder` names.
package struct SealedAPNsKey: Sendable {
  /// Ten characters, Apple's team.
  package let teamID: String
  /// Ten characters, Apple's id of the key.
  package let keyID: String
  /// SHA-256 of the public SubjectPublicKeyInfo.
  package let fingerprint: [UInt8]
  package let sealedUnder: String
  package let sealedPrivateKey: [UInt8]

  package init(
    teamID: String, keyID: String, fingerprint: [UInt8], sealedUnder: String, sealedPrivateKey: [UInt8]
  ) {
    self.teamID = teamID
    self.keyID = keyID
    self.fingerprint = fingerprint
    self.sealedUnder = sealedUnder
    self.sealedPrivateKey = sealedPrivateKey
  }
}

extension SealedAPNsKey {
  /// Binds sealed bytes to the key they belong to.
  package var sealingContext: String { Self.sealingContext(teamID: teamID, keyID: keyID) }

  package static func sealingContext(teamID: String, keyID: String) -> String { "\(teamID)/\(keyID)" }
}
