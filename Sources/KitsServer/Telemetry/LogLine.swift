/// One event, ready to be rendered. Rendering is pure so that tests state the bytes.
struct LogLine: Sendable {
  let time: Timestamp
  let level: LogLevel
  /// snake_case, from code; never made of input.
  let event: StaticString
  let requestID: String?
  let fields: [(String, LogValue)]

  /// A JSON object and a newline. Standard keys come first and can't be replaced by a field of the same name.
  func rendered() -> String {
    var line = ""
    line.reserveCapacity(LogLine.usualBytes)
    line.append("{\"ts\":\"")
    line.append(time.rfc3339)
    line.append("\",\"level\":\"")
    line.append(level.name)
    line.append("\",\"event\":\"")
    line.append(event.description)
    line.append("\"")
    if let requestID { append("request_id", .string(requestID), to: &line) }
    for (name, value) in fields.prefix(LogLimits.fields) {
      append(LogLine.reserved.contains(name) ? "field_" + name : name, value, to: &line)
    }
    if fields.count > LogLimits.fields {
      append("fields_omitted", .integer(fields.count - LogLimits.fields), to: &line)
    }
    line.append("}\n")
    return line
  }

  private static let usualBytes = 512
  private static let reserved = ["ts", "level", "event", "request_id", "fields_omitted"]

  private func append(_ name: String, _ value: LogValue, to line: inout String) {
    line.append(",")
    LogText.appendJSON(name, to: &line)
    line.append(":")
    switch value {
    case .string(let text): appendText(text, to: &line)
    case .integer(let number): line.append(String(number))
    case .number(let number): line.append(number.isFinite ? "\(number)" : "null")
    case .flag(let flag): line.append(flag ? "true" : "false")
    case .list(let elements):
      line.append("[")
      for (index, element) in elements.prefix(LogLimits.listElements).enumerated() {
        if index > 0 { line.append(",") }
        appendText(element, to: &line)
      }
      line.append("]")
    }
  }

  private func appendText(_ text: String, to line: inout String) {
    // Masked before clipping: half a credential is still half a credential.
    LogText.appendJSON(LogText.clipped(CredentialMask.masked(text), to: LogLimits.valueBytes), to: &line)
  }
}
