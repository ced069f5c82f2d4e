internal import JSON
internal import KitsCore

/// `kits message timeline`
enum ShowTimeline {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: MessageID = try OperatorInput.id(invocation.arguments.required("MESSAGE_ID"), "MESSAGE_ID")
    let timeline = try await MessageClient(invocation).timeline(id.text)
    guard let view = TimelineView(timeline) else {
      throw CommandFailure.unavailable("the server's answer is not a timeline")
    }
    try invocation.print(timeline) { view.rendered($0) }
  }
}
