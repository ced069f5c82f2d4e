/// What a running command has at hand: its arguments and the outside world, injected so that tests can replace it.
struct Invocation: Sendable {
  let arguments: Arguments
  let environment: [String: String]
  let output: Output
}
