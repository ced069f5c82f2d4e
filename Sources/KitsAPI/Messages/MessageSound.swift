internal import JSON

/// What a device plays.
enum MessageSound: Sendable {
  /// A file of the app's bundle, or `default`.
  case named(String)
  /// Apple's dictionary form: for a critical alert, or to say how loud. The volume is the number as it was written.
  case detailed(name: String, isCritical: Bool, volume: JSONValue?)
}
