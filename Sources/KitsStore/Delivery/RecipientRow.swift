import KitsCore
import Postgres

/// A member of a chunk with its installation as it is now. Queries name the member `x`, the installation `i`, the owner
/// of its token `o`, what
/// holds it back `z`.
enum RecipientRow {
  static let columns = """
    x.idx, x.no, x.binding, x.outcome, i.installation_no IS NOT NULL, i.platform, i.apns_environment, i.push_token,
    i.token_state, o.token IS NOT NULL, i.permission, i.push_preference, i.binding_number, i.language,
    z.app_no IS NOT NULL
    """

  /// The members of chunk `k` from `start` to `attempted_to`, joined with what is known of them now.
  static func window(from start: String) -> String {
    """
    CROSS JOIN LATERAL (
      SELECT (\(start) + u.ord - 1)::integer AS idx, u.no, u.binding,
        get_byte(k.outcomes, (\(start) + u.ord - 1)::integer)::smallint AS outcome
      FROM unnest(k.members[\(start) + 1 : k.attempted_to], k.binding_nos[\(start) + 1 : k.attempted_to])
        WITH ORDINALITY AS u (no, binding, ord)
    ) x
    LEFT JOIN installation i ON i.app_no = $1 AND i.installation_no = x.no
    \(owner)
    \(pause)
    """
  }

  /// The installation's own hold on its token, found by installation: recipients come in that order, so their rows are
  /// beside one another, while each token is somewhere else. `OFFSET 0` keeps the planner from looking by token, which
  /// it finds cheaper as long as it has no statistics.
  static let owner = """
    LEFT JOIN LATERAL (
      SELECT o.token
      FROM token_owner o
      WHERE o.app_no = i.app_no AND o.installation_no = i.installation_no
      OFFSET 0
    ) o ON o.token = i.push_token
    """

  /// The open circuit of the installation's app and environment.
  static let pause = """
    LEFT JOIN app_circuit z ON z.app_no = i.app_no AND z.apns_environment = i.apns_environment AND z.state = 2
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Recipient {
    let index = try row.int32()
    let number = InstallationNumber(try row.int64())
    let planned = try row.int64OrNil()
    let outcome = OutcomeCode(UInt8(truncatingIfNeeded: try row.int16()))
    guard try row.bool() else {
      return Recipient(index: index, number: number, device: nil, plannedBinding: planned, outcome: outcome)
    }
    let device = Recipient.Device(
      platform: try row.known(Platform.self), apnsEnvironment: try row.known(APNsEnvironment.self),
      pushToken: try row.stringOrNil(), tokenState: try row.known(TokenState.self), ownsToken: try row.bool(),
      permission: try row.known(Permission.self), pushPreference: try row.bool(), bindingNumber: try row.int64(),
      language: LanguageTag(trusted: try row.string()), isPaused: try row.bool())
    return Recipient(index: index, number: number, device: device, plannedBinding: planned, outcome: outcome)
  }
}
