import FoundationEssentials
import KitsCore
import KitsStore
import Testing

@testable import KitsDelivery

@Suite("When and in which order an endpoint is asked")
struct WebhookRuleTests {
  @Test("Pauses double up to four hours, spread by a fifth")
  func delays() {
    let policy = WebhookRetryPolicy(firstSeconds: 10)
    let middle = (1...14).map { policy.delayMilliseconds(after: Int32($0), wish: nil, jitter: 0.5) / 1_000 }
    #expect(middle == [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 14_400, 14_400, 14_400])
    #expect(policy.delayMilliseconds(after: 1, wish: nil, jitter: 0) == 8_000)
    #expect(policy.delayMilliseconds(after: .max, wish: nil, jitter: 0.5) == 14_400_000)
    // Thirty attempts in three days.
    let total = (1...30).reduce(Int64(0)) { $0 + policy.delayMilliseconds(after: Int32($1), wish: nil, jitter: 0.5) }
    #expect((259_200_000...345_600_000).contains(total))
  }

  @Test("An endpoint may ask for a longer pause, an hour at most")
  func wish() {
    let policy = WebhookRetryPolicy(firstSeconds: 10)
    #expect(policy.delayMilliseconds(after: 1, wish: 60, jitter: 0.5) == 60_000)
    #expect(policy.delayMilliseconds(after: 1, wish: 1, jitter: 0.5) == 10_000)
    #expect(policy.delayMilliseconds(after: 1, wish: 1e9, jitter: 0.5) == 3_600_000)
  }

  private func task(_ number: Int64, _ subject: MessageID?) -> WebhookTask {
    WebhookTask(
      event: FeedEvent(
        id: EventID(UUID()), app: AppNumber(1), number: number, type: .messageCreated, at: Timestamp(microseconds: 0),
        data: Array(#"{"a": 1}"#.utf8)),
      subject: subject, attempts: 0, isOverdue: false, isBlocked: false, timestamp: "2026-01-02T03:04:05.678Z")
  }

  @Test("What is about one message is in one lane, in its order; lanes are filled evenly")
  func lanes() {
    let (one, two) = (MessageID(UUID()), MessageID(UUID()))
    let tasks = [task(1, one), task(2, two), task(3, one), task(4, nil), task(5, nil), task(6, one)]
    let lanes = WebhookWorker.lanes(tasks, count: 3)
    #expect(lanes.count == 3)
    #expect(lanes.contains { $0.map(\.event.number) == [1, 3, 6] })
    #expect(lanes.flatMap { $0 }.count == 6)
    #expect(WebhookWorker.lanes([], count: 3).isEmpty)
  }

  @Test("The body is the same for every attempt")
  func body() {
    let text = String(decoding: WebhookSender.body(task(1, nil)), as: UTF8.self)
    #expect(text == #"{"type":"message.created","timestamp":"2026-01-02T03:04:05.678Z","data":{"a": 1}}"#)
  }

  @Test(
    "A request may take as long as half the lease, fifteen seconds at most", arguments: [(5, 2), (20, 10), (60, 15)])
  func timeout(lease: Int32, seconds: Int) {
    var configuration = WebhookConfiguration()
    configuration.leaseSeconds = lease
    #expect(configuration.requestTimeout == .seconds(seconds))
  }
}
