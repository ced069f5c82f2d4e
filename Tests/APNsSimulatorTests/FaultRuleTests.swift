import Testing

@testable import APNsSimulator

@Suite("Fault rules")
struct FaultRuleTests {
  private func firings(_ rule: FaultRule, _ count: Int, token: String = "aa") -> [Int] {
    var rule = rule
    return (1...count).filter { rule.fires(token: token, connectionRequest: $0) }
  }

  @Test("A share is spread evenly and adds up")
  func share() {
    #expect(firings(FaultRule(share: 0.25), 12) == [4, 8, 12])
    #expect(firings(FaultRule(share: 0.1), 1_000).count == 100)
    #expect(firings(FaultRule(share: 0), 100).isEmpty)
    #expect(firings(FaultRule(), 3) == [1, 2, 3])
  }

  @Test("It lets some pass first, and fires so often")
  func afterAndTimes() {
    #expect(firings(FaultRule(after: 2, times: 3), 10) == [3, 4, 5])
    #expect(firings(FaultRule(times: 0), 10).isEmpty)
  }

  @Test("It can be bound to the n-th request of each connection")
  func connectionRequest() {
    #expect(firings(FaultRule(connectionRequest: 5), 10) == [5])
  }

  @Test("Exact tokens and prefixes match, others don't")
  func tokens() {
    #expect(firings(FaultRule(token: .exact("aa")), 2) == [1, 2])
    #expect(firings(FaultRule(token: .exact("ab")), 2).isEmpty)
    #expect(firings(FaultRule(token: .prefix("a")), 2) == [1, 2])
    #expect(firings(FaultRule(token: .prefix("b")), 2).isEmpty)
  }

  @Test("A rule for one token goes before rules for many, and the next takes over when it is used up")
  func precedence() {
    var rules = RuleSet()
    _ = rules.add(FaultRule(fault: .stall))
    _ = rules.add(FaultRule(token: .exact("aa"), times: 1, fault: .silence))
    let faults = ["bb", "aa", "aa"].map { rules.rule(token: $0, connectionRequest: 1)?.fault }
    #expect(faults == [.stall, .silence, .stall])
  }

  @Test("The set has a limit")
  func limit() {
    var rules = RuleSet()
    let added = (0...RuleSet.limit).map { _ in rules.add(FaultRule()) }
    #expect(added.count { $0 } == RuleSet.limit)
    #expect(added.last == false)
  }

  @Test("Timers come in the order of their deadlines, equal ones in the order they were added")
  func timers() {
    var heap = TimerHeap()
    for (index, deadline) in [50, 10, 40, 10, 30, 20].enumerated() {
      heap.add(deadline: UInt64(deadline), connection: index, .resumeReading)
    }
    let early = heap.take(dueAt: 9)
    #expect(early?.connection == nil)
    var order: [Int] = []
    while let entry = heap.take(dueAt: 45) { order.append(entry.connection) }
    #expect(order == [1, 3, 5, 4, 2])
    #expect(heap.next == 50)
  }
}
