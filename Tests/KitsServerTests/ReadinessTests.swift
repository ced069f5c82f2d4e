import Testing

@testable import KitsServer

@Suite("Readiness")
struct ReadinessTests {
  @Test("Without checks and with passing checks the process is ready")
  func ready() async {
    let readiness = Readiness()
    #expect(await readiness.reasons() == [])
    readiness.register("database") { nil }
    #expect(await readiness.reasons() == [])
    #expect(AdminAnswer.readiness([]).status == 200)
    #expect(AdminAnswer.readiness([]).body == #"{"status":"ready","reasons":[]}"# + "\n")
  }

  @Test("Every failing check is named, in order, with 503")
  func reasons() async {
    let readiness = Readiness()
    readiness.register("database") { "connection refused" }
    readiness.register("fine") { nil }
    readiness.register("schema") { "at 3, needs 4" }
    let answer = AdminAnswer.readiness(await readiness.reasons())
    #expect(answer.status == 503)
    #expect(
      answer.body
        == #"{"status":"not_ready","reasons":[{"check":"database","reason":"connection refused"},"#
        + #"{"check":"schema","reason":"at 3, needs 4"}]}"#
        + "\n")
  }

  @Test("A check without an answer counts as failed and doesn't hold up the others")
  func stuck() async {
    let readiness = Readiness(deadline: .milliseconds(20))
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    readiness.register("stuck") {
      // Ignores cancellation on purpose.
      await Task { for await _ in never {} }.value
      return nil
    }
    #expect(await readiness.reasons() == [.init(check: "stuck", reason: "no answer in time")])
    continuation.finish()
  }

  @Test("A draining process is not ready whatever the checks say")
  func draining() async {
    let readiness = Readiness()
    readiness.register("database") { nil }
    readiness.drain()
    #expect(await readiness.reasons() == [.init(check: "process", reason: "draining")])
  }
}
