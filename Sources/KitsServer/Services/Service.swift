/// A part of the process that runs until it is told to stop.
protocol Service: Sendable {
  /// For logs.
  var name: String { get }

  /// Acquires what must exist before later services start, such as a listening port. Throwing stops the group.
  func start() async throws

  /// Works until `stop()`; returning or throwing earlier stops the group.
  func run() async throws

  /// Makes `run()` finish what is under way and return. Called once, after `start()` succeeded.
  func stop() async
}

extension Service {
  func start() async throws {}
}
