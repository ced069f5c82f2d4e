internal import JSON
internal import KitsCore

/// What pausing and resuming have in common.
enum PauseArguments {
  /// Both unless one is named.
  static func environments(_ arguments: Arguments) -> [APNsEnvironment] {
    guard let name = arguments.value("apns-environment") else { return APNsEnvironment.allCases }
    return APNsEnvironment.allCases.filter { $0.name == name }
  }

  static func table(_ pauses: [AppPause]) -> Report.Value {
    let rows = pauses.map { pause -> [Report.Value] in
      [
        .string(pause.environment.name), .string(pause.reason.name), pause.detail.map { .string($0) } ?? .null,
        .string(RFC3339.format(pause.since.microseconds)),
      ]
    }
    return .table(columns: ["apns_environment", "reason", "detail", "since"], rows: rows)
  }
}
