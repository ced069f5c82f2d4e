import Crypto
import HTTPClient
import KitsCore
import KitsStore

/// Tells an endpoint of an event.
struct WebhookSender: Sendable {
  let http: SimpleHTTP
  /// Seconds since 1970.
  let now: @Sendable () -> Int64

  /// What came back. Anything but 2xx is a refusal; a redirect too, because it is never followed.
  enum Answer: Sendable, Equatable {
    case taken
    case refused(status: Int32, problem: String, wish: Double?)
    /// 410: it wants nothing more, ever.
    case gone
  }

  static let problemBytes = 200

  func send(_ task: WebhookTask, to claim: WebhookClaim, _ signature: WebhookSignature) async -> Answer {
    let id = task.event.id.text
    let (body, timestamp) = (Self.body(task), now())
    do {
      let answer = try await http.send(
        "POST", claim.url,
        headers: [
          ("Content-Type", "application/json"), ("User-Agent", "Kits-Webhooks/1"), ("webhook-id", id),
          ("webhook-timestamp", "\(timestamp)"),
          ("webhook-signature", signature.header(id: id, timestamp: timestamp, body: body)),
        ], body: body)
      return Self.judge(answer)
    } catch {
      return .refused(status: 0, problem: String("\(error)".prefix(Self.problemBytes)), wish: nil)
    }
  }

  static func judge(_ answer: SimpleResponse) -> Answer {
    switch answer.status {
    case 200..<300: return .taken
    case 410: return .gone
    case 300..<400: return .refused(status: Int32(answer.status), problem: "a redirect isn't followed", wish: nil)
    default:
      let wish = answer.header("retry-after").flatMap { Double($0) }.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
      return .refused(status: Int32(answer.status), problem: "the answer was \(answer.status)", wish: wish)
    }
  }

  /// The same bytes for every attempt.
  static func body(_ task: WebhookTask) -> [UInt8] {
    Array(#"{"type":"\#(task.event.type.name)","timestamp":"\#(task.timestamp)","data":"#.utf8) + task.event.data
      + [UInt8(ascii: "}")]
  }
}
