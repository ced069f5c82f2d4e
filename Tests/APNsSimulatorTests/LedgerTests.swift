import Testing

@testable import APNsSimulator

@Suite("What is remembered")
struct LedgerTests {
  private func record(
    _ ledger: inout Ledger, device: Int, id: Int, collapse: String? = nil, body: String = Push.alert
  ) {
    let token = String(device, radix: 16)
    var push = Push().to(String(repeating: "0", count: 64 - token.count) + token).body(body)
    if let collapse { push = push.with("apns-collapse-id", collapse) }
    ledger.record(
      push.request, messageID: uuid(id), at: Int64(id), from: Ledger.Origin(connection: 1, stream: 1, status: 200))
  }

  private func uuid(_ number: Int) -> String {
    let text = String(number, radix: 16)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - text.count) + text
  }

  @Test("The newest are kept whole, the others only counted")
  func bound() {
    var ledger = Ledger(limits: Ledger.Limits(remember: 10))
    for number in 1...25 { record(&ledger, device: number % 3 + 1, id: number) }
    #expect(ledger.accepted == 25)
    #expect(ledger.remembered == 10)
    #expect(ledger.notifications(token: nil, messageID: nil, limit: 100).map(\.sequence) == Array((16...25).reversed()))
    let one = String(repeating: "0", count: 63) + "1"
    #expect(ledger.notifications(token: one, messageID: nil, limit: 100).map(\.sequence) == [24, 21, 18])
    #expect(ledger.notifications(token: one, messageID: nil, limit: 2).map(\.sequence) == [24, 21])
    #expect(ledger.notifications(token: nil, messageID: uuid(15), limit: 9).isEmpty)
    #expect(ledger.notifications(token: nil, messageID: uuid(16), limit: 9).map(\.sequence) == [16])
    #expect(ledger.distinctMessageIDs == 25)
    #expect(ledger.hasSeen(token: one.uppercased()))
    #expect(!ledger.hasSeen(token: String(repeating: "f", count: 64)))
  }

  @Test("Duplicates are counted although the first one was long forgotten")
  func duplicates() {
    var ledger = Ledger(limits: Ledger.Limits(remember: 2))
    for number in 1...10 { record(&ledger, device: number, id: number) }
    record(&ledger, device: 1, id: 1)
    #expect(ledger.duplicateMessageIDs == 1)
    #expect(ledger.accepted == 11)
    #expect(ledger.countsAreExact)
  }

  @Test("The same collapse id on the same device replaces, on another it doesn't")
  func replaced() {
    var ledger = Ledger(limits: Ledger.Limits())
    record(&ledger, device: 1, id: 1, collapse: "score")
    record(&ledger, device: 2, id: 2, collapse: "score")
    record(&ledger, device: 1, id: 3, collapse: "news")
    #expect(ledger.replaced == 0)
    record(&ledger, device: 1, id: 4, collapse: "score")
    #expect(ledger.replaced == 1)
  }

  @Test("Past the limit of identities the counts say that they are no longer exact")
  func identities() {
    var ledger = Ledger(limits: Ledger.Limits(remember: 0, identities: 3))
    for number in 1...3 { record(&ledger, device: number, id: number) }
    #expect(ledger.countsAreExact)
    record(&ledger, device: 4, id: 4)
    #expect(!ledger.countsAreExact)
    #expect(ledger.accepted == 4)
  }
}
