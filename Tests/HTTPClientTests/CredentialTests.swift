import Testing

@testable import HTTPClient

@Suite("Credentials of connections")
struct CredentialTests {
  private let one = Credential(number: 1, value: "one")
  private let two = Credential(number: 2, value: "two")

  @Test("A connection takes its first credential at once and the next one only after the hold")
  func hold() {
    var use = CredentialUse()
    let three = Credential(number: 3, value: "three")
    let offers: [(credential: Credential?, at: UInt64)] = [
      (nil, 0), (one, 50), (one, 60), (two, 149), (two, 150), (three, 249), (three, 250),
    ]
    let taken = offers.map { offer in
      (isTaken: use.adopt(offer.credential, now: offer.at, hold: 100), current: use.current?.number)
    }
    #expect(taken.map(\.isTaken) == [true, true, true, false, true, false, true])
    #expect(taken.map(\.current) == [nil, 1, 1, 1, 2, 2, 3])
  }

  @Test("Whoever still holds an earlier credential doesn't bring it back")
  func offers() {
    var state = PoolState(configuration: HTTP2Configuration())
    #expect(state.credential == nil)
    for value in ["one", "two", "one", "two", "one"] { state.offer(value) }
    #expect(state.credential == two)
    for number in 3...20 { state.offer("\(number)") }
    #expect(state.credential?.value == "20")
    state.offer("19")
    #expect(state.credential?.value == "20")
  }
}
