import Foundation
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

/// A backend that keeps segments.
extension Backend {
  static let segmentScopes: [Scope] = [.segmentsRead, .segmentsWrite, .messagesSend, .messagesRead]

  static func segments(of tenant: Tenant? = nil) async throws -> Backend { try await make(segmentScopes, of: tenant) }

  func put(_ path: String, _ json: String) async throws -> Reply {
    try await running.send("PUT", path, headers: bearer, json: json)
  }

  func segment(_ name: String = "Pros", filter: String = proFilter) async throws -> String {
    let reply = try await post("/v1/segments", #"{"name":"\#(name)","filter":\#(filter)}"#)
    try #require(reply.status == 201, "\(reply.json)")
    return try #require(reply.json["id"]?.string)
  }

  static let proFilter = #"{"field":"tag.plan","op":"is","value":"pro"}"#

  func preview(_ json: String) async throws -> Reply { try await post("/v1/segments/preview", json) }

  /// Registers devices and gives them tags and users in the table.
  func people(_ count: Int) async throws {
    for number in 0..<count {
      let device = try await tenant.device(
        #"{"platform":"ios","push_token":"\#(Tenant.pushToken())","permission":"authorized","language":"de-DE"}"#)
      let user = number % 2 == 0 ? "'user \(number)'" : "NULL"
      let plan = number % 4 < 2 ? "pro" : "free"
      try await running.pool.script(
        """
        UPDATE installation SET external_id = \(user), tags = '{"plan": "\(plan)"}'
        WHERE installation_id = '\(device.id)'
        """)
    }
  }

  /// Lets a message need a segment, as one that is scheduled does.
  func schedule(_ message: String, naming segment: String, excluded: Bool = false) async throws {
    try await running.pool.script(
      """
      INSERT INTO message_segment (app_no, message_id, segment_id, excluded)
      SELECT app_no, message_id, '\(segment)', \(excluded) FROM message WHERE message_id = '\(message)'
      """)
  }

  func segmentCount() async throws -> Int64 {
    try await running.count(
      "SELECT count(*) FROM segment JOIN app USING (app_no) WHERE app_id = '\(tenant.app.text)'")
  }
}
