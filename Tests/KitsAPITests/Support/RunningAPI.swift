import Crypto
import Foundation
import HTTPServer
import JSON
import KitsCore
import KitsStore
import Postgres
import Synchronization
import TestSupport

@testable import KitsAPI

/// The API over a real server and a real database.
final class RunningAPI: Sendable {
  let url: String
  let pool: ConnectionPool
  let access: AccessStore
  let keys: KeyRing
  let api: API
  let server: Server
  let events: Recorder

  /// Shared by all tests of the process; each works in a tenant of its own.
  static let shared = Task { try await RunningAPI(url: TestDatabase.make().url) }

  init(url: String, keys: KeyRing? = nil, rates: RateLimits = .none) async throws {
    self.url = url
    pool = ConnectionPool(PoolConfiguration(url: url))
    access = AccessStore(pool: pool)
    self.keys = try keys ?? TestKeys.ring()
    let events = Recorder()
    self.events = events
    api = API(
      access: access, audit: AuditStore(pool: pool), environments: EnvironmentStore(pool: pool),
      installations: InstallationStore(pool: pool), messages: MessageStore(pool: pool),
      circuits: CircuitStore(pool: pool), identities: IdentityStore(pool: pool), users: UserStore(pool: pool),
      segments: SegmentStore(pool: pool, previewsAtOnce: 64), reports: ReportStore(pool: pool),
      signing: SigningStore(pool: pool), events: EventStore(pool: pool), webhooks: WebhookStore(pool: pool),
      rates: rates, keys: self.keys, publicURL: "https://push.example.com",
      now: { Int64(Date().timeIntervalSince1970 * 1_000) }, observe: { events.record($0) })
    server = Server(ServerConfiguration(), router: Router(api.routes, fault: api.fault(_:requestID:)))
    try server.start()
  }

  /// Another node on the same database.
  convenience init(sharing other: RunningAPI, rates: RateLimits = .none) async throws {
    try await self.init(url: other.url, keys: other.keys, rates: rates)
  }

  func send(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) async throws -> Reply {
    try await HTTPCall.send(
      HTTPCall.bytes(method, target, headers: headers, body: body), port: server.port)
  }

  func send(
    _ method: String, _ target: String, headers: [(String, String)] = [], json: String
  ) async throws -> Reply {
    try await send(
      method, target, headers: headers + [("Content-Type", "application/json")], body: Array(json.utf8))
  }

  /// One column of one row.
  func count(_ sql: String) async throws -> Int64 {
    let statement = DynamicStatement(name: "test", sql: sql, parameters: Parameters()) {
      (row: inout RowReader) throws(PostgresError) in try row.int64()
    }
    return try await pool.run(statement).first ?? -1
  }

  /// One column of all rows.
  func texts(_ sql: String) async throws -> [String] {
    let statement = DynamicStatement(name: "test", sql: sql, parameters: Parameters()) {
      (row: inout RowReader) throws(PostgresError) in try row.string()
    }
    return try await pool.run(statement)
  }

  final class Recorder: Sendable {
    private let events = Mutex<[APIEvent]>([])

    func record(_ event: APIEvent) { events.withLock { $0.append(event) } }
    var all: [APIEvent] { events.withLock { $0 } }
  }
}

enum TestKeys {
  /// Ring with the ids given; the secret of an id never changes.
  static func ring(_ ids: [String] = ["k1"], minting: String = "k1") throws -> KeyRing {
    try KeyRing(
      masterKeys: ids.map { (id: $0, secret: SHA256.hash(Array("master \($0)".utf8))) }, mintingID: minting)
  }
}
