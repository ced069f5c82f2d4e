import KitsCore
import Testing

@Suite("A ledger adds up")
struct LedgerTests {
  @Test("Classes are summed over their reasons, and a mismatch shows")
  func sums() {
    let reasons = OutcomeClass.allCases.flatMap { outcomeClass in
      [
        Ledger.ReasonCount(outcomeClass: outcomeClass, reason: "a", count: 1),
        Ledger.ReasonCount(outcomeClass: outcomeClass, reason: "b", count: 2),
      ]
    }
    let ledger = Ledger(targeted: 21, reasons: reasons)
    #expect(ledger.addsUp && ledger.accepted == 3 && ledger.unknown == 3)
    #expect(!Ledger(targeted: 20, reasons: reasons).addsUp)
  }

  @Test("Every code below the reasons has the class that its name says")
  func classes() {
    #expect(OutcomeCode.none.outcomeClass == .pending && OutcomeCode.inRetry.outcomeClass == .pending)
    #expect(OutcomeCode.accepted.outcomeClass == .accepted)
    #expect(OutcomeCode.otherReason.outcomeClass == .failed && OutcomeCode.firstReason.outcomeClass == .failed)
  }
}
