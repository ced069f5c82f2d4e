import APNs
import KitsStore

/// A window that was declared and is being sent.
struct ChunkFlight {
  let plan: WindowPlan
  let sending: Task<[SendOutcome], any Error>
}

/// What one lane has under way of its chunk, in order. Belongs to the lane alone.
struct ChunkFlights {
  private var flights: [ChunkFlight] = []
  /// Members below this index are under way or answered. Never lower than what was handed over.
  private(set) var declaredTo: Int32 = 0

  mutating func add(_ flight: ChunkFlight) {
    flights.append(flight)
    declaredTo = flight.plan.from + Int32(flight.plan.outcomes.count)
  }

  /// Windows are written in their order, so this one is waited for first.
  mutating func takeOldest() -> ChunkFlight? { flights.isEmpty ? nil : flights.removeFirst() }

  /// Waits until nothing is under way.
  mutating func end() async {
    while let flight = takeOldest() { _ = await flight.sending.result }
  }
}
