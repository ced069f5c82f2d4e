import Foundation
import TestSupport

/// What became of some messages: as the simulator saw it, beside what the database says.
struct Audit {
  /// Message and device of one delivery.
  struct Delivery: Hashable, CustomStringConvertible {
    let message: String
    let token: String
    var description: String { "\(message) \(token.prefix(8))" }
  }

  /// Deliveries of which the simulator took at least one notification.
  let delivered: Set<Delivery>
  /// … of which it took more than one.
  let doubled: Set<Delivery>
  /// Notifications beyond the first of each delivery.
  let extra: Int
  /// Deliveries that the database marks as sent again after an unknown result.
  let flagged: Set<Delivery>
  /// Doubled deliveries whose notifications don't replace one another on the device.
  let unlike: Set<Delivery>
  /// Doubled deliveries without the mark.
  let unflagged: Set<Delivery>
  /// Two deliveries under one `apns-id`.
  let confused: Int

  init(_ lab: Lab) async throws {
    try await self.init(server: lab.server, reports: [try await lab.simulator.get("/notifications?limit=1000000")])
  }

  /// - Parameter reports: what each simulator has taken.
  init(server: RunningServer, reports: [[String: Any]]) async throws {
    var taken: [Delivery: [(id: String, collapseID: String?)]] = [:]
    for notification in reports.flatMap({ $0["notifications"] as? [[String: Any]] ?? [] }) {
      guard let payload = notification["payload"] as? String, let message = Self.messageID(in: payload),
        let token = notification["token"] as? String, let id = notification["apns_id"] as? String
      else { throw TestFailure("not one of ours: \(notification)") }
      let headers = notification["headers"] as? [String: String]
      taken[Delivery(message: message, token: token), default: []].append((id, headers?["apns-collapse-id"]))
    }
    let rows = try await server.texts(
      """
      SELECT m.message_id || ' ' || i.push_token
      FROM delivery_summary s
      JOIN message m USING (app_no, message_no)
      JOIN message_chunk k USING (app_no, message_no, chunk_no)
      JOIN installation i ON i.app_no = k.app_no AND i.installation_no = k.members[s.idx + 1]
      WHERE s.resent
      """)
    flagged = Set(
      rows.map { row in
        let words = row.split(separator: " ")
        return Delivery(message: String(words[0]), token: String(words[1]))
      })
    let doubles = taken.filter { $0.value.count > 1 }
    delivered = Set(taken.keys)
    doubled = Set(doubles.keys)
    extra = doubles.values.reduce(0) { $0 + $1.count - 1 }
    unlike = Set(
      doubles.filter { _, all in
        Set(all.map(\.id)).count > 1 || Set(all.map(\.collapseID)).count > 1 || all[0].collapseID == nil
      }.keys)
    unflagged = doubled.subtracting(flagged)
    confused = delivered.count - Set(taken.values.compactMap { $0.first?.id }).count
  }

  func count(of message: String) -> Int { delivered.count { $0.message == message } }

  private static func messageID(in payload: String) -> String? {
    payload.firstMatch(of: #/"kits_message_id":"([0-9a-f-]{36})"/#).map { String($0.1) }
  }
}
