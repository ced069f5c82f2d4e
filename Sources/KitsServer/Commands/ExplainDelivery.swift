internal import JSON
internal import KitsCore

/// `kits message why`
enum ExplainDelivery {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: MessageID = try OperatorInput.id(invocation.arguments.required("MESSAGE_ID"), "MESSAGE_ID")
    let installation: InstallationID = try OperatorInput.id(
      invocation.arguments.required("INSTALLATION_ID"), "INSTALLATION_ID")
    let answer = try await MessageClient(invocation).explanation(id.text, installation: installation.text)
    guard let view = ExplanationView(answer) else {
      throw CommandFailure.unavailable("the server's answer is not an explanation")
    }
    try invocation.print(answer) { _ in view.rendered }
  }
}
