/// What administrators do, as far as roles decide about it. Adding one makes the compiler ask who may.
package enum Privilege: Sendable, CaseIterable {
  case createProject
  case createEnvironment
  case readEnvironment
  case changeEnvironment
  case createApp
  case setProviderKey
  case pauseApp
  case resumeApp
  case createServerKey
  case revokeServerKey
  case readIdentityKeys
  case addIdentityKey
  case revokeIdentityKey
  case changeSigningMode
  case createSigningSecret
  case revealSigningSecret
  case rotateSigningSecret
  case revokeSigningSecret
  case eraseUser
  case readAudit
  case createSegment
  case changeSegment
  case deleteSegment
  case importInstallations
  case addTestDevice
  case removeTestDevice
  case createWebhook
  case changeWebhook
  case deleteWebhook
  case rotateWebhookSecret
  case redeliverWebhook
}

extension AuditAction {
  /// What somebody needs to do this.
  package var privilege: Privilege {
    switch self {
    case .projectCreated: .createProject
    case .environmentCreated: .createEnvironment
    case .environmentChanged: .changeEnvironment
    case .appCreated: .createApp
    case .providerKeySet: .setProviderKey
    case .appPaused: .pauseApp
    case .appResumed: .resumeApp
    case .serverKeyCreated: .createServerKey
    case .serverKeyRevoked: .revokeServerKey
    case .identityKeyAdded: .addIdentityKey
    case .identityKeyRevoked: .revokeIdentityKey
    case .signingModeChanged: .changeSigningMode
    case .signingSecretCreated: .createSigningSecret
    case .signingSecretRevealed: .revealSigningSecret
    case .signingSecretRotated: .rotateSigningSecret
    case .signingSecretRevoked: .revokeSigningSecret
    case .userErased: .eraseUser
    case .segmentCreated: .createSegment
    case .segmentChanged: .changeSegment
    case .segmentDeleted: .deleteSegment
    case .installationsImported: .importInstallations
    case .testDeviceAdded: .addTestDevice
    case .testDeviceRemoved: .removeTestDevice
    case .webhookCreated: .createWebhook
    case .webhookChanged: .changeWebhook
    case .webhookDeleted: .deleteWebhook
    case .webhookSecretRotated: .rotateWebhookSecret
    case .webhookRedelivered: .redeliverWebhook
    }
  }
}

extension Role {
  /// The table of roles (T3): everybody with access sees, members also run apps and keep segments, owners and
  /// administrators also change who may do what, and only owners make projects.
  package func may(_ privilege: Privilege) -> Bool {
    switch privilege {
    case .readEnvironment, .readIdentityKeys, .revealSigningSecret:
      true
    case .pauseApp, .resumeApp, .createSegment, .changeSegment, .deleteSegment, .addTestDevice, .removeTestDevice,
      .redeliverWebhook:
      self <= .member
    case .createEnvironment, .changeEnvironment, .createApp, .setProviderKey, .createServerKey, .revokeServerKey,
      .addIdentityKey, .revokeIdentityKey, .changeSigningMode, .createSigningSecret, .rotateSigningSecret,
      .revokeSigningSecret, .eraseUser, .readAudit, .createWebhook, .changeWebhook, .deleteWebhook,
      .rotateWebhookSecret, .importInstallations:
      self <= .administrator
    case .createProject:
      self == .owner
    }
  }

  /// Nobody gives a key or a person more than they have themselves.
  package func mayGrant(_ role: Role) -> Bool { self <= role }
}
