/// A refusal that a client can act on. It has no HTTP inside; the API maps `code` to a status in one place.
package struct KitsError: Error, Sendable, Equatable {
  package let code: Code
  /// One sentence for a person. Never holds a secret or what the client sent.
  package let detail: String
  /// The fields that are wrong, all of them at once.
  package let fields: [FieldFault]

  package init(_ code: Code, _ detail: String, fields: [FieldFault] = []) {
    self.code = code
    self.detail = detail
    self.fields = fields
  }

  /// One wrong field: where it is, what kind of fault, and a sentence.
  package struct FieldFault: Sendable, Equatable {
    package let place: Place
    package let code: FieldCode
    package let detail: String

    package init(_ place: Place, _ code: FieldCode, _ detail: String) {
      self.place = place
      self.code = code
      self.detail = detail
    }

    package enum Place: Sendable, Equatable {
      /// A JSON pointer (RFC 6901) into the body.
      case pointer(String)
      /// The name of a query parameter or header.
      case parameter(String)
    }
  }
}

extension KitsError {
  /// Stable codes, part of the API. Adding one is fine; renaming one breaks clients.
  package enum Code: String, Sendable, CaseIterable {
    case invalidJSON = "INVALID_JSON"
    case badRequest = "BAD_REQUEST"
    case queryInvalid = "QUERY_INVALID"
    case bodyInvalid = "BODY_INVALID"
    case notAvailableYet = "NOT_AVAILABLE_YET"
    case appRequired = "APP_REQUIRED"
    case payloadTooLarge = "PAYLOAD_TOO_LARGE_FOR_APNS"
    case credentialMissing = "CREDENTIAL_MISSING"
    case deviceTokenInvalid = "DEVICE_TOKEN_INVALID"
    case publicKeyInvalid = "PUBLIC_KEY_INVALID"
    case serverKeyInvalid = "SERVER_KEY_INVALID"
    case signatureInvalid = "SIGNATURE_INVALID"
    case identityTokenExpired = "IDENTITY_TOKEN_EXPIRED"
    case identityTokenInvalid = "IDENTITY_TOKEN_INVALID"
    case scopeMissing = "SCOPE_MISSING"
    case roleForbidden = "ROLE_FORBIDDEN"
    case notFound = "NOT_FOUND"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
    case bodyTooLarge = "BODY_TOO_LARGE"
    case uriTooLong = "URI_TOO_LONG"
    case headersTooLarge = "HEADERS_TOO_LARGE"
    case requestTimeout = "REQUEST_TIMEOUT"
    case expectationFailed = "EXPECTATION_FAILED"
    case notImplemented = "NOT_IMPLEMENTED"
    case idempotencyKeyInvalid = "IDEMPOTENCY_KEY_INVALID"
    case idempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED"
    case stateRevisionReused = "STATE_REVISION_REUSED"
    case messageNotCancelable = "MESSAGE_NOT_CANCELABLE"
    case identityRebindConflict = "IDENTITY_REBIND_CONFLICT"
    case identityAuthModeChanged = "IDENTITY_AUTH_MODE_CHANGED"
    case identityOperationReused = "IDENTITY_OPERATION_REUSED"
    case identityKeyExists = "IDENTITY_KEY_EXISTS"
    case signingSecretChanged = "SIGNING_SECRET_CHANGED"
    case collectionOff = "COLLECTION_OFF"
    case bindingChanged = "BINDING_CHANGED"
    case segmentChanged = "SEGMENT_CHANGED"
    case segmentInUse = "SEGMENT_IN_USE"
    case segmentLimitReached = "SEGMENT_LIMIT_REACHED"
    case testDeviceLimitReached = "TEST_DEVICE_LIMIT_REACHED"
    case rateLimited = "RATE_LIMITED"
    case overloaded = "OVERLOADED"
    case databaseUnavailable = "DATABASE_UNAVAILABLE"
    case outcomeUnknown = "OUTCOME_UNKNOWN"
    case shuttingDown = "SHUTTING_DOWN"
    case internalFault = "INTERNAL"
  }
}

extension KitsError.Code {
  /// Whether the identical request may succeed later.
  package var isRetryable: Bool {
    switch self {
    case .rateLimited, .overloaded, .databaseUnavailable, .outcomeUnknown, .shuttingDown, .requestTimeout:
      true
    case .invalidJSON, .badRequest, .queryInvalid, .bodyInvalid, .notAvailableYet, .appRequired, .payloadTooLarge,
      .credentialMissing, .deviceTokenInvalid, .publicKeyInvalid, .serverKeyInvalid, .scopeMissing, .notFound,
      .methodNotAllowed, .unsupportedMediaType, .bodyTooLarge, .uriTooLong, .headersTooLarge, .expectationFailed,
      .notImplemented, .idempotencyKeyInvalid, .idempotencyKeyReused, .stateRevisionReused, .messageNotCancelable,
      .signatureInvalid, .identityTokenExpired, .identityTokenInvalid, .roleForbidden, .identityRebindConflict,
      .identityAuthModeChanged, .identityOperationReused, .identityKeyExists, .signingSecretChanged, .segmentChanged,
      .segmentInUse, .segmentLimitReached, .collectionOff, .bindingChanged, .testDeviceLimitReached, .internalFault:
      false
    }
  }
}
