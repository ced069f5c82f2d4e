internal import JSON
internal import KitsCore

/// `Installation` of the contract. The whole push token is never answered.
enum InstallationJSON {
  /// - Parameter policy: says which identifier is the best one; for backends.
  static func write(
    _ installation: Installation, deviceToken: String? = nil, ranking policy: IdentifierPolicy? = nil
  ) -> JSONWriter {
    var json = JSONWriter(capacity: 1_536)
    write(installation, deviceToken: deviceToken, ranking: policy, to: &json)
    return json
  }

  /// - Parameter app: named in lists, which may be of several apps.
  static func write(
    _ installation: Installation, of app: AppID? = nil, deviceToken: String? = nil,
    ranking policy: IdentifierPolicy? = nil, to json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("id", installation.id)
    if let app { json.member("app_id", app) }
    if let deviceToken { json.member("device_token", deviceToken) }
    json.member("platform", installation.platform.name)
    json.member("apns_environment", installation.apnsEnvironment.name)
    json.key("push_token")
    json.pushToken(of: installation)
    json.member("permission", installation.permission.name)
    json.member("push_preference", installation.pushPreference)
    json.member("reachable", installation.isReachable)
    json.device(installation.device)
    json.key("collection")
    json.collection(installation.collection)
    json.key("identifiers")
    json.identifiers(installation.identifiers, ranking: policy)
    json.member("external_device_id", installation.externalDeviceID)
    json.member("customer_user_id", installation.customerUserID)
    json.member("coppa", installation.coppa)
    json.key("tags")
    json.tags(installation.tags)
    json.member("test_device", installation.isTestDevice)
    json.key("binding")
    json.binding(installation.binding)
    json.member("state_revision", installation.stateRevision)
    json.member("created_at", installation.createdAt)
    json.member("updated_at", installation.updatedAt)
    json.endObject()
  }
}

extension JSONWriter {
  /// A token that another installation took over is none; one that was given up with its guid says so.
  fileprivate mutating func pushToken(of installation: Installation) {
    let isKnown = installation.ownsToken || installation.token.state == .superseded
    let token = isKnown ? installation.token : Installation.Token.none
    beginObject()
    member("state", token.state.name)
    member("suffix", token.text.map(PushToken.suffix))
    member("registered_at", token.registeredAt)
    endObject()
  }

  fileprivate mutating func device(_ device: Installation.Device) {
    member("app_version", device.appVersion)
    member("os_version", device.osVersion)
    member("model", device.model)
    member("sdk_version", device.sdkVersion)
    member("language", device.language == .undetermined ? nil : device.language.usualSpelling)
    member("time_zone", device.timeZone)
  }

  fileprivate mutating func identifiers(
    _ reports: [IdentifierSource: IdentifierReport], ranking policy: IdentifierPolicy?
  ) {
    beginObject()
    for source in IdentifierSource.allCases {
      guard let report = reports[source] else { continue }
      key(source.rawValue)
      beginObject()
      member("available", report.available)
      member("limited", report.limited)
      member("hash", report.hash)
      member("message", report.message)
      endObject()
    }
    if let policy { member("best", policy.best(of: reports)?.rawValue) }
    endObject()
  }

  /// In the order of their keys.
  mutating func tags(_ tags: [String: String]) {
    beginObject()
    for (key, value) in tags.sorted(by: { $0.key < $1.key }) { member(key, value) }
    endObject()
  }

  /// `Binding` of the contract.
  mutating func binding(_ binding: BindingState) {
    beginObject()
    member("id", binding.id)
    member("external_id", binding.externalID)
    member("verified", binding.verified)
    member("number", binding.number)
    member("changed_at", binding.changedAt)
    endObject()
  }
}

extension Installation.Token {
  fileprivate static let none = Installation.Token(text: nil, state: .none, registeredAt: nil)
}
