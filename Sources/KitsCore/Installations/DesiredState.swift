/// What an SDK wants the server to know of its installation. As a patch, only what it names changes.
package struct DesiredState: Sendable, Equatable {
  package var pushToken: Change<PushToken> = .unchanged
  package var apnsEnvironment: APNsEnvironment?
  package var permission: Permission?
  package var pushPreference: Bool?
  package var appVersion: Change<String> = .unchanged
  package var osVersion: Change<String> = .unchanged
  package var model: Change<String> = .unchanged
  package var sdkVersion: Change<String> = .unchanged
  package var language: Change<LanguageTag> = .unchanged
  package var timeZone: Change<String> = .unchanged
  package var collectionEnabled: Bool?
  /// Features named in the request: switched on, switched off. The others keep what they are.
  package var collectionOn: CollectionConsent.Features = []
  package var collectionOff: CollectionConsent.Features = []
  package var identifiers: Change<[HashedIdentifier]> = .unchanged
  package var externalDeviceID: Change<String> = .unchanged
  package var customerUserID: Change<String> = .unchanged
  package var coppa: Bool?

  package init() {}
}
