/// What the admin address answers, apart from HTTP.
struct AdminAnswer: Sendable, Equatable {
  let status: Int
  let contentType: String
  let body: String

  static let alive = AdminAnswer(status: 200, contentType: "application/json", body: "{\"status\":\"alive\"}\n")

  static func readiness(_ reasons: [Readiness.Reason]) -> AdminAnswer {
    let list = reasons.map {
      Report.Value.object([.init("check", .string($0.check)), .init("reason", .string($0.reason))])
    }
    let report = Report([
      ("status", .string(reasons.isEmpty ? "ready" : "not_ready")), ("reasons", .list(list)),
    ])
    return AdminAnswer(
      status: reasons.isEmpty ? 200 : 503, contentType: "application/json", body: report.json)
  }

  static func fault(status: Int) -> AdminAnswer {
    AdminAnswer(
      status: status, contentType: "application/problem+json", body: Report([("status", .integer(status))]).json)
  }

  static func metrics(_ registry: MetricsRegistry) -> AdminAnswer {
    AdminAnswer(status: 200, contentType: MetricsRegistry.contentType, body: registry.exposition())
  }
}
