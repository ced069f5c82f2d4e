internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// What a notification service extension tells, which has no credential but the token in the payload (K13, K14).
struct ReceiptHandlers: Sendable {
  let events: EventStore
  let proof: DeliveryProof
  let rate: EventRate
  let answers: Answers
  let observe: @Sendable (APIEvent) -> Void

  init(_ surroundings: Surroundings) {
    events = surroundings.events
    proof = DeliveryProof(keys: surroundings.keys)
    rate = surroundings.eventRate
    answers = surroundings.answers
    observe = surroundings.observe
  }

  static let path = "/v1/receipts"

  var routes: [Route] {
    [
      Route(
        .post, Self.path, bodyLimit: Limits.receiptBodyBytes, body: .json(),
        admit: { head, _ in answers.admit(head) { () throws(Problem) in try QueryReader.refuseAny(head) } },
        handle: { await answers.answer($0, receive) })
    ]
  }

  /// `POST /v1/receipts`
  func receive(_ request: Request) async throws(Problem) -> Response {
    let delivery = try delivery(try request.object())
    try rate.admitReceipt(of: delivery)
    let event = EventReport.Event(
      message: delivery.address.message, binding: delivery.binding, type: .received, occurredAt: nil)
    let report = EventReport(
      app: delivery.address.app, installation: delivery.installation, reporter: .serviceExtension, events: [event])
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await events.record(report, deadline: deadline)
    }
    return try self.answer(answer)
  }

  private func delivery(_ body: JSONValue) throws(Problem) -> DeliveryID {
    let faults = FaultCollector()
    let reader = ObjectReader(body, into: faults)
    let version = reader.requiredMember("version")
    let id = reader.requiredString("delivery_id", bytes: Limits.markBytes)
    let token = reader.requiredString("receipt_token", bytes: Limits.markBytes)
    if let problem = Problem(faults) { throw problem }
    guard version?.value.integer == EventItems.version else {
      throw Problem(.versionUnsupported, "version must be the integer \(EventItems.version).")
    }
    guard let id, let token, let delivery = proof.delivery(id, receiptToken: token) else {
      throw Problem(.receiptTokenInvalid, "These are no delivery_id and receipt_token of one delivery.")
    }
    return delivery
  }

  private func answer(_ answer: EventReport.Answer) throws(Problem) -> Response {
    // Without its installation nobody is bound to it any more.
    var result = RecordResult.refused(.bindingChanged)
    if case .events(let told) = answer, let first = told.first { result = RecordResult(first) }
    observe(.eventAnswered(type: .received, .serviceExtension, result))
    if case .refused(let code) = result { throw .refusedRecord(code) }
    var json = JSONWriter()
    json.beginObject()
    json.member("result", result.name)
    json.endObject()
    return .json(200, json)
  }
}

extension Problem {
  /// A record alone in its request.
  fileprivate static func refusedRecord(_ code: KitsError.Code) -> Problem {
    switch code {
    case .collectionOff: Problem(code, "The app runs in COPPA mode: nothing is collected of it.")
    case .tooOld: Problem(code, "The delivery is older than its events are taken. Nothing was kept.")
    default: Problem(code, "The user of the device has changed since the delivery. Nothing was kept.")
    }
  }
}
