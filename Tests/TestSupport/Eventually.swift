/// Asks again until the answer is there; throws when it doesn't come. For what says nothing when it changes: files,
/// rows, other processes.
package func eventually<Value: Sendable>(
  _ what: String, within limit: Duration = .seconds(30), _ ask: () async throws -> Value?
) async throws -> Value {
  let end = ContinuousClock.now + limit
  while true {
    if let value = try await ask() { return value }
    guard ContinuousClock.now < end else { throw TestFailure("not within \(limit): \(what)") }
    // There is no event to wait for.
    try await Task.sleep(for: .milliseconds(20))
  }
}
