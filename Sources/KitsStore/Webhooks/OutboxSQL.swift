import KitsCore

/// The part of a changing statement that tells the event feed about the change, in the same transaction.
///
/// A change to a message holds its row, so that the numbers of its events are taken in the order of the changes.
enum OutboxSQL {
  /// A CTE that tells of messages. Events of one statement and message come in the order of their types.
  ///
  /// - Parameters:
  ///   - source: the FROM item of the changed messages with columns `app_no`, `message_id`, `state` and `planned`, as
  ///     they are after the change.
  ///   - types: what happened, each with a condition on a row `m` of the source.
  static func messages(
    from source: String, _ types: [(type: EventType, condition: String)], named name: String = "outbox"
  ) -> String {
    let happened = types.map { "(\($0.type.rawValue)::smallint, \($0.condition))" }.joined(separator: ", ")
    return """
      \(name) AS (
        INSERT INTO outbox_event (app_no, type, subject, data)
        SELECT m.app_no, v.type, m.message_id,
          jsonb_build_object(
            'app_id', a.app_id, 'message_id', m.message_id, 'state', \(state), 'targeted', m.planned)
        FROM \(source) m
        JOIN app a ON a.app_no = m.app_no
        CROSS JOIN LATERAL (VALUES \(happened)) AS v (type, is_so)
        WHERE v.is_so
        ORDER BY m.app_no, m.message_id, v.type
      )
      """
  }

  private static var state: String {
    let cases = MessageState.allCases.map { "WHEN \($0.rawValue) THEN '\($0.name)'" }
    return "CASE m.state \(cases.joined(separator: " ")) END"
  }

  /// CTEs that tell of reported notifications, when an endpoint of their app wants to know. One event tells of up to
  /// `Limits.notificationsPerEvent` of one message, so that a million reports are some thousand requests.
  ///
  /// - Parameter source: the CTE of the rows that the statement inserted, with the columns of `notification_event`.
  static func notifications(from source: String) -> String {
    """
    outbox_wanted AS MATERIALIZED (
      SELECT a.app_no, a.app_id, k.type, k.event_type
      FROM (
        SELECT DISTINCT e.app_no, e.type,
          CASE e.type WHEN 1 THEN \(EventType.notificationReceived.rawValue)
            ELSE \(EventType.notificationClicked.rawValue) END::smallint AS event_type
        FROM \(source) e
      ) k
      JOIN app a ON a.app_no = k.app_no
      WHERE \(isWanted(app: "a", type: "k.event_type"))
    ),
    outbox AS (
      INSERT INTO outbox_event (app_no, type, subject, data)
      SELECT p.app_no, p.event_type, m.message_id,
        jsonb_build_object(
          'app_id', p.app_id, 'message_id', m.message_id, 'notifications', jsonb_agg(
            jsonb_build_object(
              'installation_id', i.installation_id, 'source', CASE p.source WHEN 2 THEN 'extension' ELSE 'app' END,
              'occurred_at', \(time("p.occurred_at")))
            ORDER BY p.installation_no))
      FROM (
        SELECT e.app_no, e.message_no, e.installation_no, e.source, e.occurred_at, w.app_id, w.event_type,
          (row_number() OVER (PARTITION BY e.app_no, e.message_no, e.type ORDER BY e.installation_no) - 1)
            / \(Limits.notificationsPerEvent) AS part
        FROM \(source) e
        JOIN outbox_wanted w ON w.app_no = e.app_no AND w.type = e.type
      ) p
      JOIN message m ON m.app_no = p.app_no AND m.message_no = p.message_no
      JOIN installation i ON i.app_no = p.app_no AND i.installation_no = p.installation_no
      GROUP BY p.app_no, p.app_id, p.event_type, m.message_id, p.part
      ORDER BY p.app_no, m.message_id, p.event_type, p.part
    )
    """
  }

  /// CTEs that tell of devices that the app is gone from, when an endpoint of their app wants to know.
  ///
  /// - Parameter source: the CTE of the changed installations with `app_no`, `installation_id`, `installation_no`,
  ///   `platform`, `app_version` and `token_state`, as they are after the change.
  static func unregistered(from source: String) -> String {
    """
    outbox_wanted AS MATERIALIZED (
      SELECT a.app_no, a.app_id
      FROM (SELECT DISTINCT u.app_no FROM \(source) u WHERE u.token_state = \(TokenState.unregistered.rawValue)) k
      JOIN app a ON a.app_no = k.app_no
      WHERE \(isWanted(app: "a", type: "\(EventType.installationUnregistered.rawValue)::smallint"))
    ),
    outbox AS (
      INSERT INTO outbox_event (app_no, type, data)
      SELECT p.app_no, \(EventType.installationUnregistered.rawValue),
        jsonb_build_object(
          'app_id', p.app_id, 'installations', jsonb_agg(
            jsonb_build_object(
              'installation_id', p.installation_id, 'platform', \(platform), 'app_version', p.app_version)
            ORDER BY p.installation_no))
      FROM (
        SELECT u.app_no, u.installation_no, u.installation_id, u.platform, u.app_version, w.app_id,
          (row_number() OVER (PARTITION BY u.app_no ORDER BY u.installation_no) - 1)
            / \(Limits.notificationsPerEvent) AS part
        FROM \(source) u
        JOIN outbox_wanted w ON w.app_no = u.app_no
        WHERE u.token_state = \(TokenState.unregistered.rawValue)
      ) p
      GROUP BY p.app_no, p.app_id, p.part
      ORDER BY p.app_no, p.part
    )
    """
  }

  private static var platform: String {
    let cases = Platform.allCases.map { "WHEN \($0.rawValue) THEN '\($0.name)'" }
    return "CASE p.platform \(cases.joined(separator: " ")) END"
  }

  /// A CTE that tells that an app was paused or resumed.
  ///
  /// - Parameter source: the FROM item with a row `x` of columns `app_no`, `app_id` and `apns_environment`, one per
  ///   environment.
  /// - Parameter reason: an expression for the number of the `PauseReason`.
  static func app(_ type: EventType, from source: String, reason: String?) -> String {
    """
    outbox AS (
      INSERT INTO outbox_event (app_no, type, subject, data)
      SELECT x.app_no, \(type.rawValue), x.app_id,
        jsonb_build_object(
          'app_id', x.app_id, 'apns_environments', jsonb_agg(\(PauseSQL.environment("x")) ORDER BY x.apns_environment)
          \(reason.map { ", 'reason', \(Self.reason($0))" } ?? ""))
      FROM \(source)
      GROUP BY x.app_no, x.app_id
    )
    """
  }

  private static func reason(_ number: String) -> String {
    let cases = PauseReason.allCases.map { "WHEN \($0.rawValue) THEN '\($0.name)'" }
    return "CASE \(number) \(cases.joined(separator: " ")) END"
  }

  /// Whether an endpoint listens: one look into an index of those that are switched on.
  private static func isWanted(app: String, type: String) -> String {
    """
    EXISTS (
      SELECT
      FROM webhook w
      WHERE w.environment_no = \(app).environment_no AND w.enabled
        AND (w.for_app IS NULL OR w.for_app = \(app).app_no) AND \(type) = ANY (w.types)
    )
    """
  }

  /// A time as the API writes all of them.
  static func time(_ expression: String) -> String {
    #"to_char(\#(expression) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#
  }
}
