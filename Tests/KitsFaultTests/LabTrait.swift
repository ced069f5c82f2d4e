import TestSupport
import Testing

/// One lab for all tests of a suite: starting processes anew for each fault would take longer than the faults.
struct LabTrait: SuiteTrait, TestScoping {
  let nodes: Int
  let devices: Int

  /// The lab of the suite that is running.
  @TaskLocal static var lab: Lab?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Lab.with(nodes: nodes, devices: devices) { lab in
      try await Self.$lab.withValue(lab) { try await function() }
      await lab.stop()
    }
  }
}

extension Trait where Self == LabTrait {
  static func lab(nodes: Int, devices: Int) -> LabTrait { LabTrait(nodes: nodes, devices: devices) }
}
