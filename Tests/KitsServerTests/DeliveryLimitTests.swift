import APNs
import KitsDelivery
import Testing

@testable import KitsServer

@Suite("Delivery settings")
struct DeliveryLimitTests {
  @Test(
    "A request ends before the lease of its chunk does, however short that is",
    arguments: [(5, 4, 2), (10, 8, 4), (30, 25, 10), (60, 30, 10), (600, 30, 10)])
  func deadlines(lease: Int, deadline: Int, silence: Int) {
    let delivery = Config.Delivery(leaseSeconds: lease, retrySeconds: 900)
    var client = APNsClientConfiguration()
    delivery.limit(&client)
    #expect(client.requestDeadline == .seconds(deadline))
    #expect(client.silence == .seconds(silence))
    let service = delivery.service()
    #expect(client.requestDeadline <= .seconds(Int(service.leaseSeconds - service.leaseMarginSeconds)))
    #expect(service.handOverTime == .seconds(min(deadline, 5)))
  }
}
