/// One member of a chunk, read again right before it is handed to the network.
package struct Recipient: Sendable, Equatable {
  /// Position in the chunk.
  package let index: Int32
  package let number: InstallationNumber
  /// Nil when the installation was deleted meanwhile.
  package let device: Device?
  /// The binding number it was chosen under, when the message is fenced.
  package let plannedBinding: Int64?
  /// What is known already: none, or a result of an earlier owner of the chunk.
  package let outcome: OutcomeCode

  package init(
    index: Int32, number: InstallationNumber, device: Device?, plannedBinding: Int64?, outcome: OutcomeCode
  ) {
    self.index = index
    self.number = number
    self.device = device
    self.plannedBinding = plannedBinding
    self.outcome = outcome
  }

  package struct Device: Sendable, Equatable {
    package let platform: Platform
    package let apnsEnvironment: APNsEnvironment
    package let pushToken: String?
    package let tokenState: TokenState
    package let ownsToken: Bool
    package let permission: Permission
    package let pushPreference: Bool
    package let bindingNumber: Int64
    package let language: LanguageTag
    /// Nothing is handed over for its app and environment now.
    package let isPaused: Bool

    package init(
      platform: Platform, apnsEnvironment: APNsEnvironment, pushToken: String?, tokenState: TokenState,
      ownsToken: Bool, permission: Permission, pushPreference: Bool, bindingNumber: Int64, language: LanguageTag,
      isPaused: Bool = false
    ) {
      self.platform = platform
      self.apnsEnvironment = apnsEnvironment
      self.pushToken = pushToken
      self.tokenState = tokenState
      self.ownsToken = ownsToken
      self.permission = permission
      self.pushPreference = pushPreference
      self.bindingNumber = bindingNumber
      self.language = language
      self.isPaused = isPaused
    }
  }
}
