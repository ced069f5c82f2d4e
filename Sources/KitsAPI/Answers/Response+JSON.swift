internal import HTTPServer
internal import JSON

extension Response {
  /// A JSON document, like every other answer not to be stored by anyone.
  static func json(_ status: Int, _ body: JSONWriter, headers: [(name: String, value: String)] = []) -> Response {
    var response = Response(status: status, headers: Headers(headers), body: body.bytes)
    response.headers.set("Content-Type", "application/json")
    response.headers.set("Cache-Control", "no-store")
    return response
  }

  /// 204.
  static var noContent: Response {
    Response(status: 204, headers: Headers([("Cache-Control", "no-store")]))
  }
}
