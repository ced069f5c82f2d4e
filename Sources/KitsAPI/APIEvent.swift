package import KitsCore

/// What the API did that an operator wants to count or read. Nothing here holds a secret or what a client sent.
package enum APIEvent: Sendable {
  /// A fault of ours: the client was told nothing but INTERNAL.
  case internalFault(requestID: String, cause: String)
  /// The database couldn't serve a request; the client was told `code`.
  case databaseFault(requestID: String, code: KitsError.Code, cause: String)
  /// A request was answered with a problem.
  case refused(code: KitsError.Code)
  /// Why a signature was refused; the client was told SIGNATURE_INVALID.
  case signatureRefused(SignatureFault)
  case installationRegistered(replayed: Bool)
  case installationUpdated(applied: Bool)
  case installationDeleted
  case messageCreated(replayed: Bool)
  case messageCanceled
  case audiencePreviewed(exactly: Bool)
  /// An event of a notification was answered; its type is nil when it could not be told.
  case eventAnswered(type: NotificationEventType?, NotificationEventSource, RecordResult)
  /// A record of activity was answered; its type is nil when it could not be told.
  case activityAnswered(type: ActivityType?, RecordResult)
  case identityAnswered(IdentityTally)
  /// A proof was refused, or would have been and was let through because the policy is in shadow.
  case identityProofRefused(cause: String, overlooked: Bool)
  /// A change by an administrator, done or refused; the audit log has it too.
  case administered(AuditAction, refusal: KitsError.Code?)
  case appPaused(app: AppID)
  case appResumed(app: AppID)
}
