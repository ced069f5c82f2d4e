internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension DeliveryHandlers {
  private static let outcomes = Dictionary(uniqueKeysWithValues: OutcomeClass.allCases.map { ($0.name, $0) })
  private static let events: [String: DeliverySelection.EventTest] = [
    "received": .init(.received, isThere: true), "not_received": .init(.received, isThere: false),
    "clicked": .init(.clicked, isThere: true), "not_clicked": .init(.clicked, isThere: false),
  ]

  /// `GET /v1/messages/{id}/deliveries`
  func list(_ request: Request) async throws(Problem) -> Response {
    let environment = try await environment(request)
    var query = QueryReader(request.head, allowed: ["outcome", "reason", "event", "limit", "cursor"])
    let selection = select(&query)
    let limit = query.integer("limit", in: Limits.deliveriesPage) ?? Limits.defaultDeliveriesPage
    let cursor = query.text("cursor")
    try query.finish()
    let message = try await message(request, of: environment)
    if message.isForgotten {
      throw Problem(.forgotten, "The message is older than the server's retention: its ledger is all that is left.")
    }
    let position = cursor.map { cursors.read($0, for: message, selection) } ?? .start
    guard let position else {
      query.refuse("cursor", .badFormat, "It is no cursor of this list.")
      try query.finish()
      throw .notFound
    }
    let page = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.deliveries(
        of: message, selection, after: position, limit: Int32(limit), deadline: deadline)
    }
    let next = try page.next.map { (place) throws(Problem) in try cursors.write(place, for: message, selection) }
    switch DeliveryForm(accepting: request.head.headers.all("Accept")) {
    case .json: return .json(200, DeliveryJSON.page(page, isPlanned: message.isPlanned, nextCursor: next))
    case .csv: return DeliveryCSV.response(page, nextCursor: next)
    }
  }

  private func select(_ query: inout QueryReader) -> DeliverySelection {
    let reason = query.text("reason")
    if let reason, !Limits.reasonBytes.contains(reason.utf8.count) {
      query.refuse(
        "reason", reason.isEmpty ? .tooShort : .tooLong, "It must have 1 to \(Limits.reasonBytes.upperBound) bytes.")
    }
    if let reason, reason.unicodeScalars.contains(where: VisibleText.isHazard) {
      query.refuse("reason", .badFormat, "It must not hold control characters.")
    }
    return DeliverySelection(
      outcome: query.choice("outcome", Self.outcomes), reason: reason, event: query.choice("event", Self.events))
  }
}
