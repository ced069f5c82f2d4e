import Crypto
import Foundation
import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

/// What delivery and devices would write, written by the test.
extension Backend {
  static let reachable = #"{"platform":"ios","push_token":"TOKEN","permission":"authorized"}"#

  /// A device that can be sent to.
  func phone() async throws -> Device {
    try await tenant.device(Self.reachable.replacingOccurrences(of: "TOKEN", with: Tenant.pushToken()))
  }

  func number(_ device: Device) async throws -> Int64 {
    try await running.count("SELECT installation_no FROM installation WHERE installation_id = '\(device.id)'")
  }

  func numbers(_ devices: [Device]) async throws -> [Int64] {
    var numbers: [Int64] = []
    for device in devices { numbers.append(try await number(device)) }
    return numbers
  }

  /// One more chunk of a message; after it the message is planned.
  func chunk(
    _ message: String, _ number: Int = 0, members: [Int64], outcomes: [UInt8], bindings: [Int64]? = nil
  ) async throws {
    func array(_ values: [Int64]?) -> String {
      values.map { "'{\($0.map(String.init).joined(separator: ","))}'" } ?? "NULL"
    }
    try await running.pool.script(
      """
      INSERT INTO message_chunk (
        app_no, message_no, chunk_no, n, lo, hi, members, binding_nos, outcomes, attempted_to, first_at, last_at
      )
      SELECT app_no, message_no, \(number), \(members.count), \(members.min() ?? 0), \(members.max() ?? 0),
        \(array(members)), \(array(bindings)), decode('\(Hex.encode(outcomes))', 'hex'), 0, now(), now()
      FROM message WHERE message_id = '\(message)';
      UPDATE message SET state = 2, plan_done = true, planned = planned + \(members.count),
        started_at = coalesce(started_at, now())
      WHERE message_id = '\(message)';
      """)
  }

  func track(_ message: String, events: Bool = true, receipts: Bool = false) async throws {
    try await running.pool.script(
      "UPDATE message SET track_events = \(events), track_receipts = \(receipts) WHERE message_id = '\(message)'")
  }

  /// Devices confirm, some hours ago: the record and its hour.
  func confirm(
    _ message: String, _ devices: [Int64], type: Int = 1, source: Int = 1, hoursAgo: Int = 0
  ) async throws {
    try await Self.partition.value
    try await running.pool.script(
      """
      INSERT INTO notification_event (
        app_no, installation_no, message_no, type, source, binding_number, occurred_at, received_at
      )
      SELECT app_no, u.no, message_no, \(type), \(source), 1, now() - interval '\(hoursAgo) hours 1 second',
        now() - interval '\(hoursAgo) hours'
      FROM message, unnest('{\(devices.map(String.init).joined(separator: ","))}'::bigint[]) AS u (no)
      WHERE message_id = '\(message)';
      INSERT INTO event_hour AS h (app_no, message_no, type, hour, count)
      SELECT app_no, message_no, \(type), date_trunc('hour', now() - interval '\(hoursAgo) hours', 'UTC'),
        \(devices.count)
      FROM message WHERE message_id = '\(message)'
      ON CONFLICT (app_no, message_no, type, hour) DO UPDATE SET count = h.count + excluded.count;
      """)
  }

  /// Somewhere for records whose day has no partition.
  private static let partition = Task {
    let running = try await RunningAPI.shared.value
    try await running.pool.script(
      "CREATE TABLE IF NOT EXISTS notification_event_other PARTITION OF notification_event DEFAULT")
  }

  /// All pages of a list, and how many there were.
  func deliveries(_ message: String, _ query: String = "", limit: Int = 100) async throws -> (
    all: [JSONValue], pages: Int
  ) {
    var all: [JSONValue] = []
    var cursor = ""
    for page in 1... {
      let reply = try await get("/v1/messages/\(message)/deliveries?limit=\(limit)\(query)\(cursor)")
      try #require(reply.status == 200, "\(reply.json)")
      let data = try #require(reply.json["data"]?.array)
      #expect(data.count <= limit)
      all += data
      guard let next = reply.json["next_cursor"]?.string else { return (all, page) }
      cursor = "&cursor=\(next)"
    }
    return (all, 0)
  }

  func why(_ message: String, _ device: Device) async throws -> Reply {
    try await get("/v1/messages/\(message)/deliveries/\(device.id)")
  }
}
