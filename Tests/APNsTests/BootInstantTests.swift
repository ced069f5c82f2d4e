import APNs
import Testing

@Suite("Boot time")
struct BootInstantTests {
  @Test("it moves by durations and stops at the ends")
  func advanced() {
    let start = BootInstant(nanoseconds: 5_000_000_000)
    #expect(start.advanced(by: .seconds(2)).nanoseconds == 7_000_000_000)
    #expect(start.advanced(by: .milliseconds(-500)).nanoseconds == 4_500_000_000)
    #expect(start.advanced(by: .seconds(-9)).nanoseconds == 0)
    #expect(BootInstant.distantFuture.advanced(by: .seconds(1)) == .distantFuture)
    #expect(start.advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(BootInstant.now > start.advanced(by: .seconds(-5)))
  }
}
