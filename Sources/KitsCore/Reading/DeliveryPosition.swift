/// Where a delivery is among those of its message. It never changes.
package struct DeliveryPosition: Sendable, Equatable {
  package let chunk: Int32
  package let index: Int32

  /// Before the first.
  package static let start = DeliveryPosition(chunk: 0, index: -1)

  package init(chunk: Int32, index: Int32) {
    self.chunk = chunk
    self.index = index
  }
}
