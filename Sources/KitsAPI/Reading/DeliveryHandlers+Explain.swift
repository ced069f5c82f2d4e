internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension DeliveryHandlers {
  /// `GET /v1/messages/{id}/deliveries/{installation_id}`: why the installation got the message, or didn't.
  func explain(_ request: Request) async throws(Problem) -> Response {
    let environment = try await environment(request)
    try QueryReader.refuseAny(request.head)
    guard let id = InstallationID(parsing: request.parameters["installation_id"]) else { throw .notFound }
    let message = try await message(request, of: environment)
    let installation = try await installation(id, of: environment)
    let story = try await story(of: message, installation)
    let readAt = Timestamp(microseconds: now() * 1_000)
    return .json(200, ExplanationJSON.write(story, message: try request.id(), installation, readAt: readAt))
  }

  private func story(
    of message: ReadableMessage, _ installation: Installation
  ) async throws(Problem) -> DeliveryExplanation {
    guard installation.appNumber == message.app else {
      return DeliveryExplanation(message, isTargeted: false, checks: [TargetCheck(.app, false)])
    }
    let delivery = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.delivery(of: message, to: installation.number, deadline: deadline)
    }
    if let delivery { return DeliveryExplanation(message, isTargeted: true, delivery: delivery) }
    let targeting = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.targeting(of: message, installation, deadline: deadline)
    }
    guard let targeting else { throw .notFound }
    if targeting.facts.isForgotten { return DeliveryExplanation(message, isForgotten: true, isTargeted: nil) }
    // What is being planned may still get it.
    return DeliveryExplanation(message, isTargeted: message.isPlanned ? false : nil, checks: targeting.checks)
  }
}
