internal import KitsCore

extension KitsError.Code {
  /// The HTTP status of every problem of this code: the one place that knows.
  var status: Int { kind.status }
  /// The same sentence for every problem of this code.
  var title: String { kind.title }

  private var kind: (status: Int, title: String) {
    switch self {
    case .badRequest: (400, "The request is not well-formed")
    case .invalidJSON: (400, "The body is not valid JSON")
    case .queryInvalid: (400, "The query is invalid")
    case .idempotencyKeyInvalid: (400, "The idempotency key is malformed")
    case .credentialMissing: (401, "The credential is missing")
    case .publicKeyInvalid: (401, "The public key is not valid")
    case .deviceTokenInvalid: (401, "The device token is not valid")
    case .serverKeyInvalid: (401, "The server key is not valid")
    case .signatureInvalid: (401, "The request's signature is not valid")
    case .identityTokenExpired: (401, "The identity token has expired")
    case .identityTokenInvalid: (401, "The identity token is not valid")
    case .scopeMissing: (403, "The key lacks a scope")
    case .roleForbidden: (403, "The role doesn't allow this")
    case .notFound: (404, "There is no such thing")
    case .methodNotAllowed: (405, "The path has other methods")
    case .requestTimeout: (408, "The request came too slowly")
    case .idempotencyKeyReused: (409, "The idempotency key was used before")
    case .stateRevisionReused: (409, "The state revision was used before")
    case .messageNotCancelable: (409, "The message has ended")
    case .identityRebindConflict: (409, "The binding or the policy has changed")
    case .identityAuthModeChanged: (409, "The environment has another authentication mode")
    case .identityOperationReused: (409, "The operation id was used before")
    case .identityKeyExists: (409, "The key id is taken")
    case .signingSecretChanged: (409, "The signing secret was changed meanwhile")
    case .collectionOff: (409, "The installation doesn't consent to this")
    case .bindingChanged: (409, "The installation has another binding")
    case .segmentChanged: (409, "The segment was changed meanwhile")
    case .segmentInUse: (409, "A message still needs the segment")
    case .segmentLimitReached: (409, "The app has as many segments as it may have")
    case .testDeviceLimitReached: (409, "The app has as many test devices as it may have")
    case .bodyTooLarge: (413, "The body is too large")
    case .uriTooLong: (414, "The request target is too long")
    case .unsupportedMediaType: (415, "The body is not declared as JSON")
    case .expectationFailed: (417, "The expectation can't be met")
    case .bodyInvalid: (422, "The body has invalid fields")
    case .notAvailableYet: (422, "The body has fields that are not available yet")
    case .appRequired: (422, "The app must be named")
    case .payloadTooLarge: (422, "A payload is too large for APNs")
    case .rateLimited: (429, "There were too many requests")
    case .headersTooLarge: (431, "The header block is too large")
    case .internalFault: (500, "The server made a mistake")
    case .notImplemented: (501, "The server doesn't know this method")
    case .overloaded: (503, "The server is at a limit")
    case .databaseUnavailable: (503, "The database can't be reached")
    case .outcomeUnknown: (503, "The outcome is unknown")
    case .shuttingDown: (503, "The server is stopping")
    }
  }
}
