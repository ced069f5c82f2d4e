/// Why a signature doesn't count: for operators alone, the client is told that it doesn't.
package enum SignatureFault: String, Sendable, CaseIterable {
  /// There is none, and the app requires one.
  case absent
  case malformed
  /// It names another app than the credential does, or none that there is.
  case foreignToken = "foreign_token"
  /// It was made for a window too far from now: a clock is wrong, or the request was held up, or played again.
  case window
  /// No secret of the app makes it.
  case mac
}
