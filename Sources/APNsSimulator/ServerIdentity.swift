/// What a worker needs to speak TLS as the server. PEM text rather than OpenSSL handles, because each worker thread
/// makes its own context from it.
struct ServerIdentity: Sendable {
  let certificatePEM: String
  let keyPEM: String
}
