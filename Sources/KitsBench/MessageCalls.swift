import JSON

/// Creates messages as a customer's backend does.
struct MessageCalls {
  private let wire: HTTPWire
  private let headers: [String]
  private let app: Stage.AppKeys

  init(_ stage: Stage, _ app: BenchApp) throws(BenchError) {
    wire = try HTTPWire(port: stage.apiPort)
    headers = [Self.authorization(stage)]
    self.app = try stage.keys(app)
  }

  static func authorization(_ stage: Stage) -> String { "Authorization: Bearer \(stage.serverKey)" }

  static func body(_ app: Stage.AppKeys, target: String) -> String {
    """
    {"app_id":"\(app.id)","target":\(target),"title":"Half price today",\
    "body":"Everything with a red dot, until 8 pm.",\
    "data":{"campaign":"red-dot","screen":"offers"},\
    "localizations":{"de":{"title":"Heute zum halben Preis","body":"Alles mit einem roten Punkt, bis 20 Uhr."}}}
    """
  }

  /// The message's id.
  @discardableResult
  func create(target: String) throws(BenchError) -> String {
    let answer = try wire.call("POST", "/v1/messages", headers: headers, body: Self.body(app, target: target))
    guard answer.status == 201, let id = answer.json["id"]?.string else {
      throw BenchError("POST /v1/messages: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
    return id
  }

  func cancel(_ id: String) throws(BenchError) {
    let answer = try wire.call("POST", "/v1/messages/\(id)/cancel", headers: headers, body: "{}")
    guard answer.status < 300 else { throw BenchError("cancel: \(answer.status)") }
  }
}
