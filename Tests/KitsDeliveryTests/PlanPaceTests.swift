import Testing

@testable import KitsDelivery

@Suite("The pace of a plan")
struct PlanPaceTests {
  private func pace(rows: Int64, atMost: Int64 = 1_000) -> PlanPace {
    var configuration = DeliveryConfiguration()
    configuration.planScanWindow = rows
    configuration.planScanWindowAtMost = atMost
    return PlanPace(configuration)
  }

  @Test("A page that was quick and not full makes the next one look at twice as many, up to a limit")
  func quick() {
    var pace = pace(rows: 300)
    pace.adapt(to: .milliseconds(49), isFull: false)
    #expect(pace.rows == 600)
    pace.adapt(to: .milliseconds(1), isFull: false)
    pace.adapt(to: .milliseconds(1), isFull: false)
    #expect(pace.rows == 1_000)
  }

  @Test("A long one makes it half as many, down to a limit, full or not", arguments: [true, false])
  func long(isFull: Bool) {
    var pace = pace(rows: 1_600, atMost: 10_000)
    pace.adapt(to: .milliseconds(151), isFull: isFull)
    #expect(pace.rows == 800)
    pace.adapt(to: .seconds(9), isFull: isFull)
    pace.adapt(to: .seconds(9), isFull: isFull)
    #expect(pace.rows == PlanPace.fewest)
  }

  @Test("A page in time, and a full one, leave it as it is; so does a window that was set below the limits")
  func steady() {
    var steady = pace(rows: 300)
    steady.adapt(to: .milliseconds(100), isFull: false)
    steady.adapt(to: .milliseconds(1), isFull: true)
    #expect(steady.rows == 300)
    steady.adapt(to: .seconds(1), isFull: false)
    #expect(steady.rows == 300)
    var large = pace(rows: 2_000)
    large.adapt(to: .milliseconds(1), isFull: false)
    #expect(large.rows == 2_000)
  }
}
