import JSON
import TestSupport
import Testing

extension Audit {
  /// Every doubled delivery has the same `apns-id` and collapse id throughout, and is flagged.
  func expectHarmlessDuplicates(
    atMost limit: Int = 500, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(extra <= limit, "duplicates", sourceLocation: sourceLocation)
    #expect(unlike.isEmpty, "would show twice", sourceLocation: sourceLocation)
    #expect(unflagged.isEmpty, "not flagged", sourceLocation: sourceLocation)
    #expect(confused == 0, "deliveries share an apns-id", sourceLocation: sourceLocation)
  }

  /// The ledger of a finished message adds up, and says of exactly as many devices as the simulator that they got it.
  func expectNothingLost(
    of id: String, _ message: JSONObject, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(message.ledgerAddsUp, "\(message)", sourceLocation: sourceLocation)
    #expect(message.ledger("unknown") == 0, "\(message)", sourceLocation: sourceLocation)
    #expect(
      message.ledger("accepted") == Int64(count(of: id)), "accepted, and taken by the service",
      sourceLocation: sourceLocation)
  }
}
