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
  /// Source by source; a source is replaced as a whole, a cleared one is removed.
  package var identifiers: Change<[IdentifierSource: Change<IdentifierReport>]> = .unchanged
  /// The sources of which the value itself came, and was hashed here (U5).
  package var rawIdentifiers: Set<IdentifierSource> = []
  package var externalDeviceID: Change<String> = .unchanged
  package var customerUserID: Change<String> = .unchanged
  package var coppa: Bool?

  package init() {}
}
