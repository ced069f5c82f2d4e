/// The master keys of an installation of the product, and what is derived from them: one key per purpose and master
/// key.
///
/// New secrets are made under the minting key; what older keys made stays readable while they are in the ring.
package struct KeyRing: Sendable {
  /// The master key under which new secrets are made.
  package let mintingID: String
  /// All master keys, in the order in which they were given.
  package let ids: [String]
  private let keys: [Purpose: [String: [UInt8]]]
  /// Ready to use, of the purposes that requests and deliveries need by the thousand.
  private let prepared: [Purpose: [String: HMACKey]]
  /// For ids of deliveries under the minting key.
  package let mintingDeliveryIDKey: HMACKey
  /// For receipt tokens under the minting key.
  package let mintingReceiptTokenKey: HMACKey

  /// Every purpose has its own key, so that nothing made for one can be used for another.
  package enum Purpose: String, Sendable, CaseIterable {
    /// Device tokens of installations (authentication).
    case deviceToken = "kits device token v1"
    /// Ids of deliveries in payloads (authentication).
    case deliveryID = "kits delivery id v1"
    /// Receipt tokens in payloads (authentication).
    case receiptToken = "kits receipt token v1"
    /// Private APNs keys in the database (encryption).
    case apnsKey = "kits apns key at rest v1"
    /// Provider tokens in the database (encryption).
    case providerToken = "kits provider token at rest v1"
    /// Secrets of request signing in the database (encryption).
    case signingSecret = "kits signing secret at rest v1"
    /// Secrets of webhooks in the database (encryption).
    case webhookSecret = "kits webhook secret at rest v1"
    /// Opaque cursors of lists (authentication).
    case cursor = "kits list cursor v1"
    /// The older proofs of identity, `kitid1.…` (authentication).
    case identityProof = "kits identity proof v1"
    /// What tells one master key from another without showing anything of it (authentication).
    case check = "kits master key check v1"
  }

  /// `masterKeys` are 32 bytes each, with distinct ids; `mintingID` is one of them.
  package init(masterKeys: [(id: String, secret: [UInt8])], mintingID: String) throws(CryptoError) {
    var keys: [Purpose: [String: [UInt8]]] = [:]
    for purpose in Purpose.allCases {
      for key in masterKeys {
        keys[purpose, default: [:]][key.id] = try HKDF.derive(
          secret: key.secret, info: Array(purpose.rawValue.utf8), count: AESGCM.keyCount)
      }
    }
    guard masterKeys.contains(where: { $0.id == mintingID }) else { throw .emptyKey }
    self.mintingID = mintingID
    ids = masterKeys.map(\.id)
    self.keys = keys
    var prepared: [Purpose: [String: HMACKey]] = [:]
    for purpose in [Purpose.deviceToken, .deliveryID, .receiptToken] {
      for (id, key) in keys[purpose] ?? [:] { prepared[purpose, default: [:]][id] = try HMACKey(key) }
    }
    guard let deliveryID = prepared[.deliveryID]?[mintingID], let receiptToken = prepared[.receiptToken]?[mintingID]
    else { throw .emptyKey }
    self.prepared = prepared
    mintingDeliveryIDKey = deliveryID
    mintingReceiptTokenKey = receiptToken
  }

  /// The key of a purpose; nil when the ring has no master key of that id.
  package func key(_ purpose: Purpose, id: String) -> [UInt8]? {
    keys[purpose]?[id]
  }

  /// The key of device tokens, ready to use: every request of an SDK needs it.
  package func deviceTokenKey(id: String) -> HMACKey? {
    prepared[.deviceToken]?[id]
  }

  /// The key of ids of deliveries, ready to use.
  package func deliveryIDKey(id: String) -> HMACKey? {
    prepared[.deliveryID]?[id]
  }

  /// The key of receipt tokens, ready to use.
  package func receiptTokenKey(id: String) -> HMACKey? {
    prepared[.receiptToken]?[id]
  }

  /// What only the holder of the master key can compute, the same every time; nil when the ring has none of that id.
  package func check(id: String) -> [UInt8]? {
    key(.check, id: id).flatMap { try? HMACSHA256.authenticate(Array(id.utf8), key: $0) }
  }

  /// Seals under the minting key. `context` binds the result to what it belongs to.
  package func seal(
    _ plaintext: [UInt8], for purpose: Purpose, context: String
  ) throws(CryptoError) -> (id: String, sealed: [UInt8]) {
    guard let key = key(purpose, id: mintingID) else { throw .emptyKey }
    return (mintingID, try AESGCM.seal(plaintext, key: key, associatedData: Array(context.utf8)))
  }

  /// Opens what was sealed under the key `id` for the same purpose and context.
  package func open(
    _ sealed: [UInt8], id: String, for purpose: Purpose, context: String
  ) throws(CryptoError) -> [UInt8] {
    guard let key = key(purpose, id: id) else { throw .emptyKey }
    return try AESGCM.open(sealed, key: key, associatedData: Array(context.utf8))
  }
}

extension KeyRing: CustomStringConvertible, CustomReflectable {
  package var description: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
