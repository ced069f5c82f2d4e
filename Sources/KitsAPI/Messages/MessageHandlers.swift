internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// Messages as a customer's backend creates, reads and cancels them (K26).
struct MessageHandlers: Sendable {
  let gate: Gate
  let messages: MessageStore
  let segments: SegmentStore
  let answers: Answers
  let cursors: MessageCursor
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64
  let onMessageCreated: @Sendable () -> Void
  let observe: @Sendable (APIEvent) -> Void

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    messages = surroundings.messages
    segments = surroundings.segments
    answers = surroundings.answers
    cursors = MessageCursor(keys: surroundings.keys)
    now = surroundings.now
    onMessageCreated = surroundings.onMessageCreated
    observe = surroundings.observe
  }

  var routes: [Route] {
    [
      Route(
        .post, "/v1/messages", bodyLimit: Limits.messageBodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, create) }),
      Route(
        .post, "/v1/messages/validate", bodyLimit: Limits.messageBodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, validate) }),
      Route(.get, "/v1/messages", admit: admit, handle: { await answers.answer($0, list) }),
      Route(.get, "/v1/messages/{id}", admit: admit, handle: { await answers.answer($0, read) }),
      Route(
        .post, "/v1/messages/{id}/cancel", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, cancel) }),
    ]
  }

  /// A key that can't be one is refused before the body is read.
  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }
}
