/// One app on one device, as the server knows it now.
package struct Installation: Sendable, Equatable {
  package let appNumber: AppNumber
  package let number: InstallationNumber
  package let id: InstallationID
  package let platform: Platform
  package let apnsEnvironment: APNsEnvironment
  package let token: Token
  package let permission: Permission
  package let pushPreference: Bool
  /// False when another installation registered the same token later.
  package let ownsToken: Bool
  package let isReachable: Bool
  package let generation: Int32
  package let binding: BindingState
  package let stateRevision: Int64
  package let device: Device
  package let collection: CollectionConsent
  package let identifiers: [IdentifierSource: IdentifierReport]
  package let externalDeviceID: String?
  package let customerUserID: String?
  package let coppa: Bool
  /// Of the present binding.
  package let tags: [String: String]
  package let isTestDevice: Bool
  package let createdAt: Timestamp
  package let updatedAt: Timestamp

  package init(
    appNumber: AppNumber, number: InstallationNumber, id: InstallationID, platform: Platform,
    apnsEnvironment: APNsEnvironment, token: Token, permission: Permission, pushPreference: Bool, ownsToken: Bool,
    isReachable: Bool, generation: Int32, binding: BindingState, stateRevision: Int64, device: Device,
    collection: CollectionConsent, identifiers: [IdentifierSource: IdentifierReport], externalDeviceID: String?,
    customerUserID: String?,
    coppa: Bool, tags: [String: String], isTestDevice: Bool, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.appNumber = appNumber
    self.number = number
    self.id = id
    self.platform = platform
    self.apnsEnvironment = apnsEnvironment
    self.token = token
    self.permission = permission
    self.pushPreference = pushPreference
    self.ownsToken = ownsToken
    self.isReachable = isReachable
    self.generation = generation
    self.binding = binding
    self.stateRevision = stateRevision
    self.device = device
    self.collection = collection
    self.identifiers = identifiers
    self.externalDeviceID = externalDeviceID
    self.customerUserID = customerUserID
    self.coppa = coppa
    self.tags = tags
    self.isTestDevice = isTestDevice
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  /// The push token and what is known of it.
  package struct Token: Sendable, Equatable {
    package let text: String?
    package let state: TokenState
    package let registeredAt: Timestamp?

    package init(text: String?, state: TokenState, registeredAt: Timestamp?) {
      self.text = text
      self.state = state
      self.registeredAt = registeredAt
    }
  }

  /// What the device is and speaks (K6).
  package struct Device: Sendable, Equatable {
    package let appVersion: String?
    package let osVersion: String?
    package let model: String?
    package let sdkVersion: String?
    package let language: LanguageTag
    package let timeZone: String?

    package init(
      appVersion: String?, osVersion: String?, model: String?, sdkVersion: String?, language: LanguageTag,
      timeZone: String?
    ) {
      self.appVersion = appVersion
      self.osVersion = osVersion
      self.model = model
      self.sdkVersion = sdkVersion
      self.language = language
      self.timeZone = timeZone
    }
  }
}
