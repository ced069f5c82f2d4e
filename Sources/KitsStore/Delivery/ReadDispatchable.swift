package import KitsCore
import Postgres

/// All that sending a message needs and that never changes while it is sent, but for the key of its app.
package struct DispatchableMessage: Sendable {
  package let app: AppNumber
  package let number: MessageNumber
  package let payloads: RenderedPayloads
  package let kind: MessageKind
  package let priority: MessagePriority
  package let ttlSeconds: Int32
  package let expiresAt: Timestamp
  package let collapseID: String?
  package let onUnknown: OnUnknown
  package let bundleID: String
  package let key: SealedAPNsKey?
  package var tracking: MessageTracking = []
}

/// The columns of a dispatchable message in the order in which `decode` reads them; queries name the rows `m`, `b`, `a`
/// and `s` (the key).
enum DispatchableRow {
  /// A message by local time lives until the last zone's recipients had their time to live; for the push service each
  /// recipient's counts from when it is sent.
  private static let expiresAt = """
    CASE
      WHEN m.local_at IS NULL THEN m.expires_at
      ELSE least(m.expires_at, now() + make_interval(secs => greatest(b.ttl_seconds, 60)))
    END
    """

  static let columns = """
    b.languages, b.payloads, b.push_type, b.priority, b.ttl_seconds, \(expiresAt), b.collapse_id, m.on_unknown,
    a.bundle_id, m.app_no, m.message_no, m.track_events, m.track_receipts, s.team_id, s.key_id,
    s.fingerprint, s.sealed_under, s.private_key
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> DispatchableMessage {
    let languages = try row.stringArray()
    let payloads = try row.bytesArray()
    guard let base = payloads.first, payloads.count == languages.count + 1 else {
      throw PostgresError.decode("message_body: payloads don't match languages")
    }
    let kind = try row.known(MessageKind.self)
    let priority = try row.known(MessagePriority.self)
    let ttl = try row.int32()
    let expiresAt = Timestamp(microseconds: try row.timestamp())
    let collapseID = try row.stringOrNil()
    let onUnknown = try row.known(OnUnknown.self)
    let bundleID = try row.string()
    let app = AppNumber(try row.int64())
    let number = MessageNumber(try row.int64())
    let tracking = MessageTracking(events: try row.bool(), receipts: try row.bool())
    return DispatchableMessage(
      app: app, number: number,
      payloads: RenderedPayloads(base: base, localized: Array(zip(languages, payloads.dropFirst()))),
      kind: kind, priority: priority, ttlSeconds: ttl, expiresAt: expiresAt, collapseID: collapseID,
      onUnknown: onUnknown, bundleID: bundleID, key: try decodeKey(&row), tracking: tracking)
  }

  private static func decodeKey(_ row: inout RowReader) throws(PostgresError) -> SealedAPNsKey? {
    let teamID = try row.stringOrNil()
    let keyID = try row.stringOrNil()
    let fingerprint = try row.bytesOrNil()
    let sealedUnder = try row.stringOrNil()
    let privateKey = try row.bytesOrNil()
    guard let teamID, let keyID, let fingerprint, let sealedUnder, let privateKey else { return nil }
    return SealedAPNsKey(
      teamID: teamID, keyID: keyID, fingerprint: fingerprint, sealedUnder: sealedUnder, sealedPrivateKey: privateKey)
  }
}

struct ReadDispatchable: Statement {
  let message: OpenMessage

  static let sql = """
    SELECT \(DispatchableRow.columns)
    FROM message m
    JOIN message_body b USING (app_no, message_no)
    JOIN app a USING (app_no)
    LEFT JOIN apns_key s USING (app_no)
    WHERE m.app_no = $1 AND m.message_no = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(message.app.value)
    parameters.add(message.message.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> DispatchableMessage {
    try DispatchableRow.decode(&row)
  }
}
