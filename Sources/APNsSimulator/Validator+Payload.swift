import JSON

/// What is asked: size first, then the few things that the payload must have for its push type.
extension Validator {
  func payloadProblem(_ request: PushRequest) -> Reason? {
    guard request.bodyLength > 0 else { return .payloadEmpty }
    let type = request.value("apns-push-type").flatMap(PushType.init(rawValue:))
    let isVoIP = type == .voip || (type == nil && request.value("apns-topic")?.hasSuffix(".voip") == true)
    guard request.bodyLength <= (isVoIP ? ValidationRules.voipPayloadBytes : ValidationRules.payloadBytes) else {
      return .payloadTooLarge
    }
    guard let payload = (try? JSON.parse(request.body))?.object else { return .badRequestPayload }
    guard let value = payload["aps"] else { return type?.needsAps == false ? nil : .badRequestPayload }
    guard let aps = value.object else { return .badRequestPayload }
    return type == .background ? backgroundProblem(aps) : nil
  }

  /// A background push wakes the app and shows nothing.
  private func backgroundProblem(_ aps: JSONObject) -> Reason? {
    guard aps["content-available"]?.integer == 1 else { return .invalidPushType }
    return ["alert", "badge", "sound"].contains { aps[$0] != nil } ? .invalidPushType : nil
  }
}
