/// A complete request: the head, the decoded path parameters and the whole body.
package struct Request: Sendable {
  package var head: RequestHead
  package var parameters: PathParameters
  package var body: [UInt8]

  package init(head: RequestHead, parameters: PathParameters = PathParameters(), body: [UInt8] = []) {
    self.head = head
    self.parameters = parameters
    self.body = body
  }
}
