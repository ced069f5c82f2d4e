/// What the audit log can say was done or refused. Stable names: customers filter by them.
package enum AuditAction: String, Sendable, CaseIterable {
  case projectCreated = "project.created"
  case appCreated = "app.created"
  case appPaused = "app.paused"
  case appResumed = "app.resumed"
  case providerKeySet = "app.provider_key_set"
  case serverKeyCreated = "server_key.created"
  case serverKeyRevoked = "server_key.revoked"
  case environmentChanged = "environment.changed"
  case identityKeyAdded = "identity_key.added"
  case identityKeyRevoked = "identity_key.revoked"
  case signingModeChanged = "signing.mode_changed"
  case signingSecretCreated = "signing.secret_created"
  case signingSecretRevealed = "signing.secret_revealed"
  case signingSecretRotated = "signing.secret_rotated"
  case signingSecretRevoked = "signing.previous_secret_revoked"
  case userErased = "user.erased"
}
