/// What a batch says about one of its requests.
package enum BatchResult<Answer: Sendable>: Sendable {
  case answer(Answer)
  /// Someone else held a lock (SKIP LOCKED left it out); it comes again until its deadline.
  case busy
}
