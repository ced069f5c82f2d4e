internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// A request that carries a message, as far as it can be read without knowing who calls.
struct MessageCall: Sendable {
  let body: JSONObject
  let idempotencyKey: IdempotencyKey?

  init(_ request: Request) throws(Problem) {
    try QueryReader.refuseAny(request.head)
    idempotencyKey = try IdempotencyKey.text(request.head)
    guard case .object(let members) = try request.object() else { throw .internalFault("A body is an object.") }
    body = members
  }

  /// The same for all spellings of the same JSON.
  var bodyHash: [UInt8] { SHA256.hash(JSON.canonical(.object(body))) }

  var title: String? { body["title"]?.string }
}
