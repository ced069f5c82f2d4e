internal import Foundation
package import JSON
internal import Postgres

extension RunningServer {
  package struct Device: Sendable {
    package let id: String
    package let deviceToken: String
  }

  /// A call with the server key, unless another bearer is given.
  package func call(_ method: String, _ path: String, bearer: String? = nil, json: String? = nil) async throws
    -> HTTPCall.Answer
  {
    try await HTTPCall(method, baseURL + path, bearer: bearer ?? tenant.serverKey, json: json).answer()
  }

  /// Registers an installation over HTTP.
  package func register(token: String) async throws -> Device {
    let answer = try await HTTPCall(
      "POST", baseURL + "/v1/installations",
      headers: [
        (name: "X-Kits-Public-Key", value: tenant.publicKey),
        (name: "Idempotency-Key", value: UUID().uuidString.lowercased()),
      ],
      json: #"{"platform": "ios", "push_token": "\#(token)", "permission": "authorized", "language": "en"}"#
    ).answer()
    guard answer.status == 201, let id = answer.object["id"]?.string,
      let deviceToken = answer.object["device_token"]?.string
    else { throw TestFailure("registration: \(answer.status) \(answer.text)") }
    return Device(id: id, deviceToken: deviceToken)
  }

  /// Many installations at once, straight into the tables. Their tokens are `Self.token(1)` to `Self.token(count)`.
  package func fill(_ count: Int) async throws {
    try await query(
      """
      WITH d AS (
        SELECT a.app_no, nextval('installation_no_seq') AS installation_no,
          encode(sha256(convert_to('device ' || i, 'UTF8')), 'hex') AS token
        FROM app a CROSS JOIN generate_series(1, \(count)) i
      ),
      o AS (
        INSERT INTO token_owner (app_no, token, installation_no, registered_at)
        SELECT app_no, token, installation_no, now() FROM d
      )
      INSERT INTO installation (app_no, installation_no, installation_id, platform, push_token, token_state,
        token_registered_at, permission, binding_id, state_revision, state_hash, language)
      SELECT app_no, installation_no, gen_random_uuid(), 1, token, 1, now(), 3, gen_random_uuid(), 1, '', 'en' FROM d
      """)
  }

  /// The id of a message that was created.
  package func send(_ json: String) async throws -> String {
    let answer = try await call("POST", "/v1/messages", json: json)
    guard answer.status == 201, let id = answer.object["id"]?.string else {
      throw TestFailure("message: \(answer.status) \(answer.text)")
    }
    return id
  }

  package func message(_ id: String) async throws -> JSONObject {
    let answer = try await call("GET", "/v1/messages/\(id)")
    guard answer.status == 200 else { throw TestFailure("message \(id): \(answer.status) \(answer.text)") }
    return answer.object
  }

  /// The message once nothing of it is pending.
  package func settled(_ id: String, within limit: Duration = .seconds(60)) async throws -> JSONObject {
    try await eventually("message \(id) is settled", within: limit) {
      let message = try await self.message(id)
      let isFinal = ["completed", "canceled"].contains(message["state"]?.string ?? "")
      return isFinal && message["ledger"]?.object?["pending"]?.integer == 0 ? message : nil
    }
  }

  /// SQL of a test, as the superuser of its cluster.
  package func query(_ sql: String) async throws {
    try await withPool { pool in try await pool.script(sql) }
  }

  /// The first column of each row, a text.
  package func texts(_ sql: String) async throws -> [String] {
    try await withPool { pool in
      try await pool.run(
        DynamicStatement<String>(name: "texts", sql: sql, parameters: Parameters()) {
          (row) throws(PostgresError) in try row.string()
        })
    }
  }

  private func withPool<R>(_ body: (ConnectionPool) async throws -> R) async throws -> R {
    var configuration = PoolConfiguration(url: databaseURL)
    configuration.size = 1
    configuration.statementTimeout = .seconds(60)
    let pool = ConnectionPool(configuration)
    let result: Result<R, any Error>
    do { result = .success(try await body(pool)) } catch { result = .failure(error) }
    await pool.close()
    return try result.get()
  }
}

extension JSONObject {
  /// A count of a message's ledger.
  package func ledger(_ name: String) -> Int64? { self["ledger"]?.object?[name]?.integer }

  /// Every class summed up equals what was targeted.
  package var ledgerAddsUp: Bool {
    let classes = ["pending", "accepted", "failed", "suppressed", "expired", "canceled", "unknown"]
    return classes.compactMap(ledger).reduce(0, +) == ledger("targeted")
  }
}
