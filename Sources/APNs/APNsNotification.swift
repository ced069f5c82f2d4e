/// One request to APNs. Its values were checked where they entered; what can't go on the wire ends as not sent.
package struct APNsNotification: Sendable {
  /// Hex, of any length.
  package let deviceToken: String
  /// Lower-case canonical UUID.
  package let apnsID: String
  package let topic: String
  package let pushType: PushType
  /// 10, 5 or 1.
  package let priority: Int
  /// Unix seconds; 0 means one attempt without storing, and is sent as 0.
  package let expiration: Int64
  /// At most 64 bytes.
  package let collapseID: String?
  package let payload: [UInt8]

  package init(
    deviceToken: String, apnsID: String, topic: String, pushType: PushType, priority: Int, expiration: Int64,
    collapseID: String?, payload: [UInt8]
  ) {
    self.deviceToken = deviceToken
    self.apnsID = apnsID
    self.topic = topic
    self.pushType = pushType
    self.priority = priority
    self.expiration = expiration
    self.collapseID = collapseID
    self.payload = payload
  }
}

package enum PushType: String, Sendable, CaseIterable {
  case alert
  case background
}
