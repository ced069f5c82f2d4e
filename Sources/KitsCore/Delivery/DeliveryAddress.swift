/// One message to one installation, addressed by (message, chunk, index). It never changes, whatever happens to it.
package struct DeliveryAddress: Hashable, Sendable {
  package let app: AppNumber
  package let message: MessageNumber
  package let chunk: Int32
  package let index: Int32

  package init(app: AppNumber, message: MessageNumber, chunk: Int32, index: Int32) {
    self.app = app
    self.message = message
    self.chunk = chunk
    self.index = index
  }
}
