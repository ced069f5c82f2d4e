/// The limits of the provider API. The times can be scripted, so that a test of the 20-minute rule takes no
/// 20 minutes.
struct ValidationRules: Sendable, Equatable {
  static let payloadBytes = 4_096
  static let voipPayloadBytes = 5_120
  static let collapseIDBytes = 64
  static let topicBytes = 255
  static let deviceTokenCharacters = 2...200
  static let providerTokenBytes = 4_096

  /// The environment of connections whose host doesn't name one; `nil` lets keys of both in.
  var environment: PushEnvironment?
  /// A provider token whose `iat` is further from now than this, in either direction, is expired.
  var tokenMaxAgeSeconds: Int64 = 3_600
  /// A connection may change its token no more often than this.
  var tokenUpdateSeconds: Int64 = 1_200
}
