/// Whom a message is for.
package enum MessageTarget: Sendable, Equatable {
  /// Named installations; unknown ones don't fail the call. At most `Limits.targetInstallations`.
  case installations([InstallationID])
  /// Every reachable installation of the app.
  case everyone
}
