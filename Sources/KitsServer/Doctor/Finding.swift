/// What one check found.
struct Finding: Sendable, Equatable {
  enum Level: String, Sendable {
    case fine = "ok"
    /// Worth knowing, nothing to do.
    case note
    /// Works now, and will not for long or not for all.
    case warning
    case problem
  }

  /// A stable name, for scripts.
  let check: String
  let level: Level
  let what: String
  /// Why it matters; empty when all is fine.
  let why: String
  let todo: String

  /// Counts against the exit code.
  var needsAction: Bool { level == .warning || level == .problem }

  static func fine(_ check: String, _ what: String) -> Finding {
    Finding(check: check, level: .fine, what: what, why: "", todo: "")
  }

  static func note(_ check: String, _ what: String, why: String) -> Finding {
    Finding(check: check, level: .note, what: what, why: why, todo: "")
  }

  static func warning(_ check: String, _ what: String, why: String, todo: String) -> Finding {
    Finding(check: check, level: .warning, what: what, why: why, todo: todo)
  }

  static func problem(_ check: String, _ what: String, why: String, todo: String) -> Finding {
    Finding(check: check, level: .problem, what: what, why: why, todo: todo)
  }
}

/// All findings, as they are printed.
struct DoctorReport: Sendable {
  let findings: [Finding]

  var needingAction: [Finding] { findings.filter(\.needsAction) }

  var report: Report {
    Report([
      ("healthy", .flag(needingAction.isEmpty)),
      ("findings", .list(findings.filter { $0.level != .fine }.map(Self.object))),
      ("passed", .list(findings.filter { $0.level == .fine }.map(Self.object))),
    ])
  }

  /// For people: what is wrong comes last, where the eye is when the text ends.
  var text: String {
    let order: [Finding.Level] = [.fine, .note, .warning, .problem]
    return order.flatMap { level in findings.filter { $0.level == level } }.map(Self.lines).joined()
  }

  private static func object(_ finding: Finding) -> Report.Value {
    var fields: [Report.Field] = [
      .init("check", .string(finding.check)), .init("level", .string(finding.level.rawValue)),
      .init("what", .string(finding.what)),
    ]
    if finding.level != .fine {
      fields += [.init("why", .string(finding.why)), .init("todo", .string(finding.todo))]
    }
    return .object(fields)
  }

  private static func lines(_ finding: Finding) -> String {
    let width = 9
    let mark = finding.level.rawValue + String(repeating: " ", count: width - finding.level.rawValue.count)
    let indent = String(repeating: " ", count: width)
    var text = "\(mark)\(finding.check): \(LogText.escaped(finding.what))\n"
    if !finding.why.isEmpty { text += "\(indent)why: \(LogText.escaped(finding.why))\n" }
    if !finding.todo.isEmpty { text += "\(indent)do:  \(LogText.escaped(finding.todo))\n" }
    return text
  }
}
