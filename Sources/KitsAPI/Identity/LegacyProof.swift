internal import Crypto
internal import FoundationEssentials
internal import KitsCore

/// `kitid1.…`: the older proof of identity, which the server itself signs for a customer's backend (K25). Unlike a
/// token it is good for one operation on one binding of one installation.
struct LegacyProof: Sendable {
  let installation: InstallationID
  let binding: BindingID
  let operation: IdentityOperationID
  let externalID: ExternalID
  /// Seconds since 1970.
  let issuedAt: Int64
  /// Seconds since 1970; from this second on the proof is worth nothing.
  let expiresAt: Int64

  static let prefix = "kitid1."
  private static let version: UInt8 = 1
  private static let fieldBytes = 16 + 16 + 16 + 8 + 8
  /// Of the base64url text; what is longer was not made here.
  private static let longest = 1_024

  /// What makes a proof worthless. The raw values are labels of metrics, so they stay.
  enum Fault: String, Error, CaseIterable {
    case malformed = "proof_malformed"
    case keyUnknown = "proof_key_unknown"
    case macWrong = "proof_mac_wrong"
    case installationWrong = "proof_installation_wrong"
    case bindingWrong = "proof_binding_wrong"
    case operationWrong = "proof_operation_wrong"
    case expired = "proof_expired"
  }

  /// The text, under the minting key of the ring.
  func minted(by ring: KeyRing) throws(CryptoError) -> String {
    guard let key = ring.key(.identityProof, id: ring.mintingID) else { throw .emptyKey }
    let payload = payload(keyID: ring.mintingID)
    return Self.prefix + Base64URL.encode(payload + (try HMACSHA256.authenticate(payload, key: key)))
  }

  /// Version, length and text of the master key's id, the fields at fixed widths, big-endian, then the user.
  private func payload(keyID: String) -> [UInt8] {
    var bytes: [UInt8] = [Self.version, UInt8(clamping: keyID.utf8.count)]
    bytes += keyID.utf8
    for uuid in [installation.uuid, binding.uuid, operation.uuid] {
      bytes += withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }
    for time in [issuedAt, expiresAt] { bytes += withUnsafeBytes(of: time.bigEndian) { Array($0) } }
    return bytes + externalID.text.utf8
  }

  /// A proof as it came, not yet believed.
  struct Sealed {
    let proof: LegacyProof
    fileprivate let keyID: String
    fileprivate let payload: [UInt8]
    fileprivate let mac: [UInt8]

    /// Decides. That it expired comes last, so that it means that all else is right.
    func open(
      with ring: KeyRing, installation: InstallationID, binding: BindingID, operation: IdentityOperationID, now: Int64
    ) throws(Fault) -> LegacyProof {
      guard let key = ring.key(.identityProof, id: keyID) else { throw .keyUnknown }
      guard let expected = try? HMACSHA256.authenticate(payload, key: key), ConstantTime.equal(mac, expected) else {
        throw .macWrong
      }
      guard proof.installation == installation else { throw .installationWrong }
      guard proof.binding == binding else { throw .bindingWrong }
      guard proof.operation == operation else { throw .operationWrong }
      guard now < proof.expiresAt else { throw .expired }
      return proof
    }
  }

  /// nil unless the text has the form.
  static func read(_ text: String) -> Sealed? {
    guard text.utf8.starts(with: prefix.utf8), text.utf8.count <= longest,
      let bytes = Base64URL.decode(String(text.dropFirst(prefix.count))), bytes.count > SHA256.count + 2
    else { return nil }
    let payload = Array(bytes.dropLast(SHA256.count))
    let start = 2 + Int(payload[1])
    guard payload[0] == version, payload.count > start + fieldBytes,
      let keyID = String(validating: payload[2..<start], as: UTF8.self),
      let user = String(validating: payload[(start + fieldBytes)...], as: UTF8.self), let externalID = ExternalID(user)
    else { return nil }
    var rest = payload[start...]
    func uuid() -> UUID {
      defer { rest = rest.dropFirst(16) }
      return rest.prefix(16).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
    func time() -> Int64 {
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
    let proof = LegacyProof(
      installation: InstallationID(uuid()), binding: BindingID(uuid()), operation: IdentityOperationID(uuid()),
      externalID: externalID, issuedAt: time(), expiresAt: time())
    return Sealed(proof: proof, keyID: keyID, payload: payload, mac: Array(bytes.suffix(SHA256.count)))
  }
}

extension LegacyProof: CustomStringConvertible, CustomReflectable {
  /// Never the user.
  var description: String { "<redacted>" }
  /// Never the user.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
