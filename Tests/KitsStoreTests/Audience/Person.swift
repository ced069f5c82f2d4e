import Foundation
import KitsCore
import Postgres

/// An installation as filters see it, and how it gets into the table.
struct Person: Sendable {
  let number: Int64
  let platform: Platform
  let appVersion: String?
  let osVersion: String?
  let language: String
  let firstSession: Int64?
  let lastSession: Int64?
  let sessions: Int64
  let foregroundSeconds: Int64
  let tags: [String: String]
  let timeZone: String?
  let externalID: String?
  /// What was told of each message; those of an earlier binding count for nothing.
  let events: [Event]

  struct Event: Sendable {
    let message: Int
    let type: NotificationEventType
    let isOfThisBinding: Bool
  }

  static func random(_ number: Int64, now: Int64, using random: inout SplitMix) -> Person {
    var tags: [String: String] = [:]
    for key in Pool.keys where Bool.random(using: &random) { tags[key] = Pool.values.randomElement(using: &random) }
    func session() -> Int64? {
      Pool.ages.randomElement(using: &random)?.map { now - $0 * 1_000_000 + Int64.random(in: -1...1, using: &random) }
    }
    var events: [Event] = []
    for message in 0..<2 {
      for type in NotificationEventType.allCases where Int.random(in: 0..<3, using: &random) == 0 {
        events.append(
          Event(message: message, type: type, isOfThisBinding: Int.random(in: 0..<4, using: &random) > 0))
      }
    }
    return Person(
      number: number, platform: Platform.allCases.randomElement(using: &random) ?? .ios,
      appVersion: Pool.versions.randomElement(using: &random) ?? nil,
      osVersion: Pool.versions.randomElement(using: &random) ?? nil,
      language: Pool.languages.randomElement(using: &random)?.lowercased() ?? "und",
      firstSession: session(), lastSession: session(), sessions: Int64.random(in: 0...5, using: &random),
      foregroundSeconds: Pool.counts.randomElement(using: &random) ?? 0, tags: tags,
      timeZone: Pool.zones.randomElement(using: &random) ?? nil,
      externalID: Pool.users.randomElement(using: &random) ?? nil, events: events)
  }

  /// Writes all of them as installations of app 1.
  static func store(_ people: [Person], in pool: ConnectionPool) async throws {
    var parameters = Parameters()
    parameters.add(people.map(\.number))
    parameters.add(people.map(\.platform.rawValue))
    parameters.add(people.map(\.appVersion))
    parameters.add(people.map(\.osVersion))
    parameters.add(people.map(\.language))
    parameters.add(timestamps: people.map(\.firstSession))
    parameters.add(timestamps: people.map(\.lastSession))
    parameters.add(people.map(\.sessions))
    parameters.add(people.map(\.foregroundSeconds))
    parameters.add(jsons: try people.map { Array(try JSONSerialization.data(withJSONObject: $0.tags)) })
    parameters.add(people.map(\.timeZone))
    parameters.add(people.map(\.externalID))
    let statement = DynamicStatement<Int64>(
      name: "store", sql: insertion, parameters: parameters, isIdempotent: false, decode: number)
    _ = try await pool.run(statement)
    try await storeEvents(people, in: pool)
  }

  /// Messages 0 and 1 of the pool, and all events. `installation.binding_number` is 1.
  private static func storeEvents(_ people: [Person], in pool: ConnectionPool) async throws {
    for (place, id) in Pool.messages.prefix(2).enumerated() {
      try await pool.script(
        """
        INSERT INTO message (app_no, message_id, message_no, state, target_kind, expires_at, plan_upto, created_by)
        VALUES (1, '\(id.text)', (extract(epoch FROM now()) * 1000)::bigint << 22 | \(place), 3, 2, now(), 0,
          gen_random_uuid())
        """)
    }
    let all = people.flatMap { person in person.events.map { (number: person.number, event: $0) } }
    var parameters = Parameters()
    parameters.add(all.map(\.number))
    parameters.add(all.map { Pool.messages[$0.event.message].uuid })
    parameters.add(all.map(\.event.type.rawValue))
    parameters.add(all.map { $0.event.isOfThisBinding ? Int64(1) : 0 })
    let statement = DynamicStatement<Int64>(
      name: "events",
      sql: """
        INSERT INTO notification_event (app_no, installation_no, message_no, type, source, binding_number)
        SELECT 1, u.no, m.message_no, u.type, 1, u.binding
        FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::bigint[]) AS u (no, id, type, binding)
        JOIN message m ON m.app_no = 1 AND m.message_id = u.id
        RETURNING installation_no
        """, parameters: parameters, isIdempotent: false, decode: number)
    _ = try await pool.run(statement)
  }

  static let number: @Sendable (inout RowReader) throws(PostgresError) -> Int64 = { row throws(PostgresError) in
    try row.int64()
  }

  private static let insertion = """
    INSERT INTO installation (app_no, installation_no, installation_id, platform, binding_id, state_revision,
      state_hash, app_version, os_version, language, first_session_at, last_session_at, session_count,
      foreground_seconds, tags, time_zone, external_id)
    SELECT 1, no, gen_random_uuid(), platform, gen_random_uuid(), 1, '', app_version, os_version, language, first, last,
      sessions, seconds, tags, zone, external_id
    FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
      $8::bigint[], $9::bigint[], $10::jsonb[], $11::text[], $12::text[])
      AS u (no, platform, app_version, os_version, language, first, last, sessions, seconds, tags, zone, external_id)
    RETURNING installation_no
    """
}

/// Small pools, so that conditions and people meet.
enum Pool {
  /// The last one is nobody's.
  static let messages = (1...3).map { number in
    MessageID(UUID(uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, UInt8(number))))
  }
  static let keys = ["plan", "score", "a.b", "x-y_z"]
  static let values = [
    "", "pro", "free", "10", "9", "-3.5", "007", "10.0", "1e5", "+5", ".5", "5.", "3,5", "NaN", "-0",
    "9999999999999999999999999.1", "9999999999999999999999999.10", "%", "_", "'; DROP TABLE installation; --", "\\",
    "\"", "{}", "null", "é", "e\u{301}", "\u{FEFF}", "😀", "$1", "a\u{2028}b",
  ]
  static let decimals = ["10", "9.99", "-3.5", "0", "7", "9999999999999999999999999.1", "-100", "0.5"]
  static let versions: [String?] = [
    nil, "1.2", "1.2.0", "1.10", "1.9", "1.2.3-beta", "1.2.3-beta.2", "1.2.3-beta.11", "1.2.3", "1.2.3+7", "2024.1.0.3",
    "2024.1", "99999999999999999999.1", "100000000000000000000", "v1", "beta", "1..2", "'", "0",
  ]
  static let languages = [
    "und", "en", "en-US", "enm", "en-x-a", "de", "de-DE", "de-de-1996", "zh-Hant-TW", "zh", "x-en",
  ]
  static let ranges = ["en", "de", "de-DE", "zh-Hant", "zh", "und", "x-en", "fr", "en-x"]
  static let zones: [String?] = [nil, "Europe/Berlin", "europe/berlin", "UTC", "America/New_York"]
  static let users: [String?] = [nil, nil, "u1", "u2", "é", "e\u{301}", "' OR 1=1", "%", "U1"]
  /// Seconds ago; negative is in the future.
  static let ages: [Int64?] = [nil, -60, 0, 59, 60, 61, 86_400, 604_800, 40_000_000]
  static let counts: [Int64] = [0, 1, 2, 59, 60, 3_600, 9_007_199_254_740_991]
}
