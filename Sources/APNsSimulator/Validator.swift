/// Judges one request the way the provider API documents it. Pure: what the connection has done before comes in as
/// `ConnectionCredential` and goes out changed; the time is an argument.
///
/// Order: method, path, repeated headers, `apns-id`; then who is asking (403 and 429); then what is asked (the headers,
/// the device token, the payload). The credential comes before topic and device token because `BadDeviceToken` on
/// an all-zero token is how a client proves that its key and topic are good.
struct Validator {
  var rules = ValidationRules()
  var keys = KeyRing()
  /// Seconds since the epoch.
  var now: Int64

  /// `nil` means the service would take this notification.
  func reject(
    _ request: PushRequest, credential: inout ConnectionCredential, reader: ProviderTokenReader
  ) -> Rejection? {
    if let reason = routeProblem(request) { return Rejection(reason, authenticated: false) }
    let key: ProviderKey
    switch authenticate(request, credential: &credential, reader: reader) {
    case .failure(let rejection): return rejection
    case .success(let found): key = found
    }
    let reason =
      headerProblem(request) ?? topicProblem(request, key: key) ?? deviceTokenProblem(request)
      ?? payloadProblem(request)
    return reason.map { Rejection($0, authenticated: true) }
  }

  private func routeProblem(_ request: PushRequest) -> Reason? {
    guard request.method == "POST" else { return .methodNotAllowed }
    if request.path == "/3/device" || request.path == PushRequest.devicePath { return .missingDeviceToken }
    guard request.path.hasPrefix(PushRequest.devicePath),
      !request.path.dropFirst(PushRequest.devicePath.count).contains(where: { $0 == "/" || $0 == "?" })
    else { return .badPath }
    if hasRepeatedHeader(request) { return .duplicateHeaders }
    if let id = request.value("apns-id"), !MessageID.isCanonical(id) { return .badMessageID }
    return nil
  }

  private func hasRepeatedHeader(_ request: PushRequest) -> Bool {
    var seen = Set<String>()
    // Cookie is the one header that HTTP/2 lets a client split.
    return request.headers.contains { $0.name != "cookie" && !seen.insert($0.name).inserted }
  }

  private func headerProblem(_ request: PushRequest) -> Reason? {
    if let id = request.value("apns-collapse-id"), id.isEmpty || id.utf8.count > ValidationRules.collapseIDBytes {
      return .badCollapseID
    }
    if let text = request.value("apns-expiration") {
      guard let date = Int64(text), date >= 0, text.first != "+" else { return .badExpirationDate }
    }
    var type: PushType?
    if let text = request.value("apns-push-type") {
      type = PushType(rawValue: text)
      if type == nil { return .invalidPushType }
    }
    return priorityProblem(request, type: type)
  }

  private func priorityProblem(_ request: PushRequest, type: PushType?) -> Reason? {
    // An omitted priority counts as 10.
    let priority = request.value("apns-priority") ?? "10"
    switch (priority, type) {
    case ("5", _): return nil
    case (_, .background): return .badPriority
    case ("10", _): return nil
    case ("1", .liveactivity): return .badPriority
    case ("1", _): return nil
    default: return .badPriority
    }
  }

  private func topicProblem(_ request: PushRequest, key: ProviderKey) -> Reason? {
    guard let topic = request.value("apns-topic"), !topic.isEmpty else { return .missingTopic }
    guard topic.utf8.count <= ValidationRules.topicBytes, topic.utf8.allSatisfy(isTopicByte),
      !topic.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
    else { return .badTopic }
    let bundleID = PushType.bundleID(ofTopic: topic)
    if let type = request.value("apns-push-type").flatMap(PushType.init(rawValue:)), type != .mdm {
      let expected = bundleID + (type.topicSuffix ?? "")
      guard topic == expected else { return .topicDisallowed }
    }
    guard key.topics.isEmpty || key.topics.contains(bundleID) else { return .topicDisallowed }
    return nil
  }

  private func isTopicByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private func deviceTokenProblem(_ request: PushRequest) -> Reason? {
    let token = request.deviceToken.utf8
    let hex = token.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    guard hex, token.count.isMultiple(of: 2), token.count >= ValidationRules.deviceTokenCharacters.lowerBound,
      token.count <= ValidationRules.deviceTokenCharacters.upperBound
    else { return .badDeviceToken }
    return token.allSatisfy { $0 == 0x30 } ? .badDeviceToken : nil
  }
}
