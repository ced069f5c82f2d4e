/// A provider token whose signature was verified with the key it names.
struct ProviderToken: Sendable {
  let key: ProviderKey
  /// Seconds since the epoch.
  let issuedAt: Int64
}
