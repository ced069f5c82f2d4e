import Glibc
internal import JSON
internal import KitsCore

/// `kits message show`
enum ShowMessage {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: MessageID = try OperatorInput.id(invocation.arguments.required("MESSAGE_ID"), "MESSAGE_ID")
    let message = try await MessageClient(invocation).message(id.text)
    guard let view = MessageView(message) else {
      throw CommandFailure.unavailable("the server's answer is not a message")
    }
    try invocation.print(message) { view.rendered($0) }
  }
}

extension Invocation {
  /// An answer of the API: drawn for people, as it is for scripts.
  func print(_ answer: JSONObject, drawn: (Terminal) -> String) throws(CommandFailure) {
    guard output.form == .text else { return try output.print(Report(answer)) }
    try output.standardOutput(drawn(Terminal.of(STDOUT_FILENO, environment: environment)))
  }
}
