import KitsCore
import Postgres

/// The columns of a message's timing in the order in which `decode` reads them; queries name the row `m`.
enum TimingRow {
  static let columns = """
    m.send_at, m.local_at AT TIME ZONE 'UTC', m.zones_past, m.default_zone, m.throttle_per_minute, m.revision
    """

  /// When scheduled message `m` is or was to start, whatever delays it.
  static let startsAt = """
    greatest(
      coalesce(m.send_at, m.local_at AT TIME ZONE 'UTC' - interval '\(LocalSchedule.eastmostSeconds) seconds'),
      m.chosen_at
    )
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageTiming {
    let sendAt = try row.timestampOrNil().map(Timestamp.init(microseconds:))
    let localAt = try row.timestampOrNil().map(Timestamp.init(microseconds:))
    let zonesPast = ZonesPast(rawValue: try row.int16OrNil() ?? 0)
    let defaultZone = try row.stringOrNil()
    let throttle = try row.int32OrNil()
    return MessageTiming(
      schedule: schedule(sendAt, localAt, zonesPast, defaultZone), throttlePerMinute: throttle,
      revision: try row.int64())
  }

  private static func schedule(
    _ sendAt: Timestamp?, _ localAt: Timestamp?, _ zonesPast: ZonesPast?, _ defaultZone: String?
  ) -> MessageSchedule? {
    if let localAt, let zonesPast {
      return .local(LocalSchedule(at: localAt, zonesPast: zonesPast, defaultZone: defaultZone))
    }
    return sendAt.map(MessageSchedule.at)
  }

  /// What the columns `send_at`, `local_at`, `zones_past`, `default_zone`, `due_at` and `throttle_per_minute` are set
  /// to, in this order; `local_at` is a timestamptz here.
  static func bind(_ timing: MessageTiming, to parameters: inout Parameters) {
    var sendAt: Timestamp?
    var local: LocalSchedule?
    switch timing.schedule {
    case .at(let time): sendAt = time
    case .local(let schedule): local = schedule
    case nil: break
    }
    parameters.add(timestamp: sendAt?.microseconds)
    parameters.add(timestamp: local?.at.microseconds)
    parameters.add(local?.zonesPast.rawValue)
    parameters.add(local?.defaultZone)
    parameters.add(timestamp: timing.schedule?.startsAt.microseconds)
    parameters.add(timing.throttlePerMinute)
  }
}
