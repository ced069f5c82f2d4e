/// Some deliveries of a message, in the order of their positions.
package struct DeliveryPage: Sendable, Equatable {
  package let deliveries: [DeliveryRecord]
  /// Where to go on; nil at the end. A page can be short, even empty, and have a next one: how much of a message is
  /// looked through for one page is bounded.
  package let next: DeliveryPosition?

  package init(deliveries: [DeliveryRecord], next: DeliveryPosition?) {
    self.deliveries = deliveries
    self.next = next
  }
}
