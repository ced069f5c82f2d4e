/// `apns-push-type`, with the two things that depend on it: the topic's suffix and the payload's size.
enum PushType: String, CaseIterable, Sendable {
  case alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets, controls

  /// What the topic has to end with. `nil`: the topic is the bundle id itself, or (mdm) not a bundle id at all.
  var topicSuffix: String? {
    switch self {
    case .alert, .background, .mdm: nil
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .location: ".location-query"
    case .liveactivity: ".push-type.liveactivity"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    }
  }

  /// Payloads of these types are read by app code or the system without an `aps` dictionary.
  var needsAps: Bool {
    switch self {
    case .voip, .complication, .fileprovider, .mdm: false
    case .alert, .background, .location, .liveactivity, .pushtotalk, .widgets, .controls: true
    }
  }

  static let suffixes = PushType.allCases.compactMap(\.topicSuffix)

  /// The bundle id inside a topic: the topic without the suffix of any push type.
  static func bundleID(ofTopic topic: String) -> String {
    guard let suffix = suffixes.first(where: { topic.hasSuffix($0) }) else { return topic }
    return String(topic.dropLast(suffix.count))
  }
}
