/// What a rejection asks of the sender.
package enum ReasonClass: Sendable, Hashable, CaseIterable {
  /// The service or this device is busy: the same request later.
  case retryLater
  /// The request itself is wrong; no repetition helps.
  case permanentRequest
  /// 410: the token is dead, unless it was registered again after the timestamp.
  case tokenDead
  /// Token, environment or topic don't fit together: not sendable until the device sends its token again.
  case tokenSuspect
  /// The provider's key or its rights are wrong: stop and tell the operator.
  case credential
  /// The connection's state, not the message: send again on another connection.
  case connection

  package var name: String {
    switch self {
    case .retryLater: "retry_later"
    case .permanentRequest: "permanent_request"
    case .tokenDead: "token_dead"
    case .tokenSuspect: "token_suspect"
    case .credential: "credential"
    case .connection: "connection"
    }
  }
}

extension APNsReason {
  /// A known reason decides; of an unknown one the status does.
  package static func classify(status: Int, reason: APNsReason) -> ReasonClass {
    if let known = classes[reason] { return known }
    switch status {
    case 403: return .credential
    case 410: return .tokenDead
    case 429, 500...: return .retryLater
    case 400..<500: return .permanentRequest
    // Nothing that APNs documents; an intermediary may have answered.
    default: return .retryLater
    }
  }

  static let classes: [APNsReason: ReasonClass] = [
    .badCollapseID: .permanentRequest,
    .badDeviceToken: .tokenSuspect,
    .badExpirationDate: .permanentRequest,
    .badMessageID: .permanentRequest,
    .badPriority: .permanentRequest,
    .badTopic: .permanentRequest,
    .deviceTokenNotForTopic: .tokenSuspect,
    .duplicateHeaders: .permanentRequest,
    .idleTimeout: .connection,
    .invalidPushType: .permanentRequest,
    .missingDeviceToken: .permanentRequest,
    .missingTopic: .permanentRequest,
    .payloadEmpty: .permanentRequest,
    .topicDisallowed: .permanentRequest,
    .badCertificate: .credential,
    .badCertificateEnvironment: .credential,
    .badEnvironmentKeyIDInToken: .credential,
    .badEnvironmentKeyInToken: .credential,
    .expiredProviderToken: .connection,
    .forbidden: .permanentRequest,
    .invalidProviderToken: .credential,
    .missingProviderToken: .credential,
    .unrelatedKeyIDInToken: .connection,
    .badPath: .permanentRequest,
    .methodNotAllowed: .permanentRequest,
    .expiredToken: .tokenDead,
    .unregistered: .tokenDead,
    .payloadTooLarge: .permanentRequest,
    .tooManyProviderTokenUpdates: .connection,
    .tooManyRequests: .retryLater,
    .internalServerError: .retryLater,
    .serviceUnavailable: .retryLater,
    .shutdown: .connection,
  ]
}
