/// How a file is written.
enum ImportFormat: String, Sendable, CaseIterable {
  case csv
  case jsonLines = "jsonl"
  /// What OneSignal's export of subscriptions writes: CSV with columns of its own.
  case oneSignal = "onesignal"
}
