import Foundation
import JSON

/// What the checking simulator remembers of the devices it has notifications for.
struct NotedArrivals {
  private let wire: HTTPWire

  struct Notification {
    let id: String
    let messageID: String
    let collapseID: String
    /// Microseconds of the wall clock.
    let at: Int64
  }

  init(_ simulator: SimulatorChild) throws(BenchError) {
    wire = try HTTPWire(port: simulator.adminPort)
  }

  /// Of one device, the newest first.
  func notifications(token: String) throws(BenchError) -> [Notification] {
    let report = try wire.get("/notifications?token=\(token)&limit=1000")
    return (report["notifications"]?.array ?? []).compactMap { $0.object }.compactMap { one in
      guard let id = one["apns_id"]?.string, let at = one["received_at_us"]?.integer,
        let payload = one["payload"]?.string,
        let message = (try? JSON.parse(Array(payload.utf8)))?.object?["kits_message_id"]?.string
      else { return nil }
      let collapseID = one["headers"]?.object?["apns-collapse-id"]?.string ?? ""
      return Notification(id: id, messageID: message, collapseID: collapseID, at: at)
    }
  }

  /// When the simulator had this message; waits for it when it isn't there yet.
  func time(of messageID: String, token: String, patience seconds: Double) throws(BenchError) -> Int64 {
    let start = Moment.monotonic
    while true {
      if let found = try notifications(token: token).last(where: { $0.messageID == messageID }) { return found.at }
      guard Moment.seconds(since: start) < seconds else { throw BenchError("message \(messageID) did not arrive") }
      usleep(20_000)
    }
  }
}
