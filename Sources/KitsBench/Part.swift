/// What can be measured by itself, in the order in which it is.
enum Part: String, CaseIterable {
  /// Registrations over HTTP against pgbench.
  case register
  /// Logins over HTTP against pgbench.
  case identity
  /// Receipts over HTTP against pgbench.
  case receipts
  /// Session reports over HTTP against pgbench.
  case sessions
  /// A file of installations into the database.
  case `import`
  /// A message to everyone against a bare libcurl loop.
  case delivery
  /// The same against other clients of the push service.
  case peers
  /// From a message's creation to the push service, one at a time.
  case latency
  /// The same with thousands of messages, alone and beside a message to everyone.
  case singles
  /// Looking up recipients against the same SELECT.
  case plan
  /// Counting segments against the same SQL.
  case preview
  /// A message to everyone with webhooks and without.
  case webhooks
  /// Resident memory over a message to a million.
  case memory
  /// What a message to everyone suffers from three kills.
  case kill
  /// Identity tokens against openssl's bare signatures.
  case verify
}
