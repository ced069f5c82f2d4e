internal import FoundationEssentials
internal import JSON
internal import KitsCore

/// `SessionReport` of the contract. Unknown members are ignored, so that an older server serves a newer SDK.
struct SessionBody: Sendable {
  let session: UUID
  let number: Int64
  let startedAt: Timestamp
  let foregroundSeconds: Int64

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    let session = object.requiredUUID("session_id")
    let number = object.requiredInteger("number", in: Limits.sessionNumber)
    let startedAt = object.requiredTimestamp("started_at")
    let seconds = object.requiredInteger("foreground_seconds", in: Limits.sessionForegroundSeconds)
    // Nothing hangs on it: a report that was under way when the session ended may still come after.
    _ = object.bool("ended")
    if let problem = Problem(faults) { throw problem }
    guard let session, let number, let startedAt, let seconds else {
      throw .internalFault("a session was neither read nor refused")
    }
    self.session = session
    self.number = number
    self.startedAt = Timestamp(microseconds: startedAt)
    foregroundSeconds = seconds
  }
}
