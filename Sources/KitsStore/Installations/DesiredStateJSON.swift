import JSON
package import KitsCore

/// A desired state as the object that the statements read: only what changes is a member, null clears.
enum DesiredStateJSON {
  static func encode(_ state: DesiredState) -> [UInt8] {
    var object = JSONObject()
    func put(_ name: String, _ change: Change<String>) {
      switch change {
      case .unchanged: break
      case .cleared: object[name] = .null
      case .set(let text): object[name] = .string(text)
      }
    }
    put("push_token", state.pushToken.map(\.text))
    put("app_version", state.appVersion)
    put("os_version", state.osVersion)
    put("model", state.model)
    put("sdk_version", state.sdkVersion)
    put("language", state.language.map(\.text))
    put("time_zone", state.timeZone)
    put("external_device_id", state.externalDeviceID)
    put("customer_user_id", state.customerUserID)
    if let value = state.apnsEnvironment { object["apns_environment"] = .integer(Int64(value.rawValue)) }
    if let value = state.permission { object["permission"] = .integer(Int64(value.rawValue)) }
    if let value = state.pushPreference { object["push_preference"] = .bool(value) }
    if let value = state.collectionEnabled { object["collection_enabled"] = .bool(value) }
    if let value = state.coppa { object["coppa"] = .bool(value) }
    if !state.collectionOn.isEmpty { object["collection_on"] = .integer(Int64(state.collectionOn.rawValue)) }
    if !state.collectionOff.isEmpty { object["collection_off"] = .integer(Int64(state.collectionOff.rawValue)) }
    switch state.identifiers {
    case .unchanged: break
    case .cleared: object["identifiers"] = .null
    case .set(let changes): object["identifiers"] = IdentifiersJSON.encode(changes)
    }
    if !state.rawIdentifiers.isEmpty { object["raw_identifiers"] = .bool(true) }
    return JSON.canonical(.object(object))
  }
}

extension DesiredState {
  /// One text for one content: what is hashed to tell a repeated revision from a reused one.
  package var canonicalJSON: [UInt8] { DesiredStateJSON.encode(self) }
}

extension Change {
  fileprivate func map<Other: Sendable>(_ transform: (Value) -> Other) -> Change<Other> {
    switch self {
    case .unchanged: .unchanged
    case .cleared: .cleared
    case .set(let value): .set(transform(value))
    }
  }
}
