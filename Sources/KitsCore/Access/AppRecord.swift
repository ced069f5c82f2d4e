/// An app in an environment. Its id is what identity tokens name as `iss`.
package struct AppRecord: Sendable, Equatable {
  package let number: AppNumber
  package let id: AppID
  package let environment: EnvironmentNumber
  package let environmentID: EnvironmentID
  package let name: String
  package let bundleID: String
  package let platforms: [Platform]
  package let publicKey: String
  package let authMode: AuthMode
  package let policyRevision: Int64
  package let identifierPolicy: IdentifierPolicy
  /// Device identifiers may come in the clear, to be hashed by the server (U5).
  package let takesRawIdentifiers: Bool
  package let collectionDefaults: CollectionConsent.Features
  package let signing: Signing

  package init(
    number: AppNumber, id: AppID, environment: EnvironmentNumber, environmentID: EnvironmentID, name: String,
    bundleID: String, platforms: [Platform], publicKey: String, authMode: AuthMode, policyRevision: Int64,
    identifierPolicy: IdentifierPolicy, takesRawIdentifiers: Bool, collectionDefaults: CollectionConsent.Features,
    signing: Signing
  ) {
    self.number = number
    self.id = id
    self.environment = environment
    self.environmentID = environmentID
    self.name = name
    self.bundleID = bundleID
    self.platforms = platforms
    self.publicKey = publicKey
    self.authMode = authMode
    self.policyRevision = policyRevision
    self.identifierPolicy = identifierPolicy
    self.takesRawIdentifiers = takesRawIdentifiers
    self.collectionDefaults = collectionDefaults
    self.signing = signing
  }

  /// Request signing: whether, and in windows of how many seconds.
  package struct Signing: Sendable, Equatable {
    package let mode: SigningMode
    package let bucketSeconds: Int32

    package init(mode: SigningMode, bucketSeconds: Int32) {
      self.mode = mode
      self.bucketSeconds = bucketSeconds
    }
  }
}
