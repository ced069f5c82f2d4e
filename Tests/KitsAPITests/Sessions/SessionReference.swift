import Foundation
import JSON

/// One report as a test sends it.
struct SessionCall: Sendable {
  var session: UUID
  var number: Int
  var startedAt: String
  var seconds: Int

  var json: String {
    """
    {"session_id":"\(session.uuidString.lowercased())","number":\(number),"started_at":"\(startedAt)",
     "foreground_seconds":\(seconds),"ended":false,"later":{"than":"this"}}
    """
  }
}

/// What the totals have to be, written apart from the statement: of each session its longest report, as long as it is
/// one of the newest sixteen.
struct SessionReference {
  private(set) var count = 0
  private(set) var total = 0
  private var kept: [(call: SessionCall, order: Int)] = []
  private var floor = 0

  /// Whether it tells something new.
  mutating func take(_ call: SessionCall) -> Bool {
    if let known = kept.firstIndex(where: { $0.call.session == call.session }) {
      guard call.seconds > kept[known].call.seconds else { return false }
      total += call.seconds - kept[known].call.seconds
      kept[known].call.seconds = call.seconds
      return true
    }
    guard call.number > floor else { return false }
    count += 1
    total += call.seconds
    kept.append((call, count))
    if kept.count > 16, let oldest = kept.min(by: { ($0.call.number, $0.order) < ($1.call.number, $1.order) }) {
      kept.removeAll { $0.call.session == oldest.call.session }
      floor = oldest.call.number
    }
    return true
  }
}

extension Device {
  func report(_ json: String) async throws -> Reply {
    try await running.send("POST", path + "/sessions", headers: bearer, json: json)
  }
}
