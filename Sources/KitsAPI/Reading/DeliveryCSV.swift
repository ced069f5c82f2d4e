internal import HTTPServer
internal import KitsCore

/// The same as a table. Every page has the line with the names; the cursor is in a header.
enum DeliveryCSV {
  static let columns = [
    "installation_id", "outcome", "reason", "attempts", "resent", "received_at", "clicked_at",
  ]
  static let nextCursorHeader = "X-Kits-Next-Cursor"

  static func response(_ page: DeliveryPage, nextCursor: String?) -> Response {
    let text = page.deliveries.reduce(into: CSV.line(columns)) { $0 += CSV.line(cells($1)) }
    var response = Response(status: 200, headers: Headers(), body: Array(text.utf8))
    response.headers.set("Content-Type", "text/csv; charset=utf-8; header=present")
    response.headers.set("Content-Disposition", "attachment; filename=\"deliveries.csv\"")
    response.headers.set("Cache-Control", "no-store")
    if let nextCursor { response.headers.set(nextCursorHeader, nextCursor) }
    return response
  }

  private static func cells(_ delivery: DeliveryRecord) -> [String] {
    let standing = delivery.standing
    return [
      delivery.installation?.text ?? "", standing.outcome.name, standing.reason, "\(standing.attempts)",
      standing.isResent ? "true" : "false", standing.receivedAt?.milliseconds ?? "",
      standing.clickedAt?.milliseconds ?? "",
    ]
  }
}
