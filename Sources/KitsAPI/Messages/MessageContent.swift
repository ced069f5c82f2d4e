internal import JSON
internal import KitsCore

/// What a message says and how, validated: everything but to whom.
struct MessageContent: Sendable {
  let text: MessageText
  /// In the order of the request.
  let localizations: [MessageLocalization]
  /// The app's own members, delivered as they are.
  let data: JSONObject?
  let imageURL: String?
  let url: String?
  let appearance: Appearance
  let threadID: String?
  let collapseID: String?
  let priority: MessagePriority
  let ttlSeconds: Int32
  /// A background push: nothing is shown.
  let isSilent: Bool
  /// Whether the notification service extension runs: asked for, needed to fetch the image (K15), or to report what
  /// it received (K13).
  let isMutable: Bool
  let tracking: MessageTracking
  /// The fields that were given, as JSON for reading them back.
  let json: [UInt8]

  /// The members that only Apple's devices understand.
  struct Appearance: Sendable {
    let category: String?
    let sound: MessageSound?
    let badge: Int64?
    let interruptionLevel: InterruptionLevel?
    /// 0 to 1, as it was written.
    let relevanceScore: JSONValue?
  }

  var kind: MessageKind { isSilent ? .background : .alert }
}
