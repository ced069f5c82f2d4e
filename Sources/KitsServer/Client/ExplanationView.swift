internal import JSON

/// Why an installation got a message, or didn't, as `kits message why` tells it.
struct ExplanationView: Sendable {
  private let answer: JSONObject

  /// Nil when the answer is no explanation.
  init?(_ answer: JSONObject) {
    guard answer["reach"]?.string != nil, answer["targeted"] != nil else { return nil }
    self.answer = answer
  }

  var rendered: String {
    var text = verdict + "\n"
    if let delivery { text += "\n" + report(delivery).text }
    let checks = (answer["checks"]?.array ?? []).compactMap(\.object)
    if !checks.isEmpty { text += "\n" + table(checks).text }
    if let installation = answer["installation"]?.object { text += "\nnow\n" + state(installation).text }
    return text
  }

  private var delivery: JSONObject? { answer["delivery"]?.object }

  /// One sentence.
  var verdict: String {
    if answer["reach"]?.string == "forgotten" {
      return "Who got this message isn't known any more: it is older than the server's retention."
    }
    switch answer["targeted"]?.bool {
    case true?: return delivered
    case false?: return "It was no member of the message" + failing
    case nil: return "The message is still being planned, and it isn't a member so far" + failing
    }
  }

  private var delivered: String {
    let reason = LogText.escaped(delivery?["reason"]?.string ?? "")
    switch delivery?["outcome"]?.string {
    case "accepted": return "The push service took it. Whether it was shown is not known from that."
    case "failed": return "The push service refused it: \(reason)."
    case "suppressed": return "It was not sent: \(reason)."
    case "expired": return "Its time was over before the push service took it."
    case "canceled": return "The message was canceled before it was sent."
    case "unknown": return "It may have been sent: there was no answer, and it wasn't tried again."
    default: return reason == "in_retry" ? "It waits for another attempt." : "It is not sent yet."
    }
  }

  /// What speaks against it now; the past isn't kept.
  private var failing: String {
    let failed = (answer["checks"]?.array ?? []).compactMap(\.object).filter { $0["passes"]?.bool == false }
    let names = failed.compactMap { $0["check"]?.string }.map(LogText.escaped)
    guard !names.isEmpty else { return ". As it is now, nothing speaks against it; it was different then." }
    return ". As it is now, this speaks against it: \(names.joined(separator: ", "))."
  }

  private func report(_ delivery: JSONObject) -> Report {
    var fields: [(String, Report.Value)] = []
    for name in ["outcome", "reason", "attempts", "resent", "next_attempt_at"] {
      if let value = delivery[name], !value.isNull { fields.append((name, Report.Value(value))) }
    }
    if let answer = delivery["push_service"]?.object {
      let status = answer["status"]?.integer.map { "\($0) " } ?? ""
      fields.append(("push_service", .string(status + (answer["reason"]?.string ?? ""))))
    }
    if let binding = delivery["binding"]?.object {
      let isCurrent = binding["is_current"]?.bool ?? false
      fields.append(
        ("binding", .string("\(binding["number"]?.integer ?? 0), \(isCurrent ? "still the same" : "another one now")")))
    }
    for name in ["received", "clicked"] {
      fields.append((name, delivery[name]?.object?["received_at"].map { Report.Value($0) } ?? .null))
    }
    return Report(fields)
  }

  private func table(_ checks: [JSONObject]) -> Report {
    let rows = checks.flatMap { check -> [[Report.Value]] in
      let passes = check["passes"]?.bool
      let result = passes.map { $0 ? "yes" : "NO" } ?? "not known"
      let clauses = (check["clauses"]?.array ?? []).compactMap(\.object).map(clause)
      let head: [Report.Value] = [.string(check["check"]?.string ?? ""), .string(result)]
      return [head + [.string(clauses.first ?? "")]] + clauses.dropFirst().map { ["", "", .string($0)] }
    }
    return .table("checks", columns: ["check", "passes", "because"], rows: rows)
  }

  private func clause(_ clause: JSONObject) -> String {
    let filter = clause["filter"].map { String(decoding: JSON.write($0), as: UTF8.self) } ?? ""
    let verb = clause["matches"]?.bool == true ? "matches" : "doesn't match"
    return "\(verb) \(filter) at \(clause["pointer"]?.string ?? "")"
  }

  private func state(_ installation: JSONObject) -> Report {
    var fields: [(String, Report.Value)] = []
    for name in ["platform", "reachable", "permission", "push_preference"] {
      if let value = installation[name] { fields.append((name, Report.Value(value))) }
    }
    let token = installation["push_token"]?.object
    let moved = token?["moved"]?.bool == true ? ", taken over by another installation" : ""
    fields.append(("push_token", .string((token?["state"]?.string ?? "") + moved)))
    fields.append(("binding", .string("\(installation["binding"]?.object?["number"]?.integer ?? 0)")))
    return Report(fields)
  }
}
