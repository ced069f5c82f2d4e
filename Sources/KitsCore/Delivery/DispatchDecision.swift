/// Whether a recipient may be sent to now. The last look before the network (K5, and the binding fence).
package enum DispatchDecision: Sendable, Equatable {
  case send(token: String, device: Recipient.Device)
  case suppress(OutcomeCode)
  /// Its app is paused: it stays pending.
  case hold(APNsEnvironment)

  package static func decide(_ recipient: Recipient) -> DispatchDecision {
    guard let device = recipient.device else { return .suppress(.deleted) }
    // Equality, not time: the next user's binding may have committed late.
    if let planned = recipient.plannedBinding, planned != device.bindingNumber { return .suppress(.identityChanged) }
    guard device.platform == .ios else { return .suppress(.noProvider) }
    guard let token = device.pushToken else { return .suppress(.noToken) }
    guard device.tokenState == .active else { return .suppress(.tokenInactive) }
    guard device.ownsToken else { return .suppress(.tokenMoved) }
    guard device.permission.allowsPush else { return .suppress(.permissionDenied) }
    guard device.pushPreference else { return .suppress(.optedOut) }
    if device.isPaused { return .hold(device.apnsEnvironment) }
    return .send(token: token, device: device)
  }
}
