internal import Crypto
internal import HTTPClient
internal import JSON

/// The API as the commands of `kits message` use it.
struct MessageClient: Sendable {
  /// Longer than any deadline of the server, so that it is the server that says what went wrong.
  static let timeout = Duration.seconds(40)
  /// Attempts of one request, the first included.
  static let attempts = 6

  private let base: String
  private let key: Secret<String>
  private let http = SimpleHTTP(timeout: MessageClient.timeout)

  init(_ invocation: Invocation) throws(CommandFailure) {
    let text = try invocation.arguments.required("url")
    do {
      base = try WebURL.parse(text).description
    } catch {
      throw .usage("--url \(error.reason)")
    }
    key = try ServerKeySource.read(invocation)
  }

  /// One idempotency key for all attempts: however often this is repeated, one message is made.
  func create(_ message: JSONObject) async throws(CommandFailure) -> JSONObject {
    let idempotencyKey = "kits-cli-" + Hex.encode(SystemRandom.bytes(16))
    return try await ask("POST", "/v1/messages", body: JSON.write(.object(message)), idempotencyKey: idempotencyKey)
  }

  func message(_ id: String) async throws(CommandFailure) -> JSONObject {
    try await ask("GET", "/v1/messages/\(id)")
  }

  func timeline(_ id: String) async throws(CommandFailure) -> JSONObject {
    try await ask("GET", "/v1/messages/\(id)/timeline")
  }

  func explanation(_ id: String, installation: String) async throws(CommandFailure) -> JSONObject {
    try await ask("GET", "/v1/messages/\(id)/deliveries/\(installation)")
  }

  /// Repeats what may succeed later; every request here is harmless to repeat.
  private func ask(
    _ method: String, _ path: String, body: [UInt8]? = nil, idempotencyKey: String? = nil
  ) async throws(CommandFailure) -> JSONObject {
    var pause = Duration.milliseconds(250)
    for attempt in 1... {
      let answer = await once(method, path, body: body, idempotencyKey: idempotencyKey)
      switch answer {
      case .object(let object): return object
      case .failed(let failure, let isFinal):
        if isFinal || attempt == Self.attempts { throw failure }
      }
      do { try await Task.sleep(for: pause) } catch { throw .unavailable("interrupted") }
      pause = min(pause * 2, .seconds(4))
    }
    throw .unavailable("\(base) can't be reached")
  }

  private enum Answer {
    case object(JSONObject)
    case failed(CommandFailure, isFinal: Bool)
  }

  private func once(_ method: String, _ path: String, body: [UInt8]?, idempotencyKey: String?) async -> Answer {
    var headers = [
      (name: "Authorization", value: "Bearer \(key.reveal())"), (name: "Accept", value: "application/json"),
    ]
    if body != nil { headers.append((name: "Content-Type", value: "application/json")) }
    if let idempotencyKey { headers.append((name: "Idempotency-Key", value: idempotencyKey)) }
    let response: SimpleResponse
    do {
      response = try await http.send(method, base + path, headers: headers, body: body)
    } catch {
      return .failed(.unavailable("\(base) can't be reached: \(LogText.escaped("\(error)"))"), isFinal: false)
    }
    let parsed = try? JSON.parse(response.body, maxDepth: JSON.deepest)
    if (200..<300).contains(response.status), let object = parsed?.object { return .object(object) }
    return problem(response.status, parsed?.object)
  }

  /// The server's own words, when the answer is one of Kits.
  private func problem(_ status: Int, _ problem: JSONObject?) -> Answer {
    let isRetryable = problem?["retryable"]?.bool ?? (status == 429 || status >= 500)
    guard let problem, let code = problem["code"]?.string else {
      let failure = CommandFailure.unavailable("\(base) answered \(status), and not as Kits does")
      return .failed(failure, isFinal: !isRetryable)
    }
    var sentence = "\(code): \(problem["detail"]?.string ?? problem["title"]?.string ?? "HTTP status \(status)")"
    for entry in problem["errors"]?.array ?? [] {
      guard let entry = entry.object else { continue }
      let place = entry["pointer"]?.string ?? entry["parameter"]?.string ?? ""
      sentence += "\n  \(place) \(entry["code"]?.string ?? ""): \(entry["detail"]?.string ?? "")"
    }
    let lines = sentence.split(separator: "\n").map { LogText.escaped(String($0)) }.joined(separator: "\n")
    return .failed(status >= 500 ? .unavailable(lines) : .refused(lines), isFinal: !isRetryable)
  }
}
