/// Why a request was refused, and whether its provider token was good: the first answer to a good token widens the
/// connection, whatever else was wrong.
struct Rejection: Error, Equatable {
  let reason: Reason
  let authenticated: Bool

  init(_ reason: Reason, authenticated: Bool) {
    self.reason = reason
    self.authenticated = authenticated
  }
}
