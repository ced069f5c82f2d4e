/// What can be measured by itself.
enum Part: String, CaseIterable {
  /// Registrations over HTTP against pgbench.
  case register
  /// A message to everyone against a bare libcurl loop.
  case delivery
  /// From a message's creation to the push service.
  case latency
  /// Looking up recipients against the same SELECT.
  case plan
  /// Identity tokens against openssl's bare signatures.
  case verify
}
