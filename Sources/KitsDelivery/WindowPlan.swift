import APNs
import KitsCore
import KitsStore

/// What is to be done with each member of a window: decided before anything is handed over.
struct WindowPlan {
  let lease: ChunkLease
  let from: Int32
  /// One byte per member; those that are sent are still open.
  var outcomes: [UInt8]
  /// Places in the window that are sent, with the token and the host they go to.
  var sends: [Send] = []
  /// Indexes that are sent again although the first result is unknown.
  var resent: [Int32] = []
  /// Members whose app is paused although their chunk isn't: they changed their environment since planning.
  var held: [WindowAck.Retry] = []

  struct Send {
    let place: Int
    let recipient: Recipient
    let token: String
    let environment: APNsEnvironment
    let notification: APNsNotification
  }

  init(_ window: ChunkWindow, of message: DispatchableMessage, marking marker: DeliveryMarker) {
    lease = window.lease
    from = window.from
    outcomes = window.recipients.map(\.outcome.byte)
    for (place, recipient) in window.recipients.enumerated() where recipient.outcome == .none {
      let isUnknown = recipient.index < window.priorAttemptedTo
      if isUnknown && message.onUnknown == .skip {
        outcomes[place] = OutcomeCode.unknown.byte
        continue
      }
      switch DispatchDecision.decide(recipient) {
      // Suppressed means not sent: what may have been sent is unknown.
      case .suppress(let code): outcomes[place] = (isUnknown ? .unknown : code).byte
      case .hold(let environment):
        outcomes[place] = OutcomeCode.inRetry.byte
        held.append(
          WindowAck.Retry(
            index: recipient.index, environment: environment, status: 0,
            reason: isUnknown ? Verdict.unknownReason : Verdict.pausedReason,
            delayMilliseconds: RetryPolicy.parkedMilliseconds))
      case .send where message.key == nil: outcomes[place] = OutcomeCode.noProvider.byte
      case .send(let token, let device):
        if isUnknown { resent.append(recipient.index) }
        let address = DeliveryAddress(
          app: window.lease.app, message: window.lease.message, chunk: window.lease.chunk, index: recipient.index)
        sends.append(
          Send(
            place: place, recipient: recipient, token: token, environment: device.apnsEnvironment,
            notification: message.notification(
              to: token, recipient.number, device: device, address: address, marking: marker)))
      }
    }
  }
}

extension DispatchableMessage {
  /// The request for one device. Without a collapse id of the caller each delivery has its own, so that a second send
  /// of it replaces the first on the device. A tracked one says which it is, so that the device can report it.
  func notification(
    to token: String, _ installation: InstallationNumber, device: Recipient.Device, address: DeliveryAddress,
    marking marker: DeliveryMarker
  ) -> APNsNotification {
    let apnsID = address.apnsID
    let id = DeliveryID(
      address: address, installation: installation, binding: device.bindingNumber, tracking: tracking)
    return APNsNotification(
      deviceToken: token, apnsID: apnsID, topic: bundleID, pushType: kind == .background ? .background : .alert,
      priority: Int(priority.rawValue), expiration: ttlSeconds == 0 ? 0 : expiresAt.seconds,
      collapseID: collapseID ?? apnsID,
      payload: marker.payload(payloads.best(for: device.language), of: id))
  }
}
