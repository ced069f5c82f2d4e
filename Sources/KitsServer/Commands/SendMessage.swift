internal import JSON
internal import KitsCore

/// `kits message send`
enum SendMessage {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let message = try body(invocation.arguments)
    let created = try await MessageClient(invocation).create(message)
    try invocation.output.print(
      Report(created), else: "The message \(LogText.escaped(created["id"]?.string ?? "")) was created.")
  }

  static func body(_ arguments: Arguments) throws(CommandFailure) -> JSONObject {
    var message = JSONObject()
    if let app = arguments.value("app") {
      let id: AppID = try OperatorInput.id(app, "--app")
      message.set("app_id", .string(id.text))
    }
    message.set("target", .object(try target(arguments)))
    if arguments.has("verified-only") { message.set("verified_only", .bool(true)) }
    message.set("title", .string(try arguments.required("title")))
    message.set("body", .string(try arguments.required("body")))
    if let text = arguments.value("data") {
      guard case .object(let data)? = try? JSON.parse(Array(text.utf8)) else {
        throw .usage("--data must be a JSON object")
      }
      message.set("data", .object(data))
    }
    return message
  }

  private static func target(_ arguments: Arguments) throws(CommandFailure) -> JSONObject {
    if arguments.has("everyone") { return ["everyone": .bool(true)] }
    if arguments.has("test-devices") { return ["test_devices": .bool(true)] }
    if arguments.has("segment") {
      var segments: [JSONValue] = []
      for text in arguments.values("segment") {
        let id: SegmentID = try OperatorInput.id(text, "--segment")
        segments.append(.string(id.text))
      }
      return ["segment_ids": .array(segments)]
    }
    if arguments.has("external-id") {
      var users: [JSONValue] = []
      for text in arguments.values("external-id") { users.append(.string(try ExternalIDInput.parse(text).text)) }
      return ["external_ids": .array(users)]
    }
    var ids: [JSONValue] = []
    for text in arguments.values("installation") {
      let id: InstallationID = try OperatorInput.id(text, "--installation")
      ids.append(.string(id.text))
    }
    return ["installation_ids": .array(ids)]
  }
}
