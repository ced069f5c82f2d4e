/// Who is asking: the provider token itself, then what it means on this connection.
extension Validator {
  func authenticate(
    _ request: PushRequest, credential: inout ConnectionCredential, reader: ProviderTokenReader
  ) -> Result<ProviderKey, Rejection> {
    guard let header = request.value("authorization") else { return refuse(.missingProviderToken) }
    guard header.count > 7, header.prefix(7).lowercased() == "bearer " else { return refuse(.missingProviderToken) }
    let text = String(header.dropFirst(7))
    guard let token = reader.read(text, keys: keys) else { return refuse(.invalidProviderToken) }
    let (age, overflow) = now.subtractingReportingOverflow(token.issuedAt)
    guard !overflow, abs(age) <= rules.tokenMaxAgeSeconds else { return refuse(.expiredProviderToken) }
    if let environment = PushEnvironment(authority: request.authority) ?? rules.environment,
      let wanted = token.key.environment, wanted != environment
    {
      return refuse(.badEnvironmentKeyIDInToken)
    }
    if let reason = credential.admit(text, token, now: now, updateInterval: rules.tokenUpdateSeconds) {
      return refuse(reason)
    }
    return .success(token.key)
  }

  private func refuse(_ reason: Reason) -> Result<ProviderKey, Rejection> {
    .failure(Rejection(reason, authenticated: false))
  }
}
