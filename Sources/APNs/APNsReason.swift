/// Why APNs refused. Strings we don't know are kept, so that a new reason shows up instead of getting lost.
package struct APNsReason: Sendable, Hashable, CustomStringConvertible {
  /// At most 64 printable ASCII characters.
  package let text: String

  private static let limit = 64

  package init(_ text: String) {
    let clean = text.utf8.lazy.filter { $0 > 0x20 && $0 < 0x7f }.prefix(Self.limit)
    self.text = String(decoding: Array(clean), as: UTF8.self)
  }

  package var description: String { text }
}

extension APNsReason {
  /// The answer had no reason that could be read; the status stands alone.
  package static let none = APNsReason("NoReason")

  package static let badCollapseID = APNsReason("BadCollapseId")
  package static let badDeviceToken = APNsReason("BadDeviceToken")
  package static let badExpirationDate = APNsReason("BadExpirationDate")
  package static let badMessageID = APNsReason("BadMessageId")
  package static let badPriority = APNsReason("BadPriority")
  package static let badTopic = APNsReason("BadTopic")
  package static let deviceTokenNotForTopic = APNsReason("DeviceTokenNotForTopic")
  package static let duplicateHeaders = APNsReason("DuplicateHeaders")
  package static let idleTimeout = APNsReason("IdleTimeout")
  package static let invalidPushType = APNsReason("InvalidPushType")
  package static let missingDeviceToken = APNsReason("MissingDeviceToken")
  package static let missingTopic = APNsReason("MissingTopic")
  package static let payloadEmpty = APNsReason("PayloadEmpty")
  package static let topicDisallowed = APNsReason("TopicDisallowed")
  package static let badCertificate = APNsReason("BadCertificate")
  package static let badCertificateEnvironment = APNsReason("BadCertificateEnvironment")
  package static let badEnvironmentKeyIDInToken = APNsReason("BadEnvironmentKeyIdInToken")
  /// The spelling seen on the wire.
  package static let badEnvironmentKeyInToken = APNsReason("BadEnvironmentKeyInToken")
  package static let expiredProviderToken = APNsReason("ExpiredProviderToken")
  package static let forbidden = APNsReason("Forbidden")
  package static let invalidProviderToken = APNsReason("InvalidProviderToken")
  package static let missingProviderToken = APNsReason("MissingProviderToken")
  package static let unrelatedKeyIDInToken = APNsReason("UnrelatedKeyIdInToken")
  package static let badPath = APNsReason("BadPath")
  package static let methodNotAllowed = APNsReason("MethodNotAllowed")
  package static let expiredToken = APNsReason("ExpiredToken")
  package static let unregistered = APNsReason("Unregistered")
  package static let payloadTooLarge = APNsReason("PayloadTooLarge")
  package static let tooManyProviderTokenUpdates = APNsReason("TooManyProviderTokenUpdates")
  package static let tooManyRequests = APNsReason("TooManyRequests")
  package static let internalServerError = APNsReason("InternalServerError")
  package static let serviceUnavailable = APNsReason("ServiceUnavailable")
  package static let shutdown = APNsReason("Shutdown")
}
