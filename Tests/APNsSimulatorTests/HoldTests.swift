import TestSupport
import Testing

@Suite("Holding answers and waiting for counts")
struct HoldTests {
  private let provider = Provider()

  @Test("Held answers leave on release; what was taken meanwhile is known")
  func hold() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    let good = Push(token: try provider.token())
    try await simulator.post("/hold")
    async let answers = Curl(simulator: simulator).send([good])
    try await simulator.wait("held=1&accepted=1")
    #expect(try await simulator.count("answered") == 0)
    try await simulator.post("/release")
    #expect(try await answers.map(\.status) == [200])
    #expect(try await simulator.count("held") == 0)
    #expect(try await Curl(simulator: simulator).send(good).status == 200)
  }

  @Test("Holding can begin after so many answers")
  func holdAfter() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    let good = Push(token: try provider.token())
    try await simulator.post("/hold?after=2")
    async let answers = Curl(simulator: simulator).send([good, good, good])
    try await simulator.wait("held=1")
    #expect(try await simulator.count("answered") == 2)
    try await simulator.post("/release")
    #expect(try await answers.map(\.status) == [200, 200, 200])
  }

  @Test("A client that goes away takes its held answers along")
  func canceled() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    let good = Push(token: try provider.token())
    try await simulator.post("/hold")
    let answers = try await Curl(simulator: simulator).send([good], seconds: 1)
    #expect(answers[0].result == 28)
    try await simulator.wait("connections_closed=1")
    #expect(try await simulator.count("held") == 0)
  }

  @Test("A wait ends when the count is reached, and with 408 when it isn't in time")
  func wait() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    let (late, _) = try await simulator.admin("GET", "/wait?accepted=1&timeout_ms=20")
    #expect(late == 408)
    let good = Push(token: try provider.token())
    async let reached: Void = simulator.wait("accepted=2&received=3")
    _ = try await Curl(simulator: simulator).send([good, good.with("apns-topic"), good])
    try await reached
    let (bad, _) = try await simulator.admin("GET", "/wait?accepted=x")
    #expect(bad == 400)
  }

  @Test("Disconnect closes every connection")
  func disconnect() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post("/hold")
    let push = Push(token: try provider.token())
    async let answers = Curl(simulator: simulator).send([push])
    try await simulator.wait("held=1")
    try await simulator.post("/release")
    _ = try await answers
    try await simulator.post("/disconnect")
    try await simulator.wait("connections_closed=1")
  }
}
