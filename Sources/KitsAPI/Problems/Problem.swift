internal import HTTPServer
internal import JSON
internal import KitsCore

/// Why a request isn't answered as it was meant (RFC 9457). The one error of this target: what other targets throw
/// becomes one at the call.
struct Problem: Error, Sendable {
  let error: KitsError
  /// Members beyond those that every problem has: a name and one JSON value.
  var members: [(name: String, json: [UInt8])] = []
  /// Whether the identical request may succeed later.
  var isRetryable: Bool
  /// When a client may try again, where that can help.
  var retryAfterSeconds = 1
  /// For the operator only.
  var cause: String?

  init(_ error: KitsError) {
    self.error = error
    isRetryable = error.code.isRetryable
  }

  init(_ code: KitsError.Code, _ detail: String, fields: [KitsError.FieldFault] = []) {
    self.init(KitsError(code, detail, fields: fields))
  }

  /// A fault of ours: `cause` is observed in full and shown as nothing.
  static func internalFault(_ cause: String) -> Problem {
    var problem = Problem(.internalFault, "The server made a mistake. Its log has the request id.")
    problem.cause = cause
    return problem
  }

  var code: KitsError.Code { error.code }

  func response(requestID: String) -> Response {
    var headers = Headers([("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")])
    let status = code.status
    if status == 401 { headers.append("WWW-Authenticate", "Bearer") }
    if status == 429 || status == 503 { headers.append("Retry-After", "\(retryAfterSeconds)") }
    return Response(status: status, headers: headers, body: body(requestID: requestID))
  }

  private func body(requestID: String) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("type", "urn:kits:problem:\(code.rawValue)")
    json.member("title", code.title)
    json.member("status", code.status)
    json.member("code", code.rawValue)
    json.member("detail", error.detail)
    json.member("retryable", isRetryable)
    json.member("request_id", requestID)
    json.key("errors")
    json.beginArray()
    for field in error.fields.prefix(FaultCollector.limit) { json.field(field) }
    json.endArray()
    for member in members {
      json.key(member.name)
      json.raw(member.json)
    }
    json.endObject()
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ fault: KitsError.FieldFault) {
    beginObject()
    switch fault.place {
    case .pointer(let pointer): member("pointer", pointer)
    case .parameter(let name): member("parameter", name)
    }
    member("code", fault.code.rawValue)
    member("detail", fault.detail)
    endObject()
  }
}
