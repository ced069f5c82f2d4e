import COpenSSL
import Foundation

/// A certificate authority that lives as long as the process: its certificate goes to `--ca-file`, its key nowhere.
///
/// Clients trust this file alone, so no test ever needs to switch verification off.
struct TestAuthority {
  /// The names under which a client may reach the simulator; Apple's are here for clients that keep the real name
  /// and only redirect the address.
  static let names =
    "DNS:localhost,IP:127.0.0.1,IP:::1,DNS:api.push.apple.com,DNS:api.sandbox.push.apple.com"

  let certificatePEM: String
  let server: ServerIdentity

  init(certificatePEM: String, server: ServerIdentity) {
    self.certificatePEM = certificatePEM
    self.server = server
  }

  init() throws {
    let authorityKey = try Self.makeKey()
    defer { EVP_PKEY_free(authorityKey) }
    let authority = try Self.makeCertificate(commonName: "apns-simulator test CA", serial: 1, key: authorityKey)
    defer { X509_free(authority) }
    try Self.extend(
      authority, issuer: authority,
      with: [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
      ])
    try Self.sign(authority, issuer: authority, key: authorityKey)

    let serverKey = try Self.makeKey()
    defer { EVP_PKEY_free(serverKey) }
    let certificate = try Self.makeCertificate(commonName: "localhost", serial: 2, key: serverKey)
    defer { X509_free(certificate) }
    try Self.extend(
      certificate, issuer: authority,
      with: [
        (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, Self.names),
        (NID_authority_key_identifier, "keyid"),
      ])
    try Self.sign(certificate, issuer: authority, key: authorityKey)

    certificatePEM = try Self.pem { PEM_write_bio_X509($0, authority) }
    server = ServerIdentity(
      certificatePEM: try Self.pem { PEM_write_bio_X509($0, certificate) },
      keyPEM: try Self.pem { PEM_write_bio_PrivateKey($0, serverKey, nil, nil, 0, nil, nil) })
  }

  private static func makeKey() throws -> OpaquePointer {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw TLSError.openSSL("EC context") }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
      EVP_PKEY_generate(context, &key) == 1, let key
    else { throw TLSError.openSSL("EC key") }
    return key
  }

  private static func makeCertificate(
    commonName: String, serial: Int, key: OpaquePointer
  ) throws -> OpaquePointer {
    guard let certificate = X509_new() else { throw TLSError.openSSL("certificate") }
    let day = 86_400
    // The process id and time make serials differ between runs: clients that cache a chain must not mix two.
    let unique = Int(time(nil)) << 20 | Int(getpid()) << 4 | serial
    guard X509_set_version(certificate, 2) == 1,
      ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), Int64(unique)) == 1,
      X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil,
      X509_gmtime_adj(X509_getm_notAfter(certificate), 30 * day) != nil,
      X509_set_pubkey(certificate, key) == 1,
      X509_NAME_add_entry_by_txt(
        X509_get_subject_name(certificate), "CN", MBSTRING_ASC, commonName, -1, -1, 0) == 1
    else {
      X509_free(certificate)
      throw TLSError.openSSL("certificate fields")
    }
    return certificate
  }

  private static func extend(
    _ certificate: OpaquePointer, issuer: OpaquePointer, with extensions: [(nid: Int32, value: String)]
  ) throws {
    var context = v3_ext_ctx()
    X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    for (nid, value) in extensions {
      guard let one = X509V3_EXT_conf_nid(nil, &context, nid, value) else {
        throw TLSError.openSSL("extension \(value)")
      }
      defer { X509_EXTENSION_free(one) }
      guard X509_add_ext(certificate, one, -1) == 1 else { throw TLSError.openSSL("extension \(value)") }
    }
  }

  private static func sign(_ certificate: OpaquePointer, issuer: OpaquePointer, key: OpaquePointer) throws {
    guard X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1,
      X509_sign(certificate, key, EVP_sha256()) > 0
    else { throw TLSError.openSSL("signing") }
  }

  private static func pem(_ write: (OpaquePointer) -> Int32) throws -> String {
    guard let memory = BIO_new(BIO_s_mem()) else { throw TLSError.openSSL("memory") }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { throw TLSError.openSSL("PEM") }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
    let read = BIO_read(memory, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(read, 0))), as: UTF8.self)
  }
}
