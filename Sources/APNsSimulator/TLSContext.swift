import COpenSSL

/// One worker's TLS configuration: TLS 1.2 or newer, and `h2` as the only protocol on offer, like the real service.
final class TLSContext {
  private let context: OpaquePointer

  init(_ identity: ServerIdentity) throws {
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw TLSError.openSSL("SSL_CTX_new") }
    self.context = context
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    // Writes may stop half way and be repeated from a buffer that has moved: the connection compacts its output.
    SSL_CTX_ctrl(
      context, SSL_CTRL_MODE,
      Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER) | Int(SSL_MODE_RELEASE_BUFFERS),
      nil)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    try install(identity)
    SSL_CTX_set_alpn_select_cb(context, selectH2, nil)
  }

  deinit { SSL_CTX_free(context) }

  /// A server-side connection on an accepted, non-blocking socket. The caller frees it.
  func accept(socket: Int32) throws -> OpaquePointer {
    guard let ssl = SSL_new(context), SSL_set_fd(ssl, socket) == 1 else { throw TLSError.openSSL("SSL_new") }
    SSL_set_accept_state(ssl)
    return ssl
  }

  private func install(_ identity: ServerIdentity) throws {
    let certificate = try Self.read(identity.certificatePEM) { PEM_read_bio_X509($0, nil, nil, nil) }
    defer { X509_free(certificate) }
    let key = try Self.read(identity.keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
      throw TLSError.openSSL("server certificate")
    }
  }

  private static func read(_ pem: String, _ parse: (OpaquePointer) -> OpaquePointer?) throws -> OpaquePointer {
    // The memory BIO only borrows the text, so parsing has to end inside the closure.
    let value: OpaquePointer? = pem.withCString { text in
      guard let memory = BIO_new_mem_buf(text, -1) else { return nil }
      defer { BIO_free(memory) }
      return parse(memory)
    }
    guard let value else { throw TLSError.openSSL("PEM") }
    return value
  }
}

/// Refuses the handshake when the client offers protocols and `h2` is not among them.
private func selectH2(
  _: OpaquePointer?, chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, chosenLength: UnsafeMutablePointer<UInt8>?,
  offered: UnsafePointer<UInt8>?, offeredLength: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
  guard let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  var index = 0
  while index < Int(offeredLength) {
    let length = Int(offered[index])
    if length == 2, index + 2 < Int(offeredLength), offered[index + 1] == 0x68, offered[index + 2] == 0x32 {
      chosen?.pointee = offered + index + 1
      chosenLength?.pointee = 2
      return SSL_TLSEXT_ERR_OK
    }
    index += length + 1
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
