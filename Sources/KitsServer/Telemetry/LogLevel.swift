/// How much a log line matters; the raw values order them.
enum LogLevel: Int, Sendable, CaseIterable, Comparable {
  /// For whoever debugs Kits itself.
  case debug
  /// What happened, in the normal course.
  case info
  /// Rare and worth knowing: start, stop, a key in use that will expire.
  case notice
  /// Something failed and was handled.
  case warning
  /// Something failed and somebody has to look.
  case error

  /// Spelt out: an interpolated case looks its name up by reflection, on every line.
  var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .notice: "notice"
    case .warning: "warning"
    case .error: "error"
    }
  }

  static var names: [String] { allCases.map(\.name) }

  init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
