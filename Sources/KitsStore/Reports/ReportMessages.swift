import KitsCore
import Postgres

/// What was counted of each hour, by hour or by day. Every one has a row.
struct ReportMessages: Statement {
  let app: AppNumber
  let days: ClosedRange<Day>
  let interval: MessageReport.Interval

  static let sql = """
    WITH h AS (
      SELECT floor(extract(epoch FROM h.hour) / $4::integer)::bigint AS step, sum(h.messages)::bigint AS messages,
        sum(h.targeted)::bigint AS targeted, sum(h.pending)::bigint AS pending, sum(h.accepted)::bigint AS accepted,
        sum(h.failed)::bigint AS failed, sum(h.suppressed)::bigint AS suppressed, sum(h.expired)::bigint AS expired,
        sum(h.canceled)::bigint AS canceled, sum(h.unknown)::bigint AS unknown, sum(h.received)::bigint AS received,
        sum(h.clicked)::bigint AS clicked
      FROM message_hour h
      WHERE h.app_no = $1 AND h.hour >= to_timestamp($2::bigint * 86400)
        AND h.hour < to_timestamp(($3::bigint + 1) * 86400)
      GROUP BY 1
    )
    SELECT (SELECT nullif(m.done_at, '-infinity') FROM maintenance m WHERE m.task = 'reports'), s.step * $4, h.messages,
      h.targeted, h.pending, h.accepted, h.failed, h.suppressed, h.expired, h.canceled, h.unknown, h.received, h.clicked
    FROM generate_series($2::bigint * 86400 / $4, ($3::bigint + 1) * 86400 / $4 - 1) AS s (step)
    LEFT JOIN h USING (step)
    ORDER BY s.step
    """

  typealias Row = (asOf: Timestamp?, step: MessageReport.Step)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(days.lowerBound.number)
    parameters.add(days.upperBound.number)
    parameters.add(interval == .hour ? Int32(3_600) : Int32(86_400))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let asOf = try row.timestampOrNil().map(Timestamp.init(microseconds:))
    let start = Timestamp(microseconds: try row.int64() * 1_000_000)
    var numbers: [Int64] = []
    for _ in 0..<11 { numbers.append(try row.int64OrNil() ?? 0) }
    let classes: [OutcomeClass] = [.pending, .accepted, .failed, .suppressed, .expired, .canceled, .unknown]
    let reasons = zip(classes, numbers[2...]).map {
      Ledger.ReasonCount(outcomeClass: $0, reason: "", count: $1)
    }
    let counts = MessageReport.Counts(
      messages: numbers[0], ledger: Ledger(targeted: numbers[1], reasons: reasons), received: numbers[9],
      clicked: numbers[10])
    return (asOf: asOf, step: MessageReport.Step(start: start, counts: counts))
  }
}
