/// Someone who waits for counts to be reached. Resumed exactly once: with true when they were, with false when the
/// deadline came first. Whoever removes it from the state resumes it.
struct Waiter: Sendable {
  let condition: WaitCondition
  let continuation: CheckedContinuation<Bool, Never>
}
