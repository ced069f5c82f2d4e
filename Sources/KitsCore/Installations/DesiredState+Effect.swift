extension DesiredState {
  /// Whether applying it would change what the installation is. A token that is active here already is no change.
  package func changes(_ installation: Installation) -> Bool {
    changesToken(of: installation) || changesSwitches(of: installation) || changesDevice(of: installation)
      || changesIdentifiers(of: installation) || externalDeviceID.changes(installation.externalDeviceID)
      || customerUserID.changes(installation.customerUserID)
  }

  private func changesToken(of installation: Installation) -> Bool {
    switch pushToken {
    case .unchanged: false
    case .cleared: installation.token.text != nil
    case .set(let token):
      installation.token.text != token.text || installation.token.state != .active || !installation.ownsToken
    }
  }

  private func changesSwitches(of installation: Installation) -> Bool {
    let collection = installation.collection
    return apnsEnvironment.map { $0 != installation.apnsEnvironment } ?? false
      || permission.map { $0 != installation.permission } ?? false
      || pushPreference.map { $0 != installation.pushPreference } ?? false
      || coppa.map { $0 != installation.coppa } ?? false
      || collectionEnabled.map { $0 != collection.enabled } ?? false
      || !collection.features.isSuperset(of: collectionOn)
      || !collection.features.isDisjoint(with: collectionOff)
  }

  private func changesDevice(of installation: Installation) -> Bool {
    let device = installation.device
    let known = device.language == .undetermined ? nil : device.language
    return appVersion.changes(device.appVersion) || osVersion.changes(device.osVersion)
      || model.changes(device.model) || sdkVersion.changes(device.sdkVersion) || language.changes(known)
      || timeZone.changes(device.timeZone)
  }

  private func changesIdentifiers(of installation: Installation) -> Bool {
    switch identifiers {
    case .unchanged: return false
    case .cleared: return !installation.identifiers.isEmpty
    case .set(let sources):
      return sources.contains { source, change in
        // Never kept of a child (T6).
        !(source == .idfa && coppa ?? installation.coppa) && change.changes(installation.identifiers[source])
      }
    }
  }
}

extension Change where Value: Equatable {
  fileprivate func changes(_ current: Value?) -> Bool {
    switch self {
    case .unchanged: false
    case .cleared: current != nil
    case .set(let value): current != value
    }
  }
}
