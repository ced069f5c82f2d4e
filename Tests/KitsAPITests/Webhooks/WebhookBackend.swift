import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

/// A backend that takes events.
extension Backend {
  static let webhookScopes: [Scope] = [.webhooksWrite, .messagesSend, .messagesRead]

  static func webhooks(of tenant: Tenant? = nil, role: Role = .owner) async throws -> Backend {
    try await make(webhookScopes, of: tenant, role: role)
  }

  static let hook = #"{"url":"https://hooks.example.com/kits","event_types":["message.completed","message.created"]}"#

  /// The id and the secret of a new one.
  func webhook(_ json: String = hook) async throws -> (id: String, secret: String) {
    let reply = try await post("/v1/webhooks", json)
    try #require(reply.status == 201, "\(reply.json)")
    return (try #require(reply.json["id"]?.string), try #require(reply.json["secret"]?.string))
  }

  /// Numbers whatever happened so far, as the sending half does.
  func number() async throws {
    let store = WebhookWorkStore(pool: running.pool, owner: 1, leaseSeconds: 60)
    while try await store.numberEvents(limit: 1_000) > 0 {}
  }

  func events(_ query: String = "") async throws -> Reply { try await get("/v1/events\(query)") }
}

extension Reply {
  /// The types of a page of events.
  var types: [String] { (json["data"]?.array ?? []).compactMap { $0["type"]?.string } }
  var cursor: String { json["cursor"]?.string ?? "" }
}
