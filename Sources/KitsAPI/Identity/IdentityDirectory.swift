internal import Crypto
internal import KitsCore
internal import KitsStore

/// What never changes about apps and identity keys, kept by the node so that a login is one question to the database.
///
/// Nothing here can be stale: the home of an app is fixed and a key id is never given to another key. What can change,
/// the revocation of a key first of all, is asked by the statement that decides. What isn't found isn't kept.
actor IdentityDirectory {
  private let store: IdentityStore
  private var homes = FIFOCache<AppNumber, AppHome>(capacity: mostEntries)
  private var keys = FIFOCache<KeyPlace, P256PublicKey>(capacity: mostEntries)

  /// A key with its handle has about 1 KB.
  static let mostEntries = 4_096

  init(store: IdentityStore) {
    self.store = store
  }

  /// By the bytes of the id: Swift's `String` knows canonical equivalence.
  private struct KeyPlace: Hashable {
    let environment: EnvironmentNumber
    let keyID: [UInt8]
  }

  func home(of app: AppNumber) async throws(Problem) -> AppHome? {
    if let known = homes[app] { return known }
    let found = try await store.foundHome(of: app)
    if let found { homes.insert(found, for: app) }
    return found
  }

  /// Nil when the environment never had a key of this id.
  func key(_ keyID: String, of environment: EnvironmentNumber) async throws(Problem) -> P256PublicKey? {
    let place = KeyPlace(environment: environment, keyID: Array(keyID.utf8))
    if let known = keys[place] { return known }
    guard let spki = try await store.foundKey(keyID, of: environment) else { return nil }
    let key: P256PublicKey
    do {
      key = try P256PublicKey(spki: spki)
    } catch {
      throw .internalFault("an identity key in the database is none: \(error)")
    }
    keys.insert(key, for: place)
    return key
  }

  /// How many entries it has, for tests.
  var count: (homes: Int, keys: Int) { (homes.count, keys.count) }
}

extension IdentityStore {
  fileprivate func foundHome(of app: AppNumber) async throws(Problem) -> AppHome? {
    try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await home(of: app, deadline: deadline)
    }
  }

  fileprivate func foundKey(_ keyID: String, of environment: EnvironmentNumber) async throws(Problem) -> [UInt8]? {
    try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await key(keyID, of: environment, deadline: deadline)
    }
  }
}
