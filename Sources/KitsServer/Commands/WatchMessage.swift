import Glibc
internal import JSON
internal import KitsCore

/// `kits message watch`
enum WatchMessage {
  static let interval = Duration.milliseconds(500)

  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: MessageID = try OperatorInput.id(invocation.arguments.required("MESSAGE_ID"), "MESSAGE_ID")
    let client = try MessageClient(invocation)
    let output = invocation.output
    let terminal = Terminal.of(STDERR_FILENO, environment: invocation.environment)
    var printer = ProgressPrinter(terminal, write: output.standardError)
    while true {
      let message = try await client.message(id.text)
      guard let progress = MessageProgress(message) else {
        throw CommandFailure.unavailable("the server's answer is not a message")
      }
      // Scripts get the result alone.
      if output.form == .text { printer.show(progress.bar) }
      if progress.isOver {
        printer.finish()
        try output.print(output.form == .text ? progress.report : Report(message))
        if progress.state == "completed" { return }
        throw CommandFailure.refused("the message is \(progress.state)")
      }
      try await Task.sleep(for: interval)
    }
  }
}
