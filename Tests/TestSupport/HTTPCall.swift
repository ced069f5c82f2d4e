internal import HTTPClient
package import JSON

/// One request of a test.
package struct HTTPCall: Sendable {
  package struct Answer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Empty when the body is no JSON object.
    package var object: JSONObject {
      (try? JSON.parse(body, maxDepth: 64))?.object ?? JSONObject()
    }

    package var code: String? { object["code"]?.string }
  }

  let method: String
  let url: String
  let bearer: String?
  let headers: [(name: String, value: String)]
  let json: String?

  package init(
    _ method: String, _ url: String, bearer: String? = nil, headers: [(name: String, value: String)] = [],
    json: String? = nil
  ) {
    self.method = method
    self.url = url
    self.bearer = bearer
    self.headers = headers
    self.json = json
  }

  /// Any status; throws when there is no answer at all.
  package func answer(timeout: Duration = .seconds(30)) async throws -> Answer {
    var fields = headers
    if let bearer { fields.append((name: "Authorization", value: "Bearer \(bearer)")) }
    if json != nil { fields.append((name: "Content-Type", value: "application/json")) }
    let response = try await SimpleHTTP(timeout: timeout).send(
      method, url, headers: fields, body: json.map { Array($0.utf8) })
    return Answer(status: response.status, headers: response.headers, body: response.body)
  }
}
