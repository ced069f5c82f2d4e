internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// What happened over time: devices that came and went (T9), and messages.
struct ReportHandlers: Sendable {
  let gate: Gate
  let reports: ReportStore
  /// Knows a server key and the app that a query names in one question.
  let messages: MessageStore
  let answers: Answers
  let now: @Sendable () -> Int64

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    reports = surroundings.reports
    messages = surroundings.messages
    answers = surroundings.answers
    now = surroundings.now
  }

  var routes: [Route] {
    [
      Route(.get, "/v1/reports/uninstalls", admit: admit, handle: { await answers.answer($0, uninstalls) }),
      Route(.get, "/v1/reports/messages", admit: admit, handle: { await answers.answer($0, messages) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  private var today: Day { Day(of: Timestamp(microseconds: now() * 1_000)) }

  /// `GET /v1/reports/uninstalls`
  private func uninstalls(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: ReportQuery.parameters.union(["group_by"]))
    let asked = ReportQuery(&query, today: today, atMost: Limits.reportDays)
    let grouping =
      query.choice("group_by", ["platform": UninstallReport.Grouping.platform, "version": .version]) ?? .none
    let app = try await admitReader(secret, app: asked.app, &query)
    let report = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await reports.uninstalls(app: app.number, days: asked.days, grouping: grouping, deadline: deadline)
    }
    if request.head.prefersCSV { return .csv(UninstallReportCSV.lines(report)) }
    return .json(200, UninstallReportJSON.report(report, app: app.id, days: asked.days))
  }

  /// `GET /v1/reports/messages`
  private func messages(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: ReportQuery.parameters.union(["interval"]))
    let interval = query.choice("interval", ["day": MessageReport.Interval.day, "hour": .hour]) ?? .day
    let limit = interval == .hour ? Limits.reportHourlyDays : Limits.reportDays
    let asked = ReportQuery(&query, today: today, atMost: limit)
    let app = try await admitReader(secret, app: asked.app, &query)
    let report = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await reports.messages(app: app.number, days: asked.days, interval: interval, deadline: deadline)
    }
    if request.head.prefersCSV { return .csv(MessageReportCSV.lines(report)) }
    return .json(200, MessageReportJSON.report(report, app: app.id, days: asked.days))
  }

  /// The app that the query names, or the only one there is.
  private func admitReader(
    _ secret: ServerKeySecret, app: AppID?, _ query: inout QueryReader
  ) async throws(Problem) -> CreationRequest.AdmittedApp {
    let reading = CreationRequest(serverKeyHash: secret.hash, app: app, idempotencyKeyHash: nil)
    let admission = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.admit(reading, deadline: deadline)
    }
    guard let admission else { throw .unknownServerKey }
    try Gate.require(.reportsRead, of: admission.key)
    try query.finish()
    if let admitted = admission.app { return admitted }
    if app != nil { throw .unknownApp(.parameter("app_id")) }
    throw Problem(.appRequired, "The environment doesn't have exactly one app: app_id must name one.")
  }
}
